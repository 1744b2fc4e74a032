// A review's page: another turn takes the place of the one shown; a film that somebody has asked for does so, and plays.
import { play, prepare } from "./film.js";
import { say } from "./kept.js";

setTimeout(() => import("./grid.js").catch(() => {}), 2000);

const review = { isFocusIn: false }; // what is swapped has the focus

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  review.isFocusIn = detail.target.contains(document.activeElement);
});

document.addEventListener("htmx:load", ({ target }) => {
  const turn = target.matches?.("#turn") ? target : target.querySelector?.("#turn");
  const film = turn?.querySelector(".watch");
  if (film) prepare(film);
  if (turn && target !== document.body) tell(turn);
  if (!target.matches?.(".watch[data-plays]")) return;
  prepare(target);
  target.closest(".turn").scrollIntoView();
  target.querySelector("[aria-current]")?.focus({ preventScroll: true });
  play(target);
});

/** Says what a turn cost, and what was better; the focus goes there if what had it is gone. */
function tell(turn) {
  const [title, plan] = [turn.querySelector("#turn-title"), turn.querySelector(".plan-line")];
  const isLost = review.isFocusIn && document.activeElement === document.body;
  if (isLost) {
    title.tabIndex = -1;
    title.focus({ preventScroll: true });
  }
  say([isLost ? "" : title.textContent, plan?.textContent].join(" "));
}
