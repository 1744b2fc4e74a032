// What is what: a tap on anything drawn says in a sentence what it is, unless the tap does something; a long press
// always does, and so does the key ? for what has the focus. The link [data-what] opens the list of what is to be seen.
// The sentences come from its address when the first of them is asked for; each has the selectors of what is drawn so
// (templates/games/<game>/things.html). film.js loads it and hands the link over.
import { say as sayAloud } from "./kept.js";
import { within } from "./line.js";

const PRESS = 600, SLOP = 10; // milliseconds, pixels
const ASIDE = 6; // pixels between a thing and the outer edge of its ring
const FINGER = 22; // pixels: what is smaller is as easy to tap as this
const PLACES = "[data-film], #planner, #happened, .what-if, .review";
const USED = "a, button, input, select, textarea, label, summary";
// A slow finger on these means what a quick one does: nothing is drawn there that could be asked about.
const PLAIN = ".primary, .secondary, .quiet, .onward, input, select, textarea, label, summary";

const note = Object.assign(document.createElement("p"), { className: "what-says visually-hidden", id: "what-says" });
document.body.append(note);

const what = {
  link: null, // to the list, as the page brought it
  loading: null, // the promise of the list
  known: null, // the list, once it is there
  shown: null, // the element that the sentence is about
  press: null, // a finger or a mouse that is down: where, and the timer
  isHeld: false, // it was long: what comes of it is not a tap
  panel: null, // the list, while it is open
};

/** The list, which is fetched once; a failure is forgotten. */
function load() {
  what.loading ??= fetch(what.link.href, { headers: { "HX-Request": "true" }, signal: within(20_000) })
    .then((answer) => (answer.ok ? answer.text() : Promise.reject(answer)))
    .then(read);
  what.loading.catch(() => (what.loading = null));
  return what.loading;
}

const isBefore = (item) => Number("before" in item.dataset); // of two that are drawn alike, it counts

async function read(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const style = document.importNode(page.querySelector("link"));
  await new Promise((done) => {
    style.onload = style.onerror = done;
    document.head.append(style);
  });
  const list = document.importNode(page.getElementById("things"), true);
  const all = [...list.querySelectorAll("[data-drawn]")];
  all.sort((one, other) => isBefore(other) - isBefore(one));
  const said = (item) => item.querySelector(".thing-says").textContent.trim();
  // of a list in :is() a browser leaves out the selectors that it does not know
  what.known = all.map((item) => ({ item, drawn: `:is(${item.dataset.drawn})`, says: said(item) }));
  what.known.list = list;
  return what.known;
}

const isSeen = (one) => one.checkVisibility?.({ opacityProperty: true, visibilityProperty: true }) ?? true;

/** The thing at a point of the page: `is` of the list, drawn by the element `at`; undefined if there is none. */
function find(list, target, x, y) {
  const board = target.closest(".board-sheet");
  return board ? onBoard(list, board, x, y) : beside(list, target);
}

// On a board the smallest of all that the point lies in.
function onBoard(list, board, x, y) {
  const found = list.flatMap((is, rank) =>
    [...board.querySelectorAll(is.drawn)].flatMap((at) => {
      const box = at.getBoundingClientRect();
      const width = Math.max(box.width, FINGER), height = Math.max(box.height, FINGER);
      const aside = Math.abs(x - box.x - box.width / 2) * 2, above = Math.abs(y - box.y - box.height / 2) * 2;
      const isThere = box.width + box.height && aside <= width && above <= height;
      return isThere ? [{ is, at, rank, size: width * height, off: Math.hypot(aside, above) }] : [];
    }),
  );
  found.sort((one, other) => one.size - other.size || one.off - other.off || one.rank - other.rank);
  return found.find(({ at }) => isSeen(at));
}

// Beside it the innermost around the point; within a button or a cell of a table all of it.
function beside(list, target) {
  for (let at = target; at && at !== document.body; at = at.parentElement) {
    const is = list.find(({ drawn }) => at.matches(drawn));
    if (is) return { is, at };
    if (!at.matches(`${USED}, td, .slot`)) continue;
    for (const one of list) {
      const inner = at.querySelector(one.drawn);
      if (inner) return { is: one, at: inner };
    }
  }
}

