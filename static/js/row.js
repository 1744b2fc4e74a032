// A plan that is a row of commands, tapped where there is no network: what stands in the slots is changed
// here, as text. What would come of it only the server knows, so nothing of that is shown meanwhile.
const FREE = ".", NEXT = "_"; // a free slot, and the one that is filled next, as orders write them

const row = () => document.querySelector("#plan [data-row]");
const slots = () => [...(row()?.querySelectorAll("button[data-slot]") ?? [])];
const keys = () => [...document.querySelectorAll("#plan .palette button[data-sign]")];
const keyOf = (sign) => keys().find((key) => key.dataset.sign === sign);
let due = []; // the slots that a command which takes them all took from what is owed

/** Whether the planner of this page is such a row. */
export const isRow = () => slots().length > 0;

/** What stands in each slot: its sign, or "" where it is free; whether it is owed; its drawing. */
function read() {
  return slots().map((slot) => ({
    sign: slot.dataset.sign,
    owed: slot.matches(".owed"),
    next: slot.matches(".next"),
    icon: slot.querySelector(".icon:not(.slot-mark)"),
    label: slot.ariaLabel,
  }));
}

const free = () => ({ sign: "", owed: false, next: false, icon: null, label: "" });

/** The row as an order that is not whole: `F . _ . X`. */
export function order() {
  return read().map(({ sign, next }) => sign || (next ? NEXT : FREE)).join(" ");
}

/** Does what a tap (`choose`) means; says which slots have changed, or what there is to say of it. */
export function tap(choose, words) {
  const all = slots(), made = read();
  if (!change(made, choose)) return "";
  if (keyOf(choose) && made.every((one, n) => one.sign === all[n].dataset.sign)) return words.full;
  return show(made, words);
}

/** Each slot with the sign and the drawing that these taps would leave in it; nothing on the page changes. */
export function planned(chosen) {
  const made = read(), wasDue = due;
  for (const choose of chosen) change(made, choose);
  due = wasDue;
  return slots().map((slot, n) => ({ slot, sign: made[n].sign, icon: made[n].icon }));
}

/** Whether the tap means anything to the row. */
function change(made, choose) {
  const key = keyOf(choose);
  let at = slots().findIndex((slot) => slot.value === choose);
  if (choose === "back") at = made.findLastIndex(({ sign, owed }) => sign && !owed);
  if (key) fill(made, key);
  else if (at >= 0) takeOut(made, at);
  return Boolean(key) || at >= 0;
}

function fill(made, key) {
  const { sign } = key.dataset, icon = key.querySelector(".icon");
  const name = key.querySelector(".key-name").textContent.trim();
  const command = () => ({ ...free(), sign, icon: icon.cloneNode(true), name });
  if ("takesAll" in key.dataset) {
    if (made.some((one) => one.sign !== sign)) due = made.filter((one) => one.owed);
    return made.splice(0, made.length, ...made.map(command));
  }
  const next = made.findIndex((one) => one.next);
  const at = next < 0 ? made.findIndex((one) => !one.sign) : next;
  if (at >= 0) made[at] = command();
}

/** A command comes out, and its slot is the next to fill; what is owed changes places with its left. */
function takeOut(made, at) {
  for (const one of made) one.next = false;
  if (made[at].owed) {
    const left = made.map((_, n) => (at - 1 - n + made.length) % made.length);
    const other = left.find((n) => !made[n].owed);
    if (other !== undefined) [made[at], made[other]] = [made[other], made[at]];
  } else if ("takesAll" in (keyOf(made[at].sign)?.dataset ?? {})) {
    const rest = made.length - due.length;
    made.splice(0, made.length, ...made.map((_, n) => (n < rest ? free() : due[n - rest])));
  } else made[at] = { ...free(), next: true };
}

/** Puts an order into the slots, if each of its commands is on a key or stands there already. */
export function write(text, words) {
  const made = read(), signs = text.split(/[\s,]+/);
  if (signs.length !== made.length) return;
  const known = (sign) => {
    const there = made.find((one) => one.sign === sign && one.owed);
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

function show(made, words) {
  const changed = [], full = made.every(({ sign }) => sign);
  if (!full && !made.some(({ next }) => next)) made.find(({ sign }) => !sign).next = true;
  for (const [n, slot] of slots().entries()) {
    const { sign, owed, next, icon, name, label } = made[n];
    if (sign !== slot.dataset.sign) changed.push(slot);
    slot.dataset.sign = sign;
    for (const [what, on] of Object.entries({ owed, next, free: !sign, noted: false })) {
      slot.classList.toggle(what, on);
    }
    const number = slot.dataset.slot, said = name ? words.filled : sign ? label : words.free;
    slot.ariaLabel = said.replace("{number}", number).replace("{name}", name).replace(/\d+/, number);
    slot.removeAttribute("aria-describedby");
    slot.replaceChildren(slot.querySelector(".slot-number"), ...(icon ? [icon] : []));
  }
  const wasFull = document.querySelector("#plan .palette[data-full]");
  if (wasFull && !full) open(wasFull);
  for (const one of document.querySelectorAll(OLD)) one.remove();
  bar(words.seal);
  return changed.map((slot) => slot.ariaLabel).join(" ");
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

/** What the server said of the plan that stood there before. */
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
