// A film is a <section data-film> with a board whose frames are drawn already. This shows them one by one. The frame
// that is shown is to be read from the page; `films` has only what moves.
//
// On the section:
//   data-before, data-after      where the film goes on before and after this turn: "film:turn" asks for it
//   data-past, data-now          later turns follow; the number of the last one
//   data-better                  the seat whose better order is drawn before the first step (reviews)
//   data-plays                   it plays by itself as soon as the page is there
//   data-fresh                   its last step has not been drawn yet: the page gives nothing of it away; "told": it
//                                has been, and is to be read (suspense.js)
//   data-waits                   it waits for whoever writes in the talk (waiting_film.js)
//   data-told                    the id of the element with the table and the sentences, if not in .page
//   class at-first, at-last      on its first frame, on its last one
//   class playing                while it plays
//   class lingering              it has come to its last frame, and nobody has moved on yet (`present`)
// In it, or in the same .page:
//   [data-back] [data-play] [data-forward]   buttons or links
//   [data-tick="n"]              a link to frame n
//   [data-turn-link="…"]         a link to another turn; with data-turn-plays it is played from there
//   select[data-speed]           filled here
//   [data-step="n"]              a column of the table, or the signs on step n
//   input[data-shown-step]       has the number of the step shown
//   [data-sentence-step="n"]     what happened in step n
//   .frame[data-brief]           a step that needs no stop after it (planner.js)
//   [data-film-live]             hears the sentences of the step shown
// On the pieces of a frame:
//   data-piece                   the same piece in two frames has the same; named by its square, it also has
//   data-was                     its name a step before
//   data-from="x y"              where it comes from, if it did not stand there
//   opacity="0"                  it has left the board
//   <path data-way="…">          the corners of the way of the piece with that name
//
// Every step sends "film:step" from the section, with { number, last, before, takes }, and a way to another turn
// "film:turn", with { at, playing } (docs/scripts.md).

import { keep, kept, say } from "./kept.js";

const STEP = 1100; // milliseconds at speed 1
const OPENING = 1100;

const films = {
  timers: new WeakMap(), // section that plays -> timer of its next step
  running: new WeakMap(), // section -> the animations of its step: asking the page for them would lay it out
  covering: [], // animations that hide the words of a step until its beam is seen
  touch: null, // a finger on a board: { film, x, y }
};

const still = matchMedia("(prefers-reduced-motion: reduce)");

const frames = (film) => [...film.querySelectorAll(".frame[data-frame]")];
const numberOf = (element) => Number(element.dataset.frame);
const isShown = (frame) => !frame.hidden && frame.getAttribute("display") !== "none";
const set = (frame, shown) => {
  if (!(frame instanceof SVGElement)) frame.hidden = !shown;
  else if (shown) frame.removeAttribute("display");
  else frame.setAttribute("display", "none");
};
// a turn's first step follows the last one of the turn before, unless something is drawn on what was before it
const first = (film) => (film.dataset.before && !film.dataset.better ? 1 : 0);
const page = (film) => document.getElementById(film.dataset.told) ?? film.closest(".page") ?? film;

/** The number of the frame that is shown. */
export function current(film) {
  return numberOf(frames(film).find(isShown) ?? { dataset: { frame: "0" } });
}

/** The number of the last frame. */
export function last(film) {
  return Math.max(0, ...frames(film).map(numberOf));
}

/** Show frame `number` of `film`; animate from the frame before it unless `cut`. */
export function show(film, number, { cut = false, silent = false } = {}) {
  const all = frames(film);
  const next = all.find((frame) => numberOf(frame) === number);
  if (!next) return;
  const before = all.find(isShown);
  for (const frame of all) set(frame, frame === next);
  for (const running of films.running.get(film) ?? []) running.cancel();
  const moves = before && before !== next && !cut && !still.matches;
  const running = moves ? animate(before, next, { steps: number - numberOf(before), speed: speed() }) : [];
  films.running.set(film, running);
  mark(film, number, silent);
  // the board in words follows, and what is counted on it
  for (const words of document.querySelectorAll("div[data-words]")) words.hidden = Number(words.dataset.words) !== number;
  for (const cover of films.covering) cover.cancel();
  // no hit is told before its beam
  const late = moves && number > numberOf(before) && next.querySelector(".effect.late");
  const words = late ? page(film).querySelectorAll("[data-film-live], li.current, .current .cell-mark") : [];
  const hide = (one) => one.animate([{ color: "#0000" }, { color: "#0000" }, {}], STEP / speed());
  films.covering = Array.from(words, hide);
  film.classList.toggle("lingering", !cut && !silent && film.classList.contains("at-last"));
  // `before` is the frame from which it moves, `takes` the milliseconds until it is drawn
  const detail = { number, last: last(film), before: moves && before, takes: moves ? STEP / speed() : 0 };
  film.dispatchEvent(new CustomEvent("film:step", { bubbles: true, detail }));
}

