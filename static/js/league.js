// A league's page is looked at again while it is seen: who has joined, whether it has begun, how matches ended.
// Without it, reloading does the same. Nothing is drawn anew while somebody types, and what was opened stays open.
const LOOKS = 15_000; // milliseconds from one look to the next

const league = () => document.getElementById("league");
const typing = () => document.activeElement?.matches("input:not([readonly]), select, textarea");

function look() {
  if (document.visibilityState === "visible" && league() && !typing()) htmx.trigger(league(), "look");
}

setInterval(look, LOOKS);
document.addEventListener("visibilitychange", look);

const shown = {
  open: new Set(), // names of what was open before an update
};

const name = (details) => details.querySelector("summary").textContent.trim();

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target === league()) shown.open = new Set([...league().querySelectorAll("details[open]")].map(name));
});
document.addEventListener("htmx:afterSettle", ({ target }) => {
  if (target !== league()) return;
  for (const details of league().querySelectorAll("details")) {
    if (shown.open.has(name(details))) details.open = true;
  }
});
