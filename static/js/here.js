// The players who have this match open now, as the page's socket says it (live.js). Nothing of it is in the page
// itself: an update draws the marks anew, and they are shown again.
const here = {
  letters: "", // of the other seats of which a page is open
};

/** Shows that players are here, by the letters of their seats. */
export function show(letters) {
  here.letters = letters;
  for (const mark of document.querySelectorAll("#live [data-here]")) {
    mark.hidden = !letters.includes(mark.dataset.here);
  }
}

document.addEventListener("htmx:afterSettle", () => show(here.letters));