/** Play from the frame that is shown, on through later turns; from the beginning if it is the last of all. */
export function play(film) {
  if (films.timers.has(film)) return;
  if (current(film) >= last(film)) {
    if (film.dataset.after) return turn(film, film.dataset.after, true);
    show(film, numberOf(frames(film)[0]), { cut: true, silent: true });
  }
  const next = () => {
    if (!film.isConnected) return pause(film);
    if (current(film) < last(film)) show(film, current(film) + 1);
    else return turn(film, film.dataset.after, true);
    if (current(film) >= last(film) && !film.dataset.after) return pause(film);
    films.timers.set(film, setTimeout(next, (STEP + 700) / speed()));
  };
  label(film, true);
  films.timers.set(film, setTimeout(next, opening(film)));
}

// A turn that is new begins with its programs: their envelopes open (lists.css), and what was sealed with
// them is said, as long as it takes to read. Milliseconds until the first step.
function opening(film) {
  if (current(film) || film.dataset.fresh !== "") return 150;
  const rows = [...page(film).querySelectorAll(".programs [class^=side]")];
  const messages = [...page(film).querySelectorAll(".programs .word")];
  const words = messages.map((one) => one.textContent.trim()).join(" ");
  const live = page(film).querySelector("[data-film-live]");
  if (live && words && live.textContent !== words) { // an update may have come meanwhile
    live.textContent = words;
    say(words);
  }
  for (const row of speed() === 1 ? [] : rows) {
    for (const one of row.getAnimations({ subtree: true })) one.playbackRate = speed();
  }
  const opens = rows.length > 1 && !still.matches ? OPENING : 150;
  return (opens + words.length * 45) / speed();
}

/** Stop where it is. */
export function pause(film) {
  clearTimeout(films.timers.get(film));
  films.timers.delete(film);
  label(film, false);
}

/** Show the last step of the last turn at once. */
export function present(film) {
  if ("past" in film.dataset) turn(film, film.dataset.now);
  else show(film, last(film), { cut: true, silent: true });
}

/** Asks the page for another turn (`at` is as in `?at=`), to be played if `playing`. */
function turn(film, at, playing = false) {
  pause(film);
  if (at) film.dispatchEvent(new CustomEvent("film:turn", { bubbles: true, detail: { at, playing } }));
}

/** Get the films inside `root` ready: paused on the frame that is shown. */
export function prepare(root = document) {
  const films = [...root.querySelectorAll("[data-film]")];
  if (root.matches?.("[data-film]")) films.push(root);
  for (const film of films) {
    if (film.dataset.film === "ready") continue;
    film.dataset.film = "ready";
    for (const control of film.querySelectorAll("[data-film-controls], [data-play]")) control.hidden = false;
    remember(film);
    label(film, false);
    mark(film, current(film), true);
  }
  if (films.length) requestAnimationFrame(noteMoves); // the page is laid out once, for its next frame
}

/** Says what happens in the step shown, as if it had just been shown. */
export function tellStep(film) {
  if (current(film) && !film.classList.contains("at-last")) mark(film, current(film), false);
}

/** Fills the choice of the speed in `root` (for all films of the browser). */
export function remember(root) {
  const select = root.querySelector("select[data-speed]");
  if (!select) return;
  for (const times of [0.5, 1, 2, 4]) {
    select.add(new Option(`${times === 0.5 ? "½" : times} ×`, times, times === 1, times === 1));
  }
  const speed = kept("speed");
  if ([...select.options].some((one) => one.value === speed)) select.value = speed;
  select.addEventListener("change", () => keep("speed", select.value));
}

/** How fast it plays: 1 is the usual speed. */
export function speed() {
  return Number(kept("speed")) || 1;
}

