// Up to four rows of the leaderboard side by side, each against the first.

import { conclude, cautionsOf, drawDifference } from "./conclusion.js";
import { element, fill } from "./figures.js";

const LEFT_OUT = new Set(["rank", "app"]);

/** The table of the chosen rows. `remove` is called with the id of a row that is to leave. */
export function drawPanel({ heads, chosen, words, figures, page, remove }) {
  const columns = chosen.map((found) => head(found, words, remove));
  const body = [differences(chosen, words, figures, page)];
  heads.forEach((column, index) => {
    if (LEFT_OUT.has(column.dataset.key)) return;
    const cells = chosen.map(({ row }) => element("td", {}, [...row.cells[index].childNodes].map((node) => node.cloneNode(true))));
    body.push(element("tr", {}, element("th", { scope: "row" }, column.textContent), cells));
  });
  return element(
    "table", { class: "oo-table oo-side" },
    element("thead", {}, element("tr", {}, element("td"), columns)),
    element("tbody", {}, body),
  );
}

function head({ row, id }, words, remove) {
  const link = row.querySelector("a").cloneNode(true);
  const name = `${link.textContent}, ${id.split("/")[1]}`;
  const button = element("button", { type: "button", class: "oo-side__remove", "aria-label": fill(words.compare_remove, { name }) }, "×");
  button.addEventListener("click", () => remove(id));
  return element("th", { scope: "col" }, link, " ", button, element("small", {}, id.split("/")[1]));
}

function differences(chosen, words, figures, page) {
  const [first, ...others] = chosen;
  const cells = others.map((found) => {
    const said = conclude(comparable(found), comparable(first), words, figures);
    const address = `${page}?a=${found.id}&b=${first.id}`;
    return element(
      "td", {},
      element("strong", {}, said.verdict), element("br"), said.difference,
      said.interval && [element("br"), element("small", {}, said.interval), drawDifference(said.result)],
      cautionsOf(said.cautions),
      element("a", { href: address }, words.compare_details),
    );
  });
  return element("tr", {}, element("th", { scope: "row" }, words.comparison_difference), element("td", {}, words.compare_base), cells);
}

function comparable({ row, series }) {
  const { hardware, prompt, concurrency, depth } = row.dataset;
  return { series, scale: `${hardware} ${concurrency}`, workload: `${prompt} ${depth}` };
}
