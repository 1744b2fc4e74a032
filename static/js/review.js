// A review's page: another turn takes the place of the one shown; a film that somebody has asked for does so, and plays.
import { play, prepare } from "./film.js";

setTimeout(() => import("./grid.js").catch(() => {}), 2000);

document.addEventListener("htmx:load", ({ target }) => {
  const film = target.matches?.(".turn") && target.querySelector(".watch");
  if (film) prepare(film);
  if (!target.matches?.(".watch[data-plays]")) return;
  prepare(target);
  target.closest(".turn").scrollIntoView();
  target.querySelector("[aria-current]")?.focus({ preventScroll: true });
  play(target);
});
