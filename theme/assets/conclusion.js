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

/** The interval of a difference against zero, as a drawing that only repeats the words beside it. */
export function drawDifference(result) {
  const reach = Math.max(Math.abs(result.low), Math.abs(result.high)) * 1.08;
  const x = (value) => (100 + (value / reach) * 98).toFixed(2);
  const shape = (kind, d) => {
    const path = document.createElementNS(SPACE, "path");
    path.setAttribute("class", kind);
    path.setAttribute("d", d);
    return path;
  };
  const drawing = document.createElementNS(SPACE, "svg");
  drawing.setAttribute("class", "oo-difference");
  drawing.setAttribute("viewBox", "0 0 200 16");
  drawing.setAttribute("aria-hidden", "true");
  drawing.append(
    shape("oo-difference__zero", "M100 0V16"),
    shape("oo-difference__interval", `M${x(result.low)} 8H${x(result.high)}M${x(result.low)} 4v8M${x(result.high)} 4v8`),
    shape("oo-difference__mean", `M${x(result.difference)} 3v10`),
  );
  return drawing;
}

/** Cautions as paragraphs. */
export const cautionsOf = (cautions) => cautions.map((text) => element("p", { class: "oo-note" }, text));
