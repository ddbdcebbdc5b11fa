// What Material's script leaves to be wished for: boxes that scroll must be in reach of a keyboard, and the
// copy button of a code block is no landmark.
addEventListener("load", () => {
  for (const bar of document.querySelectorAll(".md-code__nav")) bar.setAttribute("role", "none");
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
});

// The leaderboard's controls. The table is complete without them; they sort and hide its rows.
(() => {
  "use strict";

  const table = document.querySelector("table[data-board]");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const controls = document.querySelector("[data-controls]");
  const text = controls.querySelector("[data-filter-text]");
  const boxes = [...controls.querySelectorAll("[data-filter]")];
  const count = controls.querySelector("[data-count]");
  const heads = [...table.tHead.rows[0].cells];
  let sorted = null;

  const value = (row, index, numeric) => {
    const cell = row.cells[index];
    const raw = cell.dataset.value ?? cell.textContent.trim();
    return numeric ? (raw === "" ? NaN : Number(raw)) : raw;
  };

  // Unknown values come last in either direction; equal rows keep the order of the page.
  const compare = (index, numeric, sign) => (a, b) => {
    const x = value(a, index, numeric);
    const y = value(b, index, numeric);
    if (numeric) {
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
      return sign * (x - y);
    }
    return sign * x.localeCompare(y, document.documentElement.lang, { numeric: true });
  };

  const sort = (index, descending) => {
    const numeric = heads[index].dataset.sort === "number";
    const order = [...rows].sort(compare(index, numeric, descending ? -1 : 1));
    body.append(...order);
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[index].setAttribute("aria-sort", descending ? "descending" : "ascending");
    sorted = { index, descending };
  };

  const filter = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = boxes.filter((box) => box.checked).map((box) => box.dataset.filter);
    let shown = 0;
    for (const row of rows) {
      const content = `${row.textContent} ${row.id}`.toLowerCase();
      row.hidden = !(words.every((word) => content.includes(word)) && wanted.every((name) => row.dataset[name] === "yes"));
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = count.dataset.template.replace("{shown}", shown).replace("{total}", rows.length);
  };

  // The address holds what is shown, so that a view can be sent to somebody. Not in `q`: Material takes that
  // for a search of the site.
  const remember = () => {
    const query = new URLSearchParams();
    if (text.value) query.set("filter", text.value);
    for (const box of boxes) if (box.checked) query.set(box.dataset.filter, "1");
    if (sorted) query.set("sort", `${sorted.descending ? "-" : ""}${sorted.index}`);
    const search = query.toString();
    history.replaceState(null, "", `${location.pathname}${search ? `?${search}` : ""}${location.hash}`);
  };

  const recall = () => {
    const query = new URLSearchParams(location.search);
    text.value = query.get("filter") ?? "";
    for (const box of boxes) box.checked = query.has(box.dataset.filter);
    const match = /^(-?)(\d+)$/.exec(query.get("sort") ?? "");
    if (match && Number(match[2]) < heads.length) sort(Number(match[2]), match[1] === "-");
  };

  heads.forEach((head, index) => {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.sorter = "";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const first = "descending" in head.dataset;
      const again = sorted && sorted.index === index;
      sort(index, again ? !sorted.descending : first);
      remember();
    });
  });
  for (const input of [text, ...boxes]) {
    input.addEventListener("input", () => {
      filter();
      remember();
    });
  }
  controls.hidden = false;
  recall();
  filter();
})();
