// A league's page is looked at again while it is seen: who has joined, whether it has begun, how matches ended.
// Without it, reloading does the same. Nothing is drawn anew while somebody types or has a hand on the page, and what
// was opened stays open.
import { untilRest } from "./hands.js";
import { say } from "./kept.js";
import { htmx } from "./line.js";

const LOOKS = 15_000; // milliseconds from one look to the next
const REST = 4_000; // milliseconds without a hand: what is about to be tapped does not move

const next = { timer: 0 }; // the look that waits for hands

const league = () => document.getElementById("league");
const typing = () => document.activeElement?.matches("input:not([readonly]), select, textarea");

function look() {
  clearTimeout(next.timer);
  if (document.visibilityState !== "visible" || !league() || typing()) return;
  const rest = untilRest(REST);
  if (rest > 0) next.timer = setTimeout(look, rest);
  else htmx.trigger(league(), "look");
}

setInterval(look, LOOKS);
document.addEventListener("visibilitychange", look);
document.addEventListener("games", look); // somebody has joined, or it has begun (games.js)

const shown = {
  open: new Set(), // names of what was open before an update
  news: [], // what its headings and notices said then, and the way to one's own match
};

const SAYS = "h2:not(.visually-hidden), .notice, .to-next a";
const isNews = (one) => !one.matches(".notice") || !one.querySelector("time"); // times go on by themselves
const news = () => [...league().querySelectorAll(SAYS)].filter(isNews).map(wordsOf);
const wordsOf = (one) => (one.localName === "a" ? one.firstChild : one).textContent.replace(/\s+/g, " ").trim();
const name = (details) => details.querySelector("summary").textContent.trim();

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target !== league()) return;
  shown.open = new Set([...league().querySelectorAll("details[open]")].map(name));
  shown.news = news();
});
document.addEventListener("htmx:afterSettle", ({ target }) => {
  if (target !== league()) return;
  for (const details of league().querySelectorAll("details")) {
    if (shown.open.has(name(details))) details.open = true;
  }
  say(news().filter((one) => !shown.news.includes(one)).join(". "));
});
