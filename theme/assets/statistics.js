// Welch's test in the browser, by the same formulas as scripts/market/statistics.py, which the tests compare it with.
// A series is {n, mean, deviation, estimated}; units are those of the runs.

const CONFIDENCE = 0.95;

/** A minus B without assuming equal variances; null when either has no deviation, or neither varies. */
export function welch(a, b) {
  if (a.deviation === null || b.deviation === null || a.n < 2 || b.n < 2) return null;
  const va = a.deviation ** 2 / a.n;
  const vb = b.deviation ** 2 / b.n;
  if (va + vb === 0) return null;
  const error = Math.sqrt(va + vb);
  const degrees = (va + vb) ** 2 / (va ** 2 / (a.n - 1) + vb ** 2 / (b.n - 1));
  const difference = a.mean - b.mean;
  const t = difference / error;
  const half = quantile(0.5 + CONFIDENCE / 2, degrees) * error;
  const p = 2 * tail(Math.abs(t), degrees);
  return {
    difference, low: difference - half, high: difference + half, t, degrees, p,
    estimated: a.estimated || b.estimated, shown: p < 1 - CONFIDENCE,
  };
}

/** The 95 % interval of the mean as [low, high]; null without a deviation. */
export function interval({ n, mean, deviation }) {
  if (deviation === null || n < 2) return null;
  const half = (quantile(0.5 + CONFIDENCE / 2, n - 1) * deviation) / Math.sqrt(n);
  return [mean - half, mean + half];
}

/** P(T > t) for Student's t, t >= 0. */
export function tail(t, degrees) {
  const square = t * t;
  return 0.5 * incompleteBeta(degrees / 2, 0.5, degrees / (degrees + square), square / (degrees + square));
}

/** The t with P(T <= t) = probability, for 0.5 <= probability < 1, by bisection. */
export function quantile(probability, degrees) {
  let low = 0;
  let high = 1;
  while (tail(high, degrees) > 1 - probability) high *= 2;
  for (let step = 0; step < 200; step += 1) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (tail(middle, degrees) > 1 - probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Regularised incomplete beta function I_x(a, b), with y = 1 - x given as well (NIST DLMF 8.17.22). */
function incompleteBeta(a, b, x, y) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(y));
  if (x < (a + 1) / (a + b + 2)) return (front * continuedFraction(a, b, x)) / a;
  return 1 - (front * continuedFraction(b, a, y)) / b;
}

/** Lentz's evaluation of its continued fraction. */
function continuedFraction(a, b, x) {
  const tiny = 1e-300;
  const safe = (value) => (Math.abs(value) > tiny ? value : tiny);
  let c = 1;
  let d = 1 / safe(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m < 1000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const numerator of [even, odd]) {
      d = 1 / safe(1 + numerator * d);
      c = safe(1 + numerator / c);
      result *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return result;
}

// Lanczos's approximation, g = 7 with nine terms; good to 15 digits for the arguments that occur here (>= 0.5).
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function logGamma(value) {
  const x = value - 1;
  let sum = LANCZOS[0];
  for (let index = 1; index < LANCZOS.length; index += 1) sum += LANCZOS[index] / (x + index);
  const t = x + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum);
}
