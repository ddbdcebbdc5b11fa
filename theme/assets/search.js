// Material fetches the whole search index with every page: more bytes than the page itself. It waits here until the
// search is used. Loaded before Material's own script, which asks for the index through XMLHttpRequest.
(() => {
  "use strict";

  const { open, send } = XMLHttpRequest.prototype;
  const addresses = new WeakMap();
  const waiting = [];
  // An address that comes from a search result needs the index at once, to mark the words.
  let wanted = ["q", "h"].some((name) => new URLSearchParams(location.search).has(name));

  XMLHttpRequest.prototype.open = function (method, url, ...rest) {
    addresses.set(this, String(url));
    return open.call(this, method, url, ...rest);
  };
  XMLHttpRequest.prototype.send = function (...body) {
    const start = () => send.apply(this, body);
    if (wanted || !addresses.get(this).endsWith("/search/search_index.json")) start();
    else waiting.push(start);
  };

  const want = (event) => {
    if (wanted || !event.target.closest?.(".md-search, [for=__search], [data-md-toggle=search]")) return;
    wanted = true;
    for (const start of waiting.splice(0)) start();
  };
  for (const kind of ["focusin", "pointerover", "pointerdown", "change"]) document.addEventListener(kind, want);
})();
