// Nothing is told before it is drawn. What an attack does to a piece is seen once the attack is; how a match ended, once
// the film's last step is drawn; and at a desk that step is read before the planner, or what comes after the match,
// takes its place.
import { say } from "./kept.js";
import { present, same, speed } from "./film.js";

const READ = "#live > .lingering:not(.supposed)"; // a film whose last step is to be read
const PAUSE = 2500, LETTER = 45; // milliseconds for which it stands, and those to read a letter
const AGAIN = 4000; // milliseconds after which it looks whether a message is still being written
const AIMING = 1200; // milliseconds after a pointer has moved there in which nothing goes from under it
const REST = 4000; // milliseconds after the end in which a tap on the next match is answered by a question
const MOVES = 0.6; // the part of a step in which pieces move (film.js)
const still = matchMedia("(prefers-reduced-motion: reduce)");
const narrow = matchMedia("(max-width: 40rem)");

const isOver = () => Boolean(document.querySelector("#live[data-over]"));

const held = {
  timer: 0, // until the last step is drawn, then until it is read
  looks: [], // animations of pieces that look as they did before the step
  isOver: isOver(),
  restUntil: 0, // when the button for the next match takes a tap at once again
  moved: -Infinity, // when a pointer last moved over what stands beside the film
};

document.addEventListener("film:step", ({ target: film, detail: { number, before, takes } }) => {
  for (const one of held.looks) one.cancel();
  held.looks = [];
  for (const one of document.querySelectorAll(".as-before")) one.remove();
  const next = film.querySelector(`.frame[data-frame="${number}"]`);
  if (before && number > Number(before.dataset.frame) && next.querySelector(".effect.late")) {
    holdBack(before, next, { steps: number - before.dataset.frame, duration: takes * MOVES });
  }
  if (film.dataset.told) return; // not the real film
  clearTimeout(held.timer);
  if (!film.matches(READ)) return;
  tellEnd();
  if (takes) held.timer = setTimeout(drawn, takes);
  else drawn();
});

// ---- what an attack does ----

const looks = (piece) =>
  Array.from(piece.querySelectorAll("use, text"), (one) => one.getAttribute("href") ?? one.textContent).join();

function holdBack(before, next, { steps, duration }) {
  for (const piece of next.querySelectorAll("[data-piece]")) {
    const old = same(before, piece, steps);
    if (old && looks(old) !== looks(piece)) lookAs(old, piece, duration);
  }
}

/** Shows `piece` as `old` looked: where it is now, and turning as it does. */
function lookAs(old, piece, duration) {
  const cover = document.createElementNS("http://www.w3.org/2000/svg", "g");
  cover.classList.add("as-before");
  cover.append(...old.cloneNode(true).children);
  for (const selector of [".turn", ".tag"]) {
    const copy = cover.querySelector(selector);
    for (const { effect } of copy ? (piece.querySelector(selector)?.getAnimations() ?? []) : []) {
      held.looks.push(copy.animate(effect.getKeyframes(), effect.getTiming()));
    }
  }
  for (const one of piece.children) held.looks.push(one.animate({ visibility: ["hidden", "hidden"] }, { duration }));
  piece.append(cover);
  const taken = () => cover.remove();
  cover.animate([], { duration }).finished.then(taken, taken);
}

// ---- the last step ----

// The voice says with it how the match ended, and that comes into sight.
function tellEnd() {
  if (!document.querySelector("#live[data-title]")) return;
  const heading = document.getElementById("film-title"), status = document.getElementById("status");
  const parts = [...status.childNodes].filter((one) => one.getAttribute?.("aria-hidden") !== "true");
  const why = document.getElementById("film-says").textContent ? null : document.querySelector(".in-short.verdict");
  say([...parts, why].map((one) => one?.textContent.trim()).join(" "));
  const behavior = still.matches ? "auto" : "smooth";
  if (heading.getBoundingClientRect().top < 0) heading.scrollIntoView({ behavior });
}

/** It has been drawn, so the page may tell how it ends; at a desk what comes next waits until it is read. */
function drawn() {
  const film = document.querySelector(READ);
  if (!film) return;
  if ("fresh" in film.dataset) film.dataset.fresh = "told";
  film.dispatchEvent(new CustomEvent("film:drawn", { bubbles: true }));
  rest();
  if (!narrow.matches) held.timer = setTimeout(comeUp, reading());
}

function reading() {
  const sentences = [...document.querySelectorAll("#happened [data-sentence-step].current")];
  const letters = sentences.map((one) => one.textContent.replace(/\s+/g, " ")).join("").length;
  return (PAUSE + letters * LETTER) / speed();
}

document.addEventListener("pointermove", ({ target }) => {
  if (target.closest?.("#live > .side")) held.moved = performance.now();
}, { passive: true });

function comeUp() {
  const { activeElement: focus } = document;
  const aims = performance.now() - held.moved < AIMING;
  if (aims || focus?.matches("#talk textarea")) held.timer = setTimeout(comeUp, aims ? AIMING : AGAIN);
  else if (focus?.matches("[data-onward]")) focus.click(); // it goes, and the focus to what comes
  else moveOn();
}

// What comes next takes its place: by itself, or at once at a tap where one plans.
function moveOn() {
  const film = document.querySelector(READ);
  if (!film || narrow.matches) return;
  clearTimeout(held.timer);
  rest();
  present(film);
}
document.addEventListener("plan:tap", moveOn);
document.addEventListener("click", ({ target }) => target.closest?.("#planner, #film > .board-sheet") && moveOn());

// ---- the next match ----

// On a phone its buttons stand where a tap led on to one's turn before, and at a desk they come up. So just after the end
// has been shown, or has come with an update, a first tap on one is answered by a question.
const rest = () => isOver() && (held.restUntil = performance.now() + REST);
addEventListener("pageshow", ({ persisted }) => persisted && (held.restUntil = 0));

document.addEventListener("live:swapped", () => {
  if (!held.isOver) rest();
  held.isOver = isOver();
});

document.addEventListener("submit", (event) => {
  if (!event.target.matches(".once-again > form") || performance.now() > held.restUntil) return;
  event.preventDefault();
  held.restUntil = 0;
  event.target.querySelector("[role=alert]").hidden = false;
});

if (document.querySelector(READ)) { // it was shown before this script came
  if (document.getElementById("film-says").textContent) tellEnd();
  drawn();
}
