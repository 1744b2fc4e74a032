// A new message is said aloud: who says it and what, neither the clock nor the rest of the list again.
const messages = () => [...document.querySelectorAll("#said .messages li")];
const keyOf = (one) => `${one.querySelector("time")?.dateTime} ${wordsOf(one)}`;
const wordsOf = (one) => {
  const parts = [...one.querySelectorAll(".by b, .by .badge, p:not(.by)")];
  return parts.map((part) => part.textContent.trim()).join(": ");
};

let old = null;
let missed = false; // something was said while the answer to what was said here was under way

document.addEventListener("htmx:beforeSwap", ({ target }) => {
  if (target.id === "said" || (target.id === "talk" && document.getElementById("said"))) old = messages().map(keyOf);
});

const isSending = () => Boolean(document.querySelector("#talk .say.htmx-request"));

document.addEventListener("said", () => {
  missed ||= isSending();
});

document.addEventListener("htmx:afterRequest", () => {
  if (!missed || isSending()) return;
  missed = false;
  htmx.trigger(document.body, "said");
});

document.addEventListener("htmx:afterSettle", () => {
  if (!old) return;
  const fresh = messages().filter((one) => !one.matches(".mine") && !old.includes(keyOf(one)));
  old = null;
  const says = document.getElementById("talk-says");
  if (fresh.length) says.textContent = fresh.map(wordsOf).join(" ");
});
