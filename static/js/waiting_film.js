// A turn that is revealed while somebody writes a message: its film begins once its board is in sight, and until then the
// talk says that there is one.
import { say } from "./kept.js";
import { play } from "./film.js";

const revealed = { film: null }; // the film that waits
const board = (film) => film.querySelector(".board-sheet");

document.addEventListener("film:waits", ({ target: film }) => {
  sight.disconnect();
  sight.observe(board(film));
  revealed.film = film;
  showNotice();
});

function showNotice() {
  const notice = document.getElementById("revealed");
  const isHidden = !revealed.film?.isConnected;
  if (notice?.hidden && !isHidden) say(notice.textContent);
  if (notice) notice.hidden = isHidden;
}
// a message that was sent takes the place of the talk, and with it of the notice
document.addEventListener("htmx:afterSettle", showNotice);

const sight = new IntersectionObserver(([{ isIntersecting, target }]) => {
  if (!isIntersecting) return;
  sight.disconnect();
  const film = target.closest("[data-film]");
  revealed.film = null;
  showNotice();
  if (!film?.isConnected) return;
  delete film.dataset.waits;
  play(film);
}, { threshold: 0.5 });

document.addEventListener("click", ({ target }) => {
  if (!target.closest("#revealed button")) return;
  document.activeElement.blur();
  board(document.querySelector("[data-film]")).scrollIntoView({ block: "center", behavior: "instant" });
});

// the film that began to wait before this script came
const early = document.querySelector("[data-film][data-waits]");
if (early) early.dispatchEvent(new CustomEvent("film:waits", { bubbles: true }));
