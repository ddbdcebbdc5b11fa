// Numbers and sentences in the language of the page, as the pages themselves write them.

const MINUS = "\u2212";
const NO_BREAK = "\u00a0";
export const UNKNOWN = "—";

/** Numbers of one language. */
export function figuresOf(language) {
  const french = language.startsWith("fr");
  const formats = new Map();
  const format = (digits) => {
    if (!formats.has(digits)) {
      const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
      formats.set(digits, new Intl.NumberFormat(french ? "fr-FR" : "en-GB", options));
    }
    return formats.get(digits);
  };
  const number = (value, digits = 0) => {
    if (value === null || value === undefined) return UNKNOWN;
    // As text, so that halves are rounded by the decimal that is written and not by its binary neighbour.
    const text = format(digits).format(String(value));
    return text.startsWith("-") ? (/[1-9]/.test(text) ? MINUS : "") + text.slice(1) : text;
  };
  const signed = (value, digits = 0) => {
    const text = number(value, digits);
    return text.startsWith(MINUS) || !/[1-9]/.test(text) ? text : `+${text}`;
  };
  const percent = (fraction, digits = 1) =>
    fraction === null ? UNKNOWN : `${number(fraction * 100, digits)}${french ? NO_BREAK : ""}%`;
  const signedPercent = (fraction, digits = 1) => `${signed(fraction * 100, digits)}${french ? NO_BREAK : ""}%`;
  const probability = (p) =>
    p < 0.001 ? `<${NO_BREAK}${number(0.001, 3)}` : `=${NO_BREAK}${number(p, p < 0.1 ? 3 : 2)}`;
  const gigabytes = (value) => (value === null ? UNKNOWN : `${number(value, 1)}${NO_BREAK}${french ? "Go" : "GB"}`);
  return { number, signed, percent, signedPercent, probability, gigabytes };
}

/** A text with its {parameters} filled in. */
export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (mark, name) => (name in values ? String(values[name]) : mark));
}

/** An element with attributes and children; texts stay texts. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}