function mark(film, number, silent) {
  const atLast = number >= last(film) && !("past" in film.dataset);
  film.classList.toggle("at-last", atLast);
  film.classList.toggle("at-first", number === 0);
  if (atLast ? silent : film.dataset.fresh === "told") delete film.dataset.fresh;
  for (const tick of film.querySelectorAll("[data-tick]")) {
    const n = Number(tick.dataset.tick);
    tick.classList.toggle("past", n < number);
    if (n === number) tick.setAttribute("aria-current", "step");
    else tick.removeAttribute("aria-current");
  }
  for (const field of film.querySelectorAll("[data-shown-step]")) field.value = number;
  dim(film, "back", number <= 0 && !film.dataset.before);
  dim(film, "forward", number >= last(film) && !film.dataset.after);
  for (const cell of page(film).querySelectorAll("[data-step]")) {
    const lit = Number(cell.dataset.step) === number;
    cell.classList.toggle("current", lit);
    if (cell.scope === "col" && lit) cell.setAttribute("aria-current", "step");
    else cell.removeAttribute("aria-current");
  }
  const sentences = [];
  for (const sentence of page(film).querySelectorAll("[data-sentence-step]")) {
    const lit = Number(sentence.dataset.sentenceStep) === number;
    sentence.classList.toggle("current", lit);
    if (lit) sentences.push(sentence);
  }
  const live = page(film).querySelector("[data-film-live]");
  if (!live || silent) return;
  if (sentences.length) say(`${leadOf(film, number)} ${sentences.map(told).join(" ")}`);
  const words = sentences.map((one) => one.textContent.trim()).join(" ");
  // which step it is of one goes without saying to the eye
  const step = last(film) > 1 ? "" : words.match(/^\S+\s+\d+\s+/)?.[0] ?? "";
  const heard = Object.assign(document.createElement("span"), { className: "visually-hidden", textContent: step });
  live.replaceChildren(...(step ? [heard] : []), ...messages(film, number), words.slice(step.length));
}

const nameOf = (tick) => tick?.getAttribute("aria-label") ?? "";

/** What leads the sentences of a step: the turn, as it begins to play, and the name of a step that was asked for. */
function leadOf(film, number) {
  const plays = film.matches(".playing"), step = nameOf(film.querySelector("[data-tick][aria-current]"));
  const review = film.matches(".watch") ? film.querySelector("svg.board").getAttribute("aria-label") : "";
  const shown = (page(film).querySelector(".turn-shown") ?? film.querySelector(".rounds strong"))?.textContent ?? review;
  const turn = shown.split("·")[0].trim(), names = [!step.startsWith(turn) || plays ? turn : "", plays || last(film) < 2 ? "" : step];
  const lead = names.map((one) => one.replace(/\s+/g, " ").trim()).filter(Boolean).join(", ");
  return lead && (number < 2 || !plays) ? `${lead}:` : "";
}

/** The sentences of a step, without its number where its name says it. */
function told(one) {
  const all = [...one.querySelectorAll(".sentence")];
  return all.length ? all.map((part) => part.textContent.trim()).join(" ") : one.textContent.trim();
}

/** With the last step, what was sealed with the orders: it stands over the sentences as long as they are read. It is
 * not said aloud again: a film of a new turn begins with it (`opening`), and it stands beside the programs. */
function messages(film, number) {
  const said = number < last(film) ? [] : [...page(film).querySelectorAll("#happened .word")];
  return said.map((one) => {
    const line = document.createElement("b");
    line.className = "said-here";
    line.setAttribute("aria-hidden", "true");
    line.append(one.textContent.trim().replace(/\s+/g, " "), " ");
    return line;
  });
}

function dim(film, name, off) {
  for (const control of film.querySelectorAll(`[data-${name}]`)) {
    control.setAttribute("aria-disabled", String(off));
    control.tabIndex = off ? -1 : 0;
    // a link that led nowhere when the page came has no address, and without one no key presses it
    if (!off && control.localName === "a" && !control.hasAttribute("href")) control.setAttribute("href", "#film");
  }
}