/** The name of the thing itself, as a sentence, where it has one: whose pig it is, what a tap on that square does. */
function nameOf(at, target) {
  const piece = at.closest("[data-piece]");
  const title = piece?.querySelector("title")?.textContent.replace(/\s+/g, " ").replaceAll(" ,", ",").trim();
  const square = piece?.dataset.piece.match(/^[a-p]\d+$/)?.[0];
  const name = title ?? target.closest(".tap")?.getAttribute("aria-label") ?? square;
  return name && `${name}.`;
}

async function explain(target, x, y) {
  const list = what.known ?? (await load().catch(() => null));
  const found = list && target.isConnected && find(list, target, x, y);
  if (!found) return;
  const { is, at } = found;
  say([toDo(at), nameOf(at, target), is.says].filter(Boolean).join(" "), at, { x, y });
}

/** What the planner waits for, for a tap on the bare ground of a board on which it takes taps. */
const toDo = (at) =>
  at.matches("[data-film].at-last:not(.lingering) .ground *") &&
  at.closest("[data-film]").querySelector(".taps button") &&
  document.querySelector("#plan .missing:not(.refused)")?.textContent.trim();

function say(words, at, point) {
  close();
  what.shown = at;
  note.textContent = words;
  sayAloud(words);
  note.classList.remove("visually-hidden");
  const box = at.getBoundingClientRect(), board = at.closest(".board-sheet")?.getBoundingClientRect();
  const isGround = board && box.width > board.width / 2 && box.height > board.height / 2;
  if (!isGround) ring(box);
  place(isGround ? new DOMRect(point.x, point.y) : box);
}

// Below the thing, or above it where there is no room, in what is to be seen of the page.
function place(box) {
  const view = visualViewport, dock = document.querySelector("#plan .dock")?.getBoundingClientRect();
  const right = view.offsetLeft + view.width - note.offsetWidth - 8;
  const end = view.offsetTop + view.height;
  const floor = (dock && box.bottom < dock.top ? Math.min(dock.top, end) : end) - note.offsetHeight - 4;
  const over = box.top - note.offsetHeight - 8;
  const top = box.bottom + 8 <= floor || over < view.offsetTop ? Math.min(box.bottom + 8, floor) : over;
  const left = box.left + box.width / 2 - note.offsetWidth / 2;
  put(note, Math.max(view.offsetLeft + 8, Math.min(left, right)), Math.max(top, view.offsetTop));
}

function put(one, left, top) {
  one.style.left = `${left + scrollX}px`;
  one.style.top = `${top + scrollY}px`;
}

function ring(box) {
  const one = Object.assign(document.createElement("div"), { className: "what-ring" });
  one.style.width = `${box.width + 2 * ASIDE}px`;
  one.style.height = `${box.height + 2 * ASIDE}px`;
  put(one, box.left - ASIDE, box.top - ASIDE);
  document.body.append(one);
}

const unring = () => document.querySelectorAll(".what-ring").forEach((one) => one.remove());

function close() {
  unring();
  what.shown = null;
  note.textContent = "";
  note.classList.add("visually-hidden");
}

// ---- taps and long presses ----

addEventListener("pointerdown", (event) => {
  release();
  what.isHeld = false;
  if (!event.isPrimary || event.button || !event.target.closest?.(PLACES)) return;
  if (event.target.closest(PLAIN)) return;
  const { target, clientX: x, clientY: y } = event;
  what.press = { x, y, timer: setTimeout(hold, PRESS, target, x, y) };
}, true);
addEventListener("pointermove", ({ clientX, clientY }) => {
  const { press } = what;
  if (press && Math.hypot(clientX - press.x, clientY - press.y) > SLOP) release();
}, true);
for (const type of ["pointerup", "pointercancel", "scroll"]) addEventListener(type, release, true);

function release() {
  clearTimeout(what.press?.timer);
  what.press = null;
}

function hold(target, x, y) {
  what.press = null;
  what.isHeld = !what.known || Boolean(find(what.known, target, x, y));
  if (what.isHeld) explain(target, x, y);
}

const stop = (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
};
addEventListener("contextmenu", (event) => what.isHeld && stop(event), true);

// While the film shows another step, a tap on a board with squares to tap plays it on (planner.js).
const plays = (target) =>
  document.querySelector(".taps button") && target.closest("[data-film]:is(:not(.at-last), .lingering) .board-sheet");

addEventListener("click", (event) => {
  if (what.isHeld && event.detail) {
    what.isHeld = false;
    return stop(event);
  }
  tapped(event);
}, true);

