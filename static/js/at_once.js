// A tap shows in the next frame, before the server has said what comes of it: what was pressed looks pressed, and
// a command stands in its slot, paler until it is confirmed. No rule is known here, and nothing is said aloud.
// planner.js loads it, and calls what it exports.
import { patience } from "./line.js";
import { isRow, planned } from "./row.js";

const REST = 200; // milliseconds

const preview = {
  filled: [], // parts of the page that show more than the server has confirmed, each with its children before
  // plans that were fetched ahead of taps: choice -> plan, for as long as the plan or the turn is this one
  ahead: { seen: "", turn: "", plans: new Map() },
  timer: 0, // runs while the thumb rests
  pays: true, // there are so few plans that they are sent
};

/** Shows these taps, in order, on the plan as it is now; marked, once they could not be sent. */
export function showTaps(taps) {
  const { activeElement: focus } = document;
  clear();
  const how = taps.some(({ unsent }) => unsent) ? "unsent" : "";
  foresee((preview.ahead.turn ? taps.at(-1) : taps[0])?.values.choose);
  for (const { values } of taps) press(values, how);
  if (isRow()) fill(planned(taps.map(({ values }) => values.choose).filter(Boolean)), how);
  if (!focus.isConnected) squareLike(focus)?.focus({ preventScroll: true });
}

function squareLike({ value }) {
  const all = [...document.querySelectorAll(".taps button")];
  return all.find((one) => one.value === value) ?? all[0];
}

function clear() {
  // what was sealed looks so until its envelope is there (planner.js), though the answer has come
  for (const one of document.querySelectorAll("html:not(.folding) [data-pressed]")) delete one.dataset.pressed;
  for (const [slot, stood] of preview.filled) {
    if (!("unsure" in slot.dataset)) continue; // an answer has come to it (stays.js)
    delete slot.dataset.unsure;
    slot.replaceChildren(...stood);
  }
  preview.filled = [];
}

// While the thumb rests, the page asks what the board would show after each tap that may come next.
const field = (name) => document.querySelector(`#live[data-seat] #plan [name=${name}]`)?.value;

/** True while the plans that were fetched are right: beside this plan, or for as long as the turn lasts. */
function isKnown() {
  const { ahead } = preview;
  if (!ahead.turn) return ahead.seen === field("seen");
  return ahead.turn === `${field("turn")}.${field("taken_back")}`;
}

function foresee(choose) {
  const plan = isKnown() && preview.ahead.plans.get(choose);
  if (!plan) return;
  for (const id of ["ghosts", "badges", "taps"]) {
    const now = document.getElementById(id), then = plan.querySelector(`#${id}`);
    // who goes from square to square by keys hears of each once, by its confirmed words
    if (!now || !then || now.querySelector(":focus-visible")) continue;
    preview.filled.push([now, [...now.childNodes]]);
    now.dataset.unsure = "";
    now.replaceChildren(...document.importNode(then, true).childNodes);
  }
}

async function lookAhead() {
  if (!preview.pays || !field("seen") || isKnown() || document.hidden || navigator.connection?.saveData) return;
  if (document.querySelector("#plan :is([name=sheet], [data-unsure])")) return; // guesses are not known there
  const headers = { "HX-Request": "true", "HX-Target": "ahead" };
  // past the browser's cache, which lets whatever else asks for this address wait until it has an answer
  const answer = await fetch(location.pathname, { headers, cache: "no-store", signal: patience() });
  if (answer.status !== 200) return;
  const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-seen]");
  const plans = [...(found?.querySelectorAll("template") ?? [])].map((one) => [one.dataset.choose, one.content]);
  if (found) preview.ahead = { seen: found.dataset.seen, turn: found.dataset.turn, plans: new Map(plans) };
  preview.pays = plans.length > 0; // else there are too many
}

function rest() {
  clearTimeout(preview.timer);
  preview.timer = setTimeout(() => lookAhead().catch(() => {}), REST); // without it the ghosts come with the answer
}
document.addEventListener("htmx:afterSettle", rest);
rest();

function press(values, how) {
  for (const [name, value] of Object.entries(values)) {
    const same = `[name="${CSS.escape(name)}"][value="${CSS.escape(value)}"]`;
    for (const one of document.querySelectorAll(`#plan button${same}, button[form=plan]${same}`)) {
      one.dataset.pressed = how;
    }
  }
}

function fill(contents, how) {
  for (const { slot, sign, icon } of contents) {
    if (sign === slot.dataset.sign) continue;
    preview.filled.push([slot, [...slot.childNodes]]);
    slot.dataset.unsure = how;
    slot.replaceChildren(slot.querySelector(".slot-number"), ...(icon ? [icon] : []));
  }
}

/** Sends off what waits as its page is left; the page that would be the answer is seen by nobody. */
export function leave(action, fields) {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) body.append(name, one);
  const headers = JSON.parse(document.body.dataset.hxHeaders);
  fetch(action, { method: "POST", body, headers, redirect: "manual", keepalive: true }).catch(() => {});
}

/** Says why a button cannot be used, where the thumb is. */
export function explain(button) {
  const words = document.getElementById(button.getAttribute("aria-describedby")) ?? button;
  // after a name and a colon
  const added = button.querySelector(".visually-hidden")?.textContent.match(/^\s*:\s*(.+)/s)?.[1];
  const name = button.dataset.name ?? button.getAttribute("aria-label"); // without what grid.js says besides
  const why = button === words ? added ?? name ?? button.textContent : words.textContent;
  const form = document.getElementById("plan");
  const dock = button.closest(".dock") ?? form.querySelector(".dock:not(.loose)") ?? form;
  document.getElementById("plan-why")?.remove();
  const there = words !== button && dock.contains(words); // the dock says it already
  const note = there ? words : Object.assign(document.createElement("p"), { id: "plan-why" });
  note.classList.add("missing", "refused");
  note.setAttribute("role", "alert");
  note.textContent = why.replace(/\s+/g, " ").trim(); // before it is there, or it would be read twice
  if (!there) [...dock.children].find((row) => row.contains(button))?.before(note);
  if (!note.isConnected) dock.prepend(note);
}