function label(film, running) {
  film.classList.toggle("playing", running);
  for (const button of film.querySelectorAll("[data-play]")) {
    const words = running ? button.dataset.pauseName ?? "Pause" : button.dataset.playName ?? "Play";
    button.querySelector("use")?.setAttribute("href", running ? "#ctl-pause" : "#ctl-play");
    if (button.querySelector("svg")) button.setAttribute("aria-label", words);
    else button.textContent = words;
  }
}

// Movement and turning come first, then the attacks from where that leads: the rules' own order within a
// step.
function animate(before, next, { steps, speed }) {
  const running = [];
  const animates = (one, keyframes, timing) => running.push(one.animate(keyframes, timing));
  const forward = steps > 0;
  const duration = (forward ? STEP : STEP / 2) / speed;
  const moves = { duration: duration * 0.6, easing: "ease-in-out", fill: "backwards" };
  for (const piece of next.querySelectorAll("[data-piece]")) {
    const old = same(before, piece, steps);
    if (!old) continue;
    const from = (forward && piece.dataset.from && point(piece.dataset.from)) || place(old);
    const to = place(piece);
    const bump = forward && next.querySelector(`[data-kind="bump"][data-side="${sideOf(piece)}"] [data-to]`);
    if (bump) animates(piece, nudge(to, bump), moves);
    else if (from.x !== to.x || from.y !== to.y) {
      animates(piece, along([from, ...(forward ? corners(next, piece) : []), to]), moves);
    }
    const turn = piece.querySelector(".turn");
    const start = turn ? degrees(old) : 0, end = turn ? degrees(piece) : 0;
    const way = ((((end - start) % 360) + 540) % 360) - 180;
    if (way) {
      animates(turn, [{ transform: `rotate(${end - way}deg)` }, { transform: `rotate(${end}deg)` }], moves);
    }
    const tag = piece.querySelector(".tag"), oldTag = old.querySelector(".tag");
    if (way && tag && oldTag) {
      animates(tag, [{ transform: translate(place(oldTag)) }, { transform: translate(place(tag)) }], moves);
    }
  }
  if (!forward) return running;
  for (const flip of next.querySelectorAll(".flip")) turnOver(flip, duration, animates);
  for (const effect of next.querySelectorAll(".effect")) {
    const delay = duration * (effect.classList.contains("late") ? 0.6 : 0.3);
    animates(effect, [{ opacity: 0 }, { opacity: 1 }], { duration: duration * 0.2, delay, fill: "backwards" });
  }
  return running;
}

// A piece that turns over has two children: as it was, and as it is.
function turnOver({ children: [old, now] }, duration, animates) {
  const half = duration * 0.4;
  const timing = { duration: half, delay: half, easing: "ease-in-out", fill: "backwards" };
  const wide = { transform: "scaleX(1)", visibility: "visible" };
  const thin = { transform: "scaleX(0)", visibility: "visible" };
  animates(old, [wide, { ...thin, offset: 0.5 }, { ...thin, visibility: "hidden" }], timing);
  animates(now, [thin, { ...thin, offset: 0.5 }, wide], timing);
}

/** The piece as it stood in the frame that was shown, or null. */
export function same(before, { dataset: { piece, was } }, steps) {
  const find = (key, value) => before.querySelector(`[data-${key}="${CSS.escape(value)}"]`);
  const old = (steps === -1 && find("was", piece)) || find("piece", (steps === 1 && was) || piece);
  return steps < 0 && old?.dataset.from ? null : old;
}

const numbers = (text) => (text.match(/-?[\d.]+/g) ?? []).map(Number);
const degrees = (piece) => numbers(piece.querySelector(".turn").getAttribute("transform"))[0];
const sideOf = (piece) => [...piece.classList].find((name) => name.startsWith("side-")).slice(5);
const translate = ({ x, y }) => `translate(${x}px, ${y}px)`;

const place = (element) => point(element.getAttribute("transform"));

function point(text) {
  const [x, y] = numbers(text);
  return { x, y };
}

function corners(frame, { dataset: { piece } }) {
  const all = numbers(frame.querySelector(`[data-way="${CSS.escape(piece)}"]`)?.getAttribute("d") ?? "");
  return all.flatMap((x, n) => (n % 2 ? [] : [{ x, y: all[n + 1] }])).slice(1, -1);
}

