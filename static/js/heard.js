// A new message in the talk is said aloud: who wrote it and what, neither the clock nor the rest of the list again.
const messages = () => [...document.querySelectorAll("#said .messages li")];
const keyOf = (one) => `${one.querySelector("time")?.dateTime} ${wordsOf(one)}`;
const wordsOf = (one) => {
  const parts = [...one.querySelectorAll(".by b, .by .badge, p:not(.by)")];
  return parts.map((part) => part.textContent.trim()).join(": ");
};

const talk = {
  old: null, // keys of the messages before the list was swapped
  isBehind: false, // a message came while the list was under way, or the answer to what was written here
  field: null, // the field that has the focus, once it was in sight
  isDue: false, // a message came while the list was out of sight: it is fetched, and so counts as read, in sight
};

document.addEventListener("htmx:beforeSwap", ({ target: { id } }) => {
  if (id === "said" || (id === "talk" && document.getElementById("said"))) talk.old = messages().map(keyOf);
});

const isSending = () => Boolean(document.querySelector("#talk .say.htmx-request, #said.htmx-request"));

document.addEventListener("said", () => {
  talk.isBehind ||= isSending();
  hear();
});

/** Fetches the list, or waits until it is in sight. */
function hear() {
  const list = document.getElementById("said");
  if (!list) return;
  const { top, bottom } = list.getBoundingClientRect();
  talk.isDue = bottom < 0 || top > innerHeight;
  if (talk.isDue) sightOfList.observe(list);
  else htmx.trigger(list, "hear");
}

const sightOfList = new IntersectionObserver(([{ isIntersecting, target }]) => {
  if (!isIntersecting) return;
  sightOfList.disconnect();
  if (talk.isDue && target.isConnected) hear();
});

document.addEventListener("htmx:afterRequest", () => {
  if (!talk.isBehind || isSending()) return;
  talk.isBehind = false;
  htmx.trigger(document.body, "said");
});

document.addEventListener("htmx:afterSettle", ({ detail }) => {
  // whoever asks for the talk writes, also where it was open already
  if (detail.requestConfig?.elt?.id === "bubble") document.getElementById("say-text")?.focus();
  const { old } = talk;
  if (!old) return;
  const fresh = messages().filter((one) => !one.matches(".mine") && !old.includes(keyOf(one)));
  talk.old = null;
  const says = document.getElementById("talk-says");
  if (fresh.length) says.textContent = fresh.map(wordsOf).join(" ");
});

// At a desk Enter sends the message, and with Shift it begins a new line; a phone's keyboard has no Shift at hand.
const desk = matchMedia("(hover: hover) and (pointer: fine)");
document.addEventListener("keydown", (event) => {
  const { key, shiftKey, isComposing, target } = event;
  if (key !== "Enter" || shiftKey || isComposing || target.id !== "say-text" || !desk.matches) return;
  event.preventDefault();
  if (target.value.trim()) document.getElementById("say-it").click();
});

// A field that is scrolled out of sight loses the focus, so that the desk comes back, which has made room for what is
// written (talk.css).
const sight = new IntersectionObserver(([{ isIntersecting, target }]) => {
  if (isIntersecting) talk.field = target;
  else if (talk.field === target && document.activeElement === target) target.blur();
});

function watch(target) {
  sight.disconnect();
  talk.field = null;
  if (target.closest("#talk .say")) sight.observe(target);
}

watch(document.activeElement);
document.addEventListener("focusin", ({ target }) => watch(target));
// what came before this script
if (document.querySelector("#talk-new .count")) hear();
