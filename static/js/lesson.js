// A lesson's page. The answer that was just played is shown as a film by itself, once, unless somebody wants no motion
// or has asked for a step. On a phone the task, the whole board and the desk below it are seen at once; a page without
// scripts has the size that its style sheet says.
import { play } from "./film.js";
import { stored } from "./kept.js";

document.querySelector("#verdict, #hint")?.focus({ preventScroll: true }); // it is heard first, and then the film

const film = document.querySelector("#lesson [data-film]");
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
if (film?.matches("[data-plays]") && !still && !new URLSearchParams(location.search).has("step")) play(film);

const AIR = 6; // between the board and what is below it
const FOLD = 56; // the height of a fold below the board
const narrow = matchMedia("(max-width: 21.99rem)").matches;
const ANSWERED = !narrow ? 11 : document.querySelector("#lesson .slots") ? 14.75 : 11.75; // rem of the film and desk then

const fitted = {
  width: innerWidth, // of the window for which the board has its size
};

/**
 * Gives the board the height that task, film controls and desk leave, before the answer and after it; its style sheet
 * says how small it may be.
 */
function fit() {
  const dock = document.querySelector("#lesson .dock"), { style } = document.getElementById("main");
  if (!dock || getComputedStyle(dock).position !== "fixed") return style.removeProperty("--fit");
  const shown = document.querySelector("#lesson [data-film]");
  const sheet = shown.querySelector(".board-sheet").getBoundingClientRect();
  const controls = shown.querySelector(".film-controls")?.offsetHeight;
  const answered = innerHeight - ANSWERED * parseFloat(getComputedStyle(document.documentElement).fontSize);
  const { top } = dock.getBoundingClientRect();
  const room = (controls ? top - controls - 2 * AIR : Math.min(top, answered)) - sheet.top - scrollY - AIR;
  style.setProperty("--fit", `${noLarger(Math.floor((sheet.width * room) / sheet.height))}px`);
  style.removeProperty("--spare");
  const free = top - shown.querySelector(".board-sheet").getBoundingClientRect().bottom - scrollY;
  if (!controls && free < FOLD) style.setProperty("--spare", `${free}px`); // no fold is half under the desk
}

// What an answer leaves free does not make the board jump: it grows with a new task alone.
function noLarger(size) {
  const place = `${document.querySelector("#lesson h1").textContent} ${innerWidth}`;
  const before = stored((kept) => kept.getItem("board")?.split(" = "));
  const least = location.search && before?.[0] === place ? Math.min(before[1], size) : size;
  stored((kept) => kept.setItem("board", `${place} = ${least}`));
  return least;
}
fit();
document.fonts.ready.then(fit);
addEventListener("resize", () => {
  if (innerWidth === fitted.width) return; // the browser's own bars have come or gone
  fitted.width = innerWidth;
  fit();
});