// The same speed all the way.
function along(points) {
  let distance = 0;
  const far = points.map(
    (to, n) => (distance += n && Math.hypot(to.x - points[n - 1].x, to.y - points[n - 1].y)),
  );
  return points.map((point, n) => ({ transform: translate(point), offset: far[n] / distance, opacity: 1 }));
}

function nudge(at, bump) {
  const [x, y] = numbers(bump.dataset.from), [x2, y2] = numbers(bump.dataset.to);
  const against = { x: at.x + (x2 - x) * 0.22, y: at.y + (y2 - y) * 0.22 };
  return [
    { transform: translate(at) },
    { transform: translate(against), offset: 0.6 },
    { transform: translate(at) },
  ];
}

function go(film, number) {
  pause(film);
  const first = numberOf(frames(film)[0]);
  show(film, Math.min(last(film), Math.max(first, number)));
}

const ACTIONS = {
  first: (film) => go(film, 0),
  back: (film) => {
    if (current(film) <= first(film) && film.dataset.before) return turn(film, film.dataset.before);
    return go(film, current(film) - 1);
  },
  play: (film) => (films.timers.has(film) ? pause(film) : play(film)),
  forward: (film) => {
    if (current(film) >= last(film) && film.dataset.after) return turn(film, film.dataset.after);
    return go(film, current(film) + 1);
  },
  last: (film) => go(film, last(film)),
};

const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play" };

document.addEventListener("click", (event) => {
  const film = event.target.closest?.("[data-film]");
  if (!film || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const tick = event.target.closest("[data-tick]"), link = event.target.closest("[data-turn-link]");
  const name = Object.keys(ACTIONS).find((action) => event.target.closest(`[data-${action}]`));
  if (!tick && !name && !link) return;
  event.preventDefault();
  if (link) turn(film, link.dataset.turnLink, "turnPlays" in link.dataset);
  else if (tick) go(film, Number(tick.dataset.tick));
  else ACTIONS[name](film);
});

// Arrows work anywhere on a page with one film, unless something else wants them; the other keys only inside
// it.
document.addEventListener("keydown", (event) => {
  const action = KEYS[event.key];
  const modified = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
  if (!action || event.defaultPrevented || modified) return;
  if (event.target.closest("input, select, textarea, [contenteditable], [data-keys]")) return;
  const arrows = event.key.startsWith("Arrow");
  const all = document.querySelectorAll("[data-film]");
  const only = arrows && event.target === document.body && all.length === 1 ? all[0] : null;
  const film = event.target.closest("[data-film]") ?? only;
  if (!film) return;
  if (event.key === " " && event.target.closest("button, a, summary")) return;
  event.preventDefault();
  ACTIONS[action](film);
});

// The script that explains what is drawn comes after the page, or with the first tap, which is passed to it.
const what = document.querySelector("[data-what]");
const meet = (tap) => what && import("./what.js").then(({ begin }) => begin(what, tap), () => {});
addEventListener("click", meet, { once: true, capture: true });
setTimeout(meet, 2000);

// A swipe of one finger leads from step to step. While the page is zoomed in, or under two fingers, it moves the
// page, as everywhere else.
const isZoomed = () => (window.visualViewport?.scale ?? 1) > 1.01;
const scrolls = (board) => board.scrollWidth > board.clientWidth + 1; // a wide board within its frame
function noteMoves() {
  document.documentElement.classList.toggle("zoomed", isZoomed());
  for (const board of document.querySelectorAll("[data-film] .board-sheet")) {
    board.classList.toggle("scrolls", scrolls(board));
  }
}
window.visualViewport?.addEventListener("resize", noteMoves);

document.addEventListener("pointerdown", (event) => {
  const board = event.pointerType === "touch" && event.target.closest?.("[data-film] .board-sheet");
  const swipes = board && event.isPrimary && !isZoomed() && !scrolls(board);
  films.touch = swipes ? { film: board.closest("[data-film]"), x: event.clientX, y: event.clientY } : null;
});
document.addEventListener("pointercancel", () => (films.touch = null));
document.addEventListener("pointerup", (event) => {
  const { touch } = films;
  if (!touch || isZoomed()) return;
  const dx = event.clientX - touch.x, dy = event.clientY - touch.y;
  if (Math.abs(dx) > 40 && Math.abs(dx) > 2 * Math.abs(dy)) ACTIONS[dx < 0 ? "forward" : "back"](touch.film);
  films.touch = null;
});
