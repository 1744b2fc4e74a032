// A plan that is a row of commands (row.js), tapped where there is no network (offline.js): what stands in the slots is
// changed here, as text. Only the server knows the outcome, so none is shown meanwhile. This script has no
// state: the slots on the page are all there is.
import { change, fill, free, keyOf, keys, read, slots } from "./row.js";

const FREE = ".", NEXT = "_"; // a free slot, and the one that is filled next, as orders write them

/** The row as an order that is not whole: `F . _ . X`. */
export function order() {
  return read().map(({ sign, next }) => sign || (next ? NEXT : FREE)).join(" ");
}

/** Does what a tap (`choose`) means; says which slots have changed, or what there is to say of it. */
export function tap(choose, words) {
  const all = slots(), contents = read();
  if (!change(contents, choose)) return "";
  if (keyOf(choose) && contents.every((one, n) => one.sign === all[n].dataset.sign)) return words.full;
  return show(contents, words);
}

/** Puts an order into the slots, if each of its commands is on a key or stands there already. */
export function write(text, words) {
  const before = read(), signs = text.split(/[\s,]+/);
  if (signs.length !== before.length) return;
  const known = (sign) => {
    const there = before.find((one) => one.sign === sign && one.owed);
    if (there) return { ...there, icon: there.icon?.cloneNode(true) };
    const found = [free()];
    if (keyOf(sign)) fill(found, keyOf(sign));
    return found[0];
  };
  const wanted = signs.map((sign) => {
    if ([FREE, NEXT].includes(sign)) return { ...free(), next: sign === NEXT };
    return known(sign);
  });
  if (wanted.every(({ sign }, n) => sign || [FREE, NEXT].includes(signs[n]))) show(wanted, words);
}

function show(contents, words) {
  const changed = [], full = contents.every(({ sign }) => sign);
  if (!full && !contents.some(({ next }) => next)) contents.find(({ sign }) => !sign).next = true;
  for (const [n, slot] of slots().entries()) {
    const { sign, owed, next, icon, name, label } = contents[n];
    if (sign !== slot.dataset.sign) changed.push(slot);
    slot.dataset.sign = sign;
    for (const [what, on] of Object.entries({ owed, next, free: !sign, noted: false })) {
      slot.classList.toggle(what, on);
    }
    const number = slot.dataset.slot, frame = name ? words.filled : sign ? label : words.free;
    slot.setAttribute("aria-label", frame.replace("{number}", number).replace("{name}", name).replace(/\d+/, number));
    slot.removeAttribute("aria-describedby");
    slot.replaceChildren(slot.querySelector(".slot-number"), ...(icon ? [icon] : []));
  }
  const wasFull = document.querySelector("#plan .palette[data-full]");
  if (wasFull && !full) open(wasFull);
  for (const one of document.querySelectorAll(OLD)) one.remove();
  bar(words.seal);
  return changed.map((slot) => slot.getAttribute("aria-label")).join(" ");
}

/** All slots were taken, and the keys said so. */
function open(palette) {
  delete palette.dataset.full;
  for (const key of keys()) {
    if ("takesAll" in key.dataset) continue;
    key.removeAttribute("aria-disabled");
    key.querySelector(".visually-hidden")?.remove();
  }
}

/** The server's words and drawings of the plan that stood there before. */
const OLD = "#ghosts > *, #badges > *, #plan :is(.plan-words, .slot-notes) > *, #plan :is(.practice, .why)";

/** The plan cannot be sealed here; `why` stands where it says what else is missing. */
export function bar(why) {
  const button = document.querySelector("#plan button[name=seal]");
  const missing = document.getElementById("plan-missing") ?? document.createElement("p");
  missing.id = "plan-missing";
  missing.className = "missing";
  missing.textContent = why;
  if (!missing.isConnected) document.querySelector("#plan .plan-notes").prepend(missing);
  button.setAttribute("aria-disabled", "true");
  button.setAttribute("aria-describedby", missing.id);
}
