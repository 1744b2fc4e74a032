// News of the guest's other matches while a page is open: the socket says that there is something new, and the page
// asks, once for what comes together. Without it, reloading does the same. A match's page, and that of its talk, have a
// socket of their own, which hears of this too.
import { now } from "./clock.js";
import { htmx, noteLine, listen, patience } from "./line.js";

const BAR = 48; // pixels: the height of a match's bar
const SILENCE = 30_000; // milliseconds in which an open socket says something
const list = () => document.getElementById("mine");

const games = {
  timer: 0, // of the next question
  isAsking: false,
  again: false, // something new came meanwhile: the page asks once more
};

/** Asks soon; whatever else comes until then is asked along with it. */
export function soon(wait = 300 + 500 * Math.random()) {
  if (games.isAsking) games.again = true;
  else games.timer ||= setTimeout(ask, wait);
}

async function ask() {
  games.timer = 0;
  games.isAsking = true;
  try {
    const answer = await fetch(`/mine/waiting/${list() ? "?list" : ""}`, { signal: patience() });
    if (answer.ok) {
      const { waiting, mark } = await answer.json();
      count(waiting);
      document.dispatchEvent(new Event("games"));
      if (list() && mark !== list().dataset.mark) await renew();
    }
  } catch {
    // the next that comes, or the socket that opens again, asks anew
  }
  games.isAsking = false;
  if (games.again) soon();
  games.again = false;
}

// Readers who have scrolled the list stay where they are: entries have names, by which htmx finds the focus.
export const renew = () =>
  htmx.ajax("GET", location.pathname + location.search, { source: document.body, target: "#mine", swap: "outerHTML" });

// How many matches wait: beside "My games", before the title of pages of no match, and on the app's icon.
const waits = document.querySelector(".waiting"), live = document.getElementById("live");

/** Shows how many matches wait. */
export function count(waiting) {
  if (!waits) return;
  waits.hidden = !Number(waiting);
  waits.querySelector(".count").firstChild.data = waiting;
  navigator.setAppBadge?.(Number(waiting)).catch(() => {});
  wayOn(Number(waiting));
  if (!live) document.title = (waits.hidden ? "" : `(${waiting}) `) + document.title.replace(/^\(\d+\) /, "");
}

/** The way from a match on which one waits to the next that waits for one; it has its place already (stages/waiting.html). */
function wayOn(waiting) {
  const place = document.querySelector(".next-match"), way = place?.querySelector("a");
  if (!way) return;
  const { one, more } = place.dataset;
  way.hidden = !waiting;
  way.nextElementSibling.hidden = Boolean(waiting);
  if (waiting) way.querySelector("small").textContent = waiting === 1 ? one : more.replace("{n}", waiting);
}

// New messages are marked wherever the page is scrolled (talk.css).
if (live) {
  const scrolled = () => document.body.classList.toggle("scrolled", scrollY > BAR);
  addEventListener("scroll", scrolled, { passive: true });
  // Words that were sealed with a turn stand in the talk as soon as that is revealed.
  let turn = live.dataset.turn;
  document.addEventListener("htmx:afterSettle", ({ target }) => {
    if (target.id !== "live" || target.dataset.turn === turn) return;
    turn = target.dataset.turn;
    if (document.getElementById("said")) htmx.trigger(document.body, "said");
  });
}

if (waits && !document.querySelector("[data-socket]")) keep();

// A league's talk is no page of a match: the guest's own socket tells that there may be something new in it.
const hearAll = () => {
  if (document.getElementById("said") && !document.hidden) htmx.trigger(document.body, "said");
};

function keep() {
  let heard = 0; // when the open socket last said something; 0: it is not open
  const line = listen("/ws/mine/", {
    hear(message) {
      heard = now();
      if (!message.games) return;
      soon();
      hearAll();
    },
    opened() {
      heard = now();
      noteLine("");
      soon(); // the page may be older than its socket
      hearAll();
    },
    closed(failures) {
      heard = 0;
      if (failures > 2 && document.visibilityState === "visible") soon();
    },
  });
  // A page that comes back, from the browser's memory or from sleep, opens a new socket, and then asks.
  const wake = () => {
    if (document.visibilityState !== "visible") return;
    if (heard && now() - heard > SILENCE) line.close();
    line();
  };
  document.addEventListener("visibilitychange", wake);
  addEventListener("online", wake);
  addEventListener("pagehide", () => heard && line.close());
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    line();
    soon(0);
  });
}
