// A new message is said aloud: who says it and what, neither the clock nor the rest of the list again.
const messages = () => [...document.querySelectorAll("#said .messages li")];
const keyOf = (one) => `${one.querySelector("time")?.dateTime} ${wordsOf(one)}`;
const wordsOf = (one) => {
  const parts = [...one.querySelectorAll(".by b, .by .badge, p:not(.by)")];
  return parts.map((part) => part.textContent.trim()).join(": ");
};

let old = null;

document.addEventListener("htmx:beforeSwap", ({ target }) => {
  if (target.id === "said") old = messages().map(keyOf);
});

document.addEventListener("htmx:afterSettle", () => {
  if (!old) return;
  const fresh = messages().filter((one) => !one.matches(".mine") && !old.includes(keyOf(one)));
  old = null;
  const says = document.getElementById("talk-says");
  if (fresh.length) says.textContent = fresh.map(wordsOf).join(" ");
});
