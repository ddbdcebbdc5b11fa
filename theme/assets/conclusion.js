// What the comparison of two series says, in words: the difference, its interval, and what stands in its way.

import { element, fill } from "./figures.js";
import { welch } from "./statistics.js";

/** Lines about A minus B. A and B are {series, scale, workload}; texts come from the page. */
export function conclude(a, b, words, figures) {
  const result = welch(a.series, b.series);
  const difference = a.series.mean - b.series.mean;
  const relative = a.series.mean / b.series.mean - 1;
  const cautions = [
    a.scale === b.scale ? null : words.compare_other_scale,
    a.workload === b.workload ? null : words.compare_other_prompt,
    result && result.estimated ? words.estimated : null,
  ].filter(Boolean);
  return {
    result,
    verdict: verdict(result, words),
    difference: `${figures.signed(difference, 2)} ${words.tokens_per_second} (${figures.signedPercent(relative, 1)})`,
    interval: result && `${span(result, words, figures)} ${words.tokens_per_second}`,
    test: result && fill(words.welch_values, {
      t: figures.number(result.t, 2), degrees: figures.number(result.degrees, 1), p: figures.probability(result.p),
    }),
    cautions,
  };
}

function verdict(result, words) {
  if (!result) return words.cannot_compare;
  const text = result.shown
    ? fill(words.shown_difference, { sign: result.difference > 0 ? words.shown_faster : words.shown_slower })
    : words.no_difference;
  return result.estimated ? `${text} (${words.compare_estimate})` : text;
}

function span(result, words, figures) {
  return fill(words.interval, { low: figures.signed(result.low, 2), high: figures.signed(result.high, 2) });
}

const SPACE = "http://www.w3.org/2000/svg";

function drawn(name, attributes, ...content) {
  const node = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...content);
  return node;
}

/** The interval of a difference on an axis that holds zero: a drawing that only repeats the words beside it. */
export function drawDifference(result) {
  const [left, right] = [Math.min(result.low, 0), Math.max(result.high, 0)];
  const at = (value) => 8 + ((value - left) / (right - left || 1)) * 164;
  const [zero, middle] = [at(0), at(result.difference)].map((x) => x.toFixed(2));
  // However narrow the interval is, its ends stand apart from the mark of the mean.
  const low = Math.min(at(result.low), middle - 4).toFixed(2);
  const high = Math.max(at(result.high), +middle + 4).toFixed(2);
  const path = (kind, d) => drawn("path", { class: `oo-difference__${kind}`, d });
  return drawn(
    "svg", { class: "oo-difference", viewBox: "0 0 180 30", "aria-hidden": "true" },
    path("axis", "M2 10H178"),
    path("zero", `M${zero} 2V18`),
    path("interval", `M${low} 10H${high}M${low} 6v8M${high} 6v8`),
    path("mean", `M${middle} 3v14`),
    drawn("text", { class: "oo-difference__origin", x: zero, y: "28" }, "0"),
  );
}

/** Cautions as paragraphs. */
export const cautionsOf = (cautions) => cautions.map((text) => element("p", { class: "oo-note" }, text));
