// A button that has the focus, and comes again with an answer, stays in the page and takes on what is new: one that came
// in its place would be read out once more. What stands around it is swapped as ever.
import { htmx } from "./line.js";

const next = {
  plan: null, // what an answer brings in place of the planner,
  taps: null, // or of the squares that can be tapped
  focus: null, // the button that stays
  button: null, // the one that comes in its place
};

const within = (root, kind) => (root?.contains(document.activeElement) ? document.activeElement.closest(kind) : null);

/** Takes out of an answer what the page puts in place itself. On the window: all others have said whether it is swapped. */
function take({ detail }, nameOf) {
  const plan = document.getElementById("plan"), taps = document.getElementById("taps");
  if (detail.target !== plan || !detail.shouldSwap || detail.swapOverride?.includes("transition")) return;
  const box = document.createElement("template");
  box.innerHTML = detail.serverResponse;
  const its = box.content.getElementById("plan"), focus = within(plan, "button:not([data-hx-preserve] *)");
  const button = focus && [...(its?.querySelectorAll("button") ?? [])].find((one) => nameOf(one) === nameOf(focus));
  if (button && pathOf(button, its) === pathOf(focus, plan)) {
    its.remove();
    Object.assign(next, { plan: its, focus, button });
    detail.swapOverride = "none";
  } else {
    next.taps = taps?.querySelector("[role=row]") && within(taps, "[data-square]") && box.content.getElementById("taps");
    if (!next.taps) return;
    next.taps.remove();
  }
  detail.serverResponse = box.innerHTML;
}

const pathOf = (one, root) => (one === root ? "" : `${pathOf(one.parentElement, root)} ${one.localName}`);

function put() {
  const { plan, taps, focus, button } = next;
  Object.assign(next, { plan: null, taps: null });
  const old = document.getElementById("plan");
  if (plan) {
    for (const one of plan.querySelectorAll("[data-hx-preserve]")) {
      const same = old.querySelector(`#${CSS.escape(one.id)}`);
      if (same) one.replaceWith(same);
    }
    graft(old, plan, focus, button);
    htmx.process(old);
  }
  if (taps) fill(document.getElementById("taps"), taps);
}

/** Makes `old` what `fresh` is, and keeps of it what has the focus and lies around that. */
function graft(old, fresh, focus, button) {
  takeOn(old, fresh);
  if (old === focus) return old.replaceChildren(...fresh.childNodes);
  const holds = (all, one) => all.findIndex((node) => node.contains(one));
  const mine = old.childNodes[holds([...old.childNodes], focus)], all = [...fresh.childNodes], at = holds(all, button);
  graft(mine, all[at], focus, button);
  for (const node of [...old.childNodes]) if (node !== mine) node.remove();
  mine.before(...all.slice(0, at));
  mine.after(...all.slice(at + 1));
}

function takeOn(old, fresh) {
  for (const name of old.getAttributeNames()) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
}

/** Puts new buttons on the squares of the grid (grid.js names them). */
function fill(grid, taps) {
  for (const cell of grid.querySelectorAll("[data-square]")) {
    const place = cell.className.split(" ").filter((one) => /^(col|row)-/.test(one)).join(".");
    const fresh = [...taps.querySelectorAll(`.${place}`)], old = within(cell, "button");
    if (!old || fresh.length !== 1) cell.replaceChildren(...fresh);
    else {
      takeOn(old, fresh[0]);
      old.replaceChildren(...fresh[0].childNodes);
    }
  }
}

/** `nameOf` says by which name a control is known in the next state of the page (live.js). */
export function begin(nameOf) {
  addEventListener("htmx:beforeSwap", (event) => take(event, nameOf));
  document.addEventListener("htmx:afterSwap", put, true); // before grid.js and live.js look
}
