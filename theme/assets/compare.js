// The page that compares any two series: ?a=app/report&b=app/report. One file of data, read once.

import { conclude, cautionsOf, drawDifference } from "./conclusion.js";
import { element, figuresOf, fill, UNKNOWN } from "./figures.js";
import { settings } from "./settings.js";
import { interval } from "./statistics.js";
import { followInOtherLanguages, remember } from "./view.js";

const place = document.querySelector("[data-compare]");
const form = place.querySelector("[data-pair]");
const result = place.querySelector("[data-result]");
const said = place.querySelector("[data-said]");
const words = JSON.parse(place.dataset.words);
const names = JSON.parse(place.dataset.names);
const language = document.documentElement.lang;
const figures = figuresOf(language);
const series = new Map();

const keyOf = (row) => `${row.app}/${row.report}`;
const named = (row) => `${row.report}, ${row.app_version ?? words.version_not_stated}`;
const titleOf = (row) => row.title[language.slice(0, 2)] ?? row.app;
const asked = () => ["a", "b"].map((name) => new URLSearchParams(location.search).get(name) ?? "");

function comparable(row) {
  const estimated = row.s_n_minus_1 === null && row.s_estimated !== null;
  return {
    series: { n: row.n, mean: row.mean_tokens_per_second, deviation: row.s_n_minus_1 ?? row.s_estimated, estimated },
    scale: `${row.hardware} ${row.concurrency ?? 1}`,
    workload: `${row.prompt} ${row.depth_tokens}`,
  };
}

function draw() {
  const keys = asked();
  [form.elements.a, form.elements.b].forEach((field, index) => {
    const chosen = series.get(keys[index]);
    field.value = chosen ? keys[index] : "";
    // What a narrow field cuts off.
    field.nextElementSibling.textContent = chosen ? named(chosen) : "";
  });
  const unknown = keys.filter((key) => key && !series.has(key));
  const [a, b] = keys.map((key) => series.get(key));
  document.querySelector("[data-scriptless]").hidden = true;
  result.replaceChildren(
    ...unknown.map((name) => element("p", { class: "oo-note" }, fill(words.compare_unknown, { name }))),
    ...(a && b ? (a === b ? [element("p", {}, words.compare_same_twice)] : both(a, b)) : []),
  );
  followInOtherLanguages();
}

function both(a, b) {
  const found = conclude(comparable(a), comparable(b), words, figures);
  said.textContent = `${found.verdict}. ${found.difference}`;
  const facts = [
    [words.comparison_result, element("strong", {}, found.verdict)],
    [words.comparison_difference, found.difference],
    [words.comparison_interval, found.interval && [found.interval, drawDifference(found.result)]],
    [words.comparison_test, found.test],
  ].filter(([, value]) => value);
  const list = facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)));
  const { differing, shared } = settings(a, b, { words, names, figures, language });
  const alike = fill(words.compare_agrees, { n: shared.length });
  return [
    element("dl", { class: "oo-list" }, list),
    ...cautionsOf(found.cautions),
    sideBySide(a, b),
    element("h2", { id: "differs" }, words.compare_differs),
    differing.length ? table(words.compare_differs, [words.compare_value, titleOf(a), titleOf(b)], differing) : element("p", {}, words.compare_no_difference),
    element(
      "details", { class: "oo-protocol" },
      element("summary", {}, alike),
      table(alike, [words.compare_value, words.compare_first, words.compare_second], shared),
    ),
  ];
}

function sideBySide(a, b) {
  const number = (name) => (row) => figures.number(row[name], 2);
  const ends = (row) => {
    const found = row.s_n_minus_1 === null ? null : interval(comparable(row).series);
    return found ? fill(words.interval, { low: figures.number(found[0], 2), high: figures.number(found[1], 2) }) : UNKNOWN;
  };
  const lines = [
    [words.stat_mean, number("mean_tokens_per_second")], [words.stat_ci, ends], [words.stat_s, number("s_n_minus_1")],
    [words.board_n, (row) => String(row.n)], [words.stat_median, number("median")],
    [words.stat_min, number("min")], [words.stat_max, number("max")],
    [words.stat_acceptance, (row) => figures.percent(row.acceptance)],
    [words.board_vram, (row) => figures.gigabytes(row.vram_peak_gb ?? row.vram_gb)],
    [words.compare_runs, (row) => row.runs.map((run) => figures.number(run, 2)).join(" · ") || words.board_summary_only],
    [words.compare_shipped, (row) => words[row.matches_shipped]],
  ];
  const body = lines.map(([name, of]) => [name, of(a), of(b)]);
  return table(words.tokens_per_second, [words.tokens_per_second, a, b], body);
}

function table(label, heads, body) {
  const column = (text) => element("th", { scope: "col" }, typeof text === "string" ? text : heading(text));
  return element(
    "div", { class: "oo-scroll", tabindex: "0", role: "region", "aria-label": label },
    element(
      "table", { class: "oo-table oo-side" },
      element("thead", {}, element("tr", {}, heads.map(column))),
      element("tbody", {}, body.map(([name, ...cells]) =>
        element("tr", {}, element("th", { scope: "row" }, name), cells.map((cell) => element("td", {}, cell))))),
    ),
  );
}

function heading(row) {
  const root = place.dataset.source.replace(/[^/]*$/, "");
  const link = element("a", { href: `${root}apps/${row.app}/#${row.anchor}` }, titleOf(row));
  return [link, element("small", {}, named(row))];
}

function offer(rows) {
  const groups = Map.groupBy ? Map.groupBy(rows, (row) => row.app) : grouped(rows);
  for (const field of [form.elements.a, form.elements.b]) {
    field.append(element("option", { value: "" }, words.compare_choose));
    for (const own of [...groups.values()].sort((x, y) => titleOf(x[0]).localeCompare(titleOf(y[0]), language))) {
      const options = own.map((row) =>
        element("option", { value: keyOf(row) }, `${titleOf(row)}, ${row.report} (${figures.number(row.mean_tokens_per_second, 2)})`));
      field.append(element("optgroup", { label: titleOf(own[0]) }, options));
    }
  }
}

function grouped(rows) {
  const groups = new Map();
  for (const row of rows) groups.set(row.app, [...(groups.get(row.app) ?? []), row]);
  return groups;
}

function go(a, b) {
  const query = [a && `a=${a}`, b && `b=${b}`].filter(Boolean).join("&");
  remember(query && `?${query}`, true);
  draw();
}

async function start() {
  const reply = await fetch(place.dataset.source);
  if (!reply.ok) throw new Error(`${reply.status}`);
  const { rows } = await reply.json();
  for (const row of rows) series.set(keyOf(row), row);
  offer(rows);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => go(form.elements.a.value, form.elements.b.value));
  place.querySelector("[data-swap]").addEventListener("click", () => go(form.elements.b.value, form.elements.a.value));
  addEventListener("popstate", draw);
  form.hidden = false;
  draw();
}

start().catch(() => result.replaceChildren(element("p", {}, words.compare_failed)));
