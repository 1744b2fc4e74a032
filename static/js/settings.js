// Settings of this browser alone: whether films are heard and felt, and boards for offline. Off until somebody wants them.
import { keep, kept } from "./kept.js";
import { sample, wanted } from "./senses.js";

for (const box of document.querySelectorAll("[data-sense]")) {
  const what = box.dataset.sense;
  box.checked = wanted(what);
  if (what === "vibration" && !navigator.vibrate) box.closest("label").remove();
  box.addEventListener("change", () => {
    keep(what, box.checked ? "on" : "");
    if (box.checked) sample(what);
  });
}
for (const section of document.querySelectorAll("[data-senses]")) section.hidden = false;

// A choice that saves itself; without scripts its form has a button.
for (const choice of document.querySelectorAll("[data-saves]")) {
  choice.addEventListener("change", () => choice.form.submit());
}

// Graph paper, blueprint, or what the system says (theme.js).
const themes = document.querySelector("select[data-themes]");
if (themes) {
  themes.value = kept("theme");
  themes.addEventListener("change", () => {
    keep("theme", themes.value);
    if (themes.value) document.documentElement.dataset.theme = themes.value;
    else delete document.documentElement.dataset.theme;
  });
}

// Boards for offline: the site keeps the wish with its guest's session, and says so in a cookie (people/offline.py).
const form = document.querySelector("form[data-offline]");
if (form && navigator.serviceWorker && window.caches) {
  const box = form.querySelector("[type=checkbox]");
  form.hidden = false;
  box.addEventListener("change", async () => {
    const { action, method } = form;
    const answer = await fetch(action, { method, body: new URLSearchParams(new FormData(form)) }).catch(() => null);
    if (!answer?.ok) return void (box.checked = !box.checked); // the site has not heard of it
    await navigator.serviceWorker.register(box.checked ? "/sw.js?keep" : "/sw.js").catch(() => {});
  });
}
