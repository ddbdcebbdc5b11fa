// Light, dark, or as the system has it. The header's inline script has applied the choice already; this one lets a
// reader change it, and follows the system and the site's other tabs.
(() => {
  "use strict";

  const KEY = "theme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  const buttons = [...document.querySelectorAll("[data-theme]")];
  const bars = [...document.querySelectorAll("meta[name=theme-color]")].map((bar) => ({ bar, own: bar.content }));
  let theme = "";

  function show() {
    const scheme = theme || (system.matches ? "slate" : "default");
    document.body.dataset.mdColorScheme = scheme;
    document.documentElement.style.colorScheme = scheme === "slate" ? "dark" : "light";
    for (const button of buttons) button.hidden = button.dataset.theme !== theme;
    const [light, dark] = bars;
    for (const { bar, own } of bars) bar.content = theme ? (scheme === "slate" ? dark : light).own : own;
  }

  // A browser may keep no data for this site; then a choice holds for the page.
  function read() {
    try {
      const kept = localStorage.getItem(KEY) ?? "";
      theme = buttons.some((button) => button.dataset.theme === kept) ? kept : "";
    } catch {}
    show();
  }

  for (const [place, button] of buttons.entries()) {
    button.addEventListener("click", () => {
      const next = buttons[(place + 1) % buttons.length];
      theme = next.dataset.theme;
      try {
        localStorage.setItem(KEY, theme);
      } catch {}
      show();
      next.focus();
    });
  }
  system.addEventListener("change", show);
  addEventListener("storage", (event) => event.key === KEY && read());
  read();
})();
