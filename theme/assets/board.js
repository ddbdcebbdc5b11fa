// The leaderboard's controls: sort, filter, search, choose rows to compare. The table is complete without them.
// Everything that is shown follows from one view, and the view is in the address.

import { askedFor, listenTo, placeControls, showView } from "./controls.js";
import { figuresOf, fill, element } from "./figures.js";
import { drawPanel } from "./panel.js";
import { order, passes, readRow } from "./rows.js";
import { followInOtherLanguages, MOST, readView, remember, writeView } from "./view.js";

const frame = document.querySelector("[data-board-frame]");
const find = (mark) => frame.querySelector(`[data-${mark}]`);
const table = find("board");
const form = find("controls");
const words = JSON.parse(frame.dataset.words);
const figures = figuresOf(document.documentElement.lang);
const heads = [...table.tHead.rows[0].cells];
const place = new Map(heads.map((head, index) => [head.dataset.key, index]));
const groups = [...table.tBodies].map((body) => ({
  body,
  head: body.querySelector("[data-scale]"),
  rows: [...body.querySelectorAll("[data-id]")].map(readRow),
}));
const rows = groups.flatMap((group) => group.rows);
const byId = new Map(rows.map((found) => [found.id, found]));

let view = readView("");

function value(found, key) {
  const cell = found.row.cells[place.get(key)];
  const raw = cell.dataset.value ?? cell.textContent.trim();
  if (heads[place.get(key)].dataset.sort !== "number") return raw;
  return raw === "" ? NaN : Number(raw);
}

function sorting() {
  const key = view.sort.replace(/^-/, "");
  if (!place.has(key)) return null;
  return { key, descending: view.sort.startsWith("-"), numeric: heads[place.get(key)].dataset.sort === "number" };
}

/** The page itself is in the order of the speed, within each scale. */
const AS_WRITTEN = { key: "speed", descending: true };

function drawRows() {
  const by = sorting();
  const told = by ?? AS_WRITTEN;
  let shown = 0;
  for (const { body, head, rows: own } of groups) {
    const sorted = by ? order(own, by, value, document.documentElement.lang) : own;
    let left = 0;
    for (const found of own) {
      found.row.hidden = !passes(found, view, value);
      left += found.row.hidden ? 0 : 1;
    }
    arrange(body, [...(head ? [head] : []), ...sorted.map((found) => found.row)]);
    body.hidden = left === 0;
    shown += left;
  }
  for (const head of heads) {
    if (head.dataset.key === told.key) head.setAttribute("aria-sort", told.descending ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
  find("count").textContent = fill(words.board_shown, { shown, total: rows.length });
  find("none").hidden = shown > 0;
  table.hidden = shown === 0;
}

/** Only where the order changes: an element that is put in again loses the focus. */
function arrange(body, wanted) {
  if (wanted.some((row, index) => body.rows[index] !== row)) body.append(...wanted);
}

function drawChoice() {
  const chosen = view.compare.map((id) => byId.get(id));
  for (const found of rows) {
    found.box.checked = view.compare.includes(found.id);
    found.row.classList.toggle("oo-board__chosen", found.box.checked);
  }
  find("picked").hidden = chosen.length === 0;
  find("show").hidden = chosen.length < 2;
  find("picked-count").textContent =
    chosen.length === 1 ? words.compare_picked_one : fill(words.compare_picked, { n: chosen.length });
  find("panel").hidden = chosen.length < 2;
  const parts = { heads, chosen, words, figures, page: frame.dataset.comparePage, remove: (id) => choose(id, false) };
  find("panel-table").replaceChildren(...(chosen.length < 2 ? [] : [drawPanel(parts)]));
}

function change(changes, step = true) {
  view = { ...view, ...changes };
  if (step !== null) remember(writeView(view), step);
  showView(form, view, figures);
  drawRows();
  drawChoice();
}

/** Only what exists: an address may name columns and rows that are gone. */
function recall() {
  const asked = askedFor(form);
  if (!place.has(asked.sort.replace(/^-/, ""))) asked.sort = "";
  asked.compare = asked.compare.filter((id) => byId.has(id));
  change(asked, null);
  followInOtherLanguages();
}

function choose(id, wanted) {
  if (wanted && view.compare.length === MOST) {
    drawChoice();
    find("picked-count").textContent = words.board_four;
    return;
  }
  change({ compare: wanted ? [...view.compare, id] : view.compare.filter((other) => other !== id) });
}

function addSorters() {
  for (const head of heads) {
    const button = element("button", { type: "button", "data-sorter": true }, [...head.childNodes]);
    head.append(button);
    button.addEventListener("click", () => {
      const first = "descending" in head.dataset;
      const now = sorting() ?? AS_WRITTEN;
      const descending = now.key === head.dataset.key ? !now.descending : first;
      change({ sort: `${descending ? "-" : ""}${head.dataset.key}` });
    });
  }
}

function addBoxes() {
  for (const found of rows) {
    const name = `${found.row.querySelector("a").textContent}, ${found.id.split("/")[1]}`;
    found.box = element("input", { type: "checkbox", "aria-label": fill(words.board_pick, { name }) });
    found.box.addEventListener("change", () => choose(found.id, found.box.checked));
    found.row.cells[0].prepend(found.box);
  }
}

function listenToChoice() {
  find("clear").addEventListener("click", () => change({ compare: [] }));
  find("show").addEventListener("click", () => {
    find("panel").scrollIntoView({ block: "start" });
    find("panel-head").focus({ preventScroll: true });
  });
}

addSorters();
addBoxes();
listenTo(form, change);
listenToChoice();
addEventListener("popstate", recall);
placeControls(frame, form, find("drawer"));
form.hidden = false;
find("how").hidden = false;
recall();
