// A review's page: a film that somebody has asked for takes the place of what they tapped, in view, and plays.
import { play, prepare } from "./film.js";

document.addEventListener("htmx:load", ({ target }) => {
  if (!target.matches?.(".watch[data-plays]")) return;
  prepare(target);
  (target.closest(".worst") ?? target).scrollIntoView();
  target.querySelector("[aria-current]")?.focus({ preventScroll: true });
  play(target);
});
