// A plan that is a row of commands (the slots of #plan): what taps do to it, as far as that is known without the rules.
// at_once.js shows this until the server has answered; offline_row.js writes it on the page where there is no network.

const row = {
  due: [], // the owed slots that a command which takes all slots has covered
};

const table = () => document.querySelector("#plan [data-row]");

export const slots = () => [...(table()?.querySelectorAll("button[data-slot]") ?? [])];
export const keys = () => [...document.querySelectorAll("#plan .palette button[data-sign]")];
export const keyOf = (sign) => keys().find((key) => key.dataset.sign === sign);

/** True if the planner of this page is such a row. */
export const isRow = () => slots().length > 0;

/** The content of each slot: its sign, or "" where it is free; whether it is owed, and filled next; its drawing. */
export function read() {
  return slots().map((slot) => ({
    sign: slot.dataset.sign,
    owed: slot.matches(".owed"),
    next: slot.matches(".next"),
    icon: slot.querySelector(".icon:not(.slot-mark)"),
    label: slot.getAttribute("aria-label"),
  }));
}

/** The content of a free slot. */
export const free = () => ({ sign: "", owed: false, next: false, icon: null, label: "" });

/** Each slot with the sign and the drawing that these taps would leave in it; nothing on the page changes. */
export function planned(chosen) {
  const contents = read(), { due } = row;
  for (const choose of chosen) change(contents, choose);
  row.due = due;
  return slots().map((slot, n) => ({ slot, sign: contents[n].sign, icon: contents[n].icon }));
}

/** Changes `contents` as a tap would; false if the tap means nothing to the row. */
export function change(contents, choose) {
  const key = keyOf(choose);
  const at = choose === "back"
    ? contents.findLastIndex(({ sign, owed }) => sign && !owed)
    : slots().findIndex((slot) => slot.value === choose);
  if (key) fill(contents, key);
  else if (at >= 0) takeOut(contents, at);
  return Boolean(key) || at >= 0;
}

/** Puts the command of a key into the next slot, or into all of them. */
export function fill(contents, key) {
  const { sign } = key.dataset, icon = key.querySelector(".icon");
  const name = key.querySelector(".key-name").textContent.trim();
  const command = () => ({ ...free(), sign, icon: icon.cloneNode(true), name });
  if ("takesAll" in key.dataset) {
    if (contents.some((one) => one.sign !== sign)) row.due = contents.filter((one) => one.owed);
    return contents.splice(0, contents.length, ...contents.map(command));
  }
  const next = contents.findIndex((one) => one.next);
  const at = next < 0 ? contents.findIndex((one) => !one.sign) : next;
  if (at >= 0) contents[at] = command();
}

/** A command comes out, and its slot is the next to fill; what is owed changes places with its left. */
function takeOut(contents, at) {
  for (const one of contents) one.next = false;
  if (contents[at].owed) {
    const left = contents.map((_, n) => (at - 1 - n + contents.length) % contents.length);
    const other = left.find((n) => !contents[n].owed);
    if (other !== undefined) [contents[at], contents[other]] = [contents[other], contents[at]];
  } else if ("takesAll" in (keyOf(contents[at].sign)?.dataset ?? {})) {
    const rest = contents.length - row.due.length;
    contents.splice(0, contents.length, ...contents.map((_, n) => (n < rest ? free() : row.due[n - rest])));
  } else contents[at] = { ...free(), next: true };
}
