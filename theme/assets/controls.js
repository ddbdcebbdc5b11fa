// The form of the leaderboard: its fields as a view, and where it stands.

import { element } from "./figures.js";
import { readView } from "./view.js";

const AMOUNTS = ["context", "vram"];
const NAMES = ["engine", "family", "hardware", "prompt"];

/** Show a view in the fields. The field that somebody types in is left alone. */
export function showView(form, view, figures) {
  for (const field of form.elements) {
    if (!field.name) continue;
    if (field.name === "can") field.checked = view.can.includes(field.value);
    else if (field.type === "checkbox") field.checked = view[field.name];
    else if (field !== document.activeElement || field.type !== "search") setField(field, view[field.name], figures);
  }
}

/** An address may ask for an amount that the list does not offer, such as context=100000. */
function setField(field, wanted, figures) {
  const isAmount = wanted && AMOUNTS.includes(field.name);
  if (isAmount && ![...field.options].some((option) => option.value === wanted)) {
    field.append(element("option", { value: wanted }, figures.number(Number(wanted))));
  }
  field.value = wanted;
  if (field.tagName === "SELECT" && field.selectedIndex < 0) field.selectedIndex = 0;
}

/** The view that the address asks for, less engines, families and amounts that do not exist. */
export function askedFor(form) {
  const asked = readView(location.search);
  const known = (name) => [...(form.elements[name]?.options ?? [])].some((option) => option.value === asked[name]);
  for (const name of NAMES) if (!known(name)) asked[name] = "";
  for (const name of AMOUNTS) if (!/^\d{1,9}$/.test(asked[name])) asked[name] = "";
  return asked;
}

/** Call `change` with what a field changes, and whether that is a step of its own; typing is none. */
export function listenTo(form, change) {
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target: { name, value, type, checked } }) => {
    if (name === "can") change({ can: [...form.querySelectorAll("[name=can]:checked")].map((box) => box.value) }, true);
    else change({ [name]: type === "checkbox" ? checked : value }, type !== "search");
  });
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    const { compare: _, ...nothing } = readView("");
    change(nothing, true);
    form.elements.filter.value = "";
  });
}

/** On a phone the results come first: the controls follow them, in the page and for a keyboard alike. */
export function placeControls(frame, form, drawer) {
  const narrow = matchMedia("(max-width: 44.984375em)");
  const move = () => {
    drawer.open = !narrow.matches;
    if (narrow.matches) frame.append(form);
    else frame.prepend(form);
  };
  form.querySelector("[data-close]").addEventListener("click", () => {
    drawer.open = false;
    frame.scrollIntoView();
    drawer.querySelector("summary").focus({ preventScroll: true });
  });
  narrow.addEventListener("change", move);
  move();
}