/** Explains the thing that was tapped, unless the tap does something; a tap elsewhere takes the sentence away. */
function tapped(event) {
  const { shown: before, known } = what, { target, clientX, clientY } = event;
  close();
  if (!target.closest?.(PLACES) || target.closest(USED) || plays(target)) return;
  // a newcomer's tap beside a speech bubble goes on to the next one
  const bubble = target.closest("#film .board-sheet") && document.querySelector("#bubbles.one button");
  if (bubble && isSeen(bubble)) return bubble.click();
  if (event.ctrlKey || event.metaKey || event.shiftKey || !getSelection().isCollapsed) return;
  const again = before && known && find(known, target, clientX, clientY)?.at;
  // the same once more, or the ground beside it: it goes
  if (again && (again === before || again.matches(".ground *"))) return;
  explain(target, clientX, clientY);
}

const start = performance.now();

/** Takes the page's link, and hears of a `tap` that may have come before this script. */
export function begin(named, tap) {
  what.link = named;
  restore();
  if (tap?.timeStamp < start) tapped(tap);
}

// ---- keys ----

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && (what.shown || what.panel)) {
    if (what.shown) close();
    else fold();
    return event.preventDefault();
  }
  const { target } = event;
  if (event.key !== "?" || !target.closest(PLACES) || target.closest("input, select, textarea")) return;
  event.preventDefault();
  const { x, y, width, height } = target.getBoundingClientRect();
  explain(target, x + width / 2, y + height / 2);
});
// When its thing has moved on, or belongs to another page, the sentence goes too.
document.addEventListener("film:step", () => (what.shown?.closest("[data-film]") ? close() : unring()));
document.addEventListener("htmx:afterSwap", ({ target }) => (target.matches?.("#live, #film") ? close() : unring()));
document.addEventListener("htmx:afterSettle", restore);

// An update leaves the link out, or brings another one.
function restore() {
  if (what.link.isConnected) return;
  const anew = document.querySelector("[data-what]");
  if (anew) what.link = anew;
  else document.querySelector("[data-film] > .words")?.before(what.link);
}

// ---- the list ----

async function openList(event) {
  const { link } = what;
  if (!link.contains(event.target) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (what.panel) return fold();
  const list = await load().catch(() => null);
  if (list) unfold(list);
  else location.assign(link.href);
}

/** All that is to be seen of a thing, which may be drawn as an earlier one in the list, and is that then. */
function drawings(one) {
  const all = [...document.querySelectorAll(PLACES)].flatMap((place) => [...place.querySelectorAll(one.drawn)]);
  return [...new Set(all)].filter((at) => isSeen(at) && what.known.find(({ drawn }) => at.matches(drawn)) === one);
}

function unfold(list) {
  const { link } = what, panel = document.createElement("section");
  what.panel = panel;
  panel.className = "what-list";
  panel.tabIndex = -1;
  panel.setAttribute("aria-labelledby", "what-list");
  const title = Object.assign(document.createElement("h2"), { id: "what-list", textContent: link.textContent });
  const away = document.createElement("button");
  Object.assign(away, { type: "button", textContent: list.list.dataset.close });
  const more = Object.assign(document.createElement("a"), { href: link.href, textContent: list.list.dataset.more });
  const head = document.createElement("header");
  head.append(title, more, away);
  away.addEventListener("click", fold);
  for (const one of list) one.item.parentElement.hidden = !drawings(one).length;
  panel.append(head, list.list);
  document.body.append(panel);
  document.documentElement.style.scrollPaddingBottom = `${panel.offsetHeight}px`; // nothing is shown under it
  panel.focus();
}

function fold() {
  what.panel.remove();
  what.panel = null;
  document.documentElement.style.scrollPaddingBottom = "";
  close();
  what.link.focus({ preventScroll: true });
}

function point(event) {
  const one = what.known?.find(({ item }) => item === event.target.closest?.(".what-list [data-drawn]"));
  if (!one) return;
  unring();
  const all = drawings(one);
  const { top, bottom } = all[0]?.getBoundingClientRect() ?? {};
  if (top < 0 || bottom > what.panel.getBoundingClientRect().top) all[0].scrollIntoView({ block: "center" });
  for (const at of all.slice(0, 24)) ring(at.getBoundingClientRect());
}
document.addEventListener("focusin", point);
document.addEventListener("click", (event) => {
  openList(event);
  point(event);
});
