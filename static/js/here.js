// Who else has this match open now, as the page's socket says it. Nothing of it is in the page itself: an update
// draws it anew, and it is shown again.
let here = "";

/** Shows who is here: the letters of the other seats of which a page is open. */
export function show(letters) {
  here = letters;
  for (const mark of document.querySelectorAll("#live [data-here]")) {
    mark.hidden = !here.includes(mark.dataset.here);
  }
}

document.addEventListener("htmx:afterSettle", () => show(here));
