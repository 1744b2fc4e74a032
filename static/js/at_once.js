// A tap shows in the next frame, before the server has said what comes of it: what was pressed looks pressed, and
// a command stands in its slot, paler until it is confirmed. No rule is known here, and nothing is said aloud.
import { isRow, planned } from "./row.js";

let filled = []; // the slots that show more than the server has said, with what stood in them

/** Shows these taps (their values, in order) on the plan as it is now; without any, the plan as it is. */
export function showTaps(taps) {
  clear();
  for (const values of taps) press(values);
  if (isRow()) fill(planned(taps.map(({ choose }) => choose).filter(Boolean)));
}

function clear() {
  for (const one of document.querySelectorAll("[data-pressed]")) delete one.dataset.pressed;
  for (const [slot, stood] of filled) {
    delete slot.dataset.unsure;
    slot.replaceChildren(...stood);
  }
  filled = [];
}

function press(values) {
  for (const [name, value] of Object.entries(values)) {
    const same = `[name="${CSS.escape(name)}"][value="${CSS.escape(value)}"]`;
    for (const one of document.querySelectorAll(`#plan button${same}, button[form=plan]${same}`)) {
      one.dataset.pressed = "";
    }
  }
}

function fill(made) {
  for (const { slot, sign, icon } of made) {
    if (sign === slot.dataset.sign) continue;
    filled.push([slot, [...slot.childNodes]]);
    slot.dataset.unsure = "";
    slot.replaceChildren(slot.querySelector(".slot-number"), ...(icon ? [icon] : []));
  }
}
