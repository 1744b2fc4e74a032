// A new message in the talk is said aloud: who wrote it and what, neither the clock nor the rest of the list again.
import { say } from "./kept.js";
import { htmx } from "./line.js";

const messages = () => [...document.querySelectorAll("#said .messages li")];
const keyOf = (one) => `${one.querySelector("time")?.dateTime} ${wordsOf(one)}`;
const wordsOf = (one) => {
  const parts = [...one.querySelectorAll(".by b, .by .badge, p:not(.by)")];
  return parts.map((part) => part.textContent.trim()).join(": ");
};

const LINES = 64; // pixels of a new message

const talk = {
  old: null, // keys of the messages before the list was swapped
  isBehind: false, // a message came while the list was under way, or the answer to what was written here
  field: null, // the field that has the focus, once it was in sight
  isDue: false, // a message came while the list's end was out of sight: it is fetched, and so counts as read, in sight
  seen: new Set(), // the board, and the form of what is open, while they are in sight above a phone's desk
};

document.addEventListener("htmx:beforeSwap", ({ target: { id }, detail: { elt } }) => {
  const isSame = id === "said" || (id === "talk" && document.getElementById("said") && !elt?.closest(".threads"));
  if (isSame) talk.old = messages().map(keyOf);
});

const isSending = () => Boolean(document.querySelector("#talk .say.htmx-request, #said.htmx-request"));

document.addEventListener("said", () => {
  talk.isBehind ||= isSending();
  hear();
});

/** Fetches the list, or waits until its end is in sight, where a new message will stand, if the page counts those. */
function hear() {
  const list = document.getElementById("said");
  if (!list) return;
  const { bottom } = list.getBoundingClientRect();
  talk.isDue = Boolean(document.getElementById("talk-new")) && (bottom < 0 || bottom + LINES > floor());
  if (!talk.isDue) htmx.trigger(list, "hear");
}

const hearIfDue = () => talk.isDue && hear();
addEventListener("scroll", hearIfDue, { passive: true });

/** Where what is in sight ends: at the edge of the window, or at what a phone has there. */
function floor() {
  const docks = [...document.querySelectorAll(".dock, .once-again")];
  const fixed = docks.filter((one) => one.offsetHeight && getComputedStyle(one).position === "fixed");
  return Math.min(innerHeight, ...fixed.map((one) => one.getBoundingClientRect().top));
}

// A phone's desk goes down while a form is in sight above its place, and the board is not (talk.css).
const sightOfForm = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) talk.seen.add(target);
    else talk.seen.delete(target);
  }
  const [one, other] = talk.seen;
  document.documentElement.classList.toggle("at-form", Boolean(one?.matches("form") && !other));
  hearIfDue();
}, { rootMargin: "0px 0px -35%" });

function watchForm() {
  sightOfForm.disconnect();
  talk.seen.clear();
  for (const one of document.querySelectorAll("[data-film] .board-sheet, #talk form:not(.undo)")) sightOfForm.observe(one);
}

document.addEventListener("htmx:afterRequest", () => {
  if (!talk.isBehind || isSending()) return;
  talk.isBehind = false;
  htmx.trigger(document.body, "said");
});

document.addEventListener("htmx:afterSwap", ({ detail }) => {
  watchForm();
  const field = document.getElementById("say-text"); // one goes on after the words that are back in it
  if (detail.requestConfig.verb === "post") field?.setSelectionRange(field.value.length, field.value.length);
});

document.addEventListener("htmx:afterSettle", () => {
  hearIfDue();
  const { old } = talk;
  if (!old) return;
  const fresh = messages().filter((one) => !one.matches(".mine") && !old.includes(keyOf(one)));
  talk.old = null;
  say(fresh.map(wordsOf).join(" "));
});

// At a desk Enter sends the message, and with Shift it begins a new line; a phone's keyboard has no Shift at hand. Escape
// leads out of the talk, to the link that opened it; what is half typed stays.
const desk = matchMedia("(hover: hover) and (pointer: fine)");
document.addEventListener("keydown", (event) => {
  const { key, shiftKey, isComposing, target } = event;
  if (key === "Escape" && target.closest("#talk")) document.getElementById("bubble")?.focus();
  if (key !== "Enter" || shiftKey || isComposing || target.id !== "say-text" || !desk.matches) return;
  event.preventDefault();
  if (target.value.trim()) document.getElementById("say-it").click();
});

// On a phone a field that is scrolled out of sight loses the focus, so that the desk comes back, which has made room for
// what is written (talk.css). At a desk it keeps it, whatever moves above it.
const narrow = matchMedia("(max-width: 40rem)");
const sight = new IntersectionObserver(([{ isIntersecting, target }]) => {
  if (isIntersecting) talk.field = target;
  else if (narrow.matches && talk.field === target && document.activeElement === target) target.blur();
});

function watch(target) {
  sight.disconnect();
  talk.field = null;
  if (target.closest("#talk .say")) sight.observe(target);
  hearIfDue(); // a phone's desk gives way to the field
}

watch(document.activeElement);
watchForm();
document.addEventListener("focusin", ({ target }) => watch(target));
// what came before this script
if (document.querySelector("#talk-new .count")) hear();

// The talk that is open stays, and with it words half typed; but a form for another turn, or for other people, does
// not.
export function renewTalk(undone) {
  const form = document.querySelector("#talk form:not(.undo)");
  const typed = [...(form?.querySelectorAll("textarea, [name=word]") ?? [])];
  if (!form || typed.some((field) => field.value !== field.defaultValue)) return;
  const { turn, table } = form.elements, now = document.getElementById("live").dataset;
  const isPast = turn && (undone || turn.value !== now.turn);
  if (!isPast && (!table || !now.at || table.value === now.at)) return;
  htmx.ajax("GET", form.action, { source: "#talk", target: "#talk" }).catch(() => {});
}
