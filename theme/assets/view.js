// What the leaderboard shows, as an address: /leaderboard/?engine=vllm&can=vision&sort=-speed&compare=app/report,…
// Values are ids that stay what they are when rows are added, and are the same in both languages.

export const MOST = 4;
export const DEFAULT_SORT = "";
const CHOICES = ["engine", "family", "context", "vram", "hardware", "prompt"];

/** The view that an address asks for. */
export function readView(search) {
  const query = new URLSearchParams(search);
  const list = (name) => (query.get(name) ?? "").split(",").filter(Boolean);
  return {
    filter: query.get("filter") ?? "",
    ...Object.fromEntries(CHOICES.map((name) => [name, query.get(name) ?? ""])),
    can: list("can"),
    raw: query.has("raw"),
    ships: query.has("ships"),
    sort: query.get("sort") ?? DEFAULT_SORT,
    compare: [...new Set(list("compare"))].slice(0, MOST),
  };
}

/** The query of a view; empty where everything is shown as the page has it. Commas and slashes stay readable. */
export function writeView(view) {
  const query = new URLSearchParams();
  // Not in `q`: Material takes that for a search of the site.
  for (const name of ["filter", ...CHOICES, "sort"]) if (view[name]) query.set(name, view[name]);
  if (view.can.length) query.set("can", view.can.join(","));
  for (const name of ["raw", "ships"]) if (view[name]) query.set(name, "1");
  if (view.compare.length) query.set("compare", view.compare.join(","));
  const text = query.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
  return text && `?${text}`;
}

/** Put a query into the address. A step of its own can be undone with the back button; typing is no step. */
export function remember(search, step) {
  if (search !== location.search) {
    const address = `${location.pathname}${search}${location.hash}`;
    if (step) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }
  followInOtherLanguages();
}

/** The links to the other languages lead to the same view. */
export function followInOtherLanguages() {
  for (const link of document.querySelectorAll(".oo-languages a")) link.search = location.search;
}
