// What only this browser keeps: whether films are heard and felt. Off until somebody wants it.
import { sample, wanted } from "./senses.js";

for (const box of document.querySelectorAll("[data-sense]")) {
  const what = box.dataset.sense;
  box.checked = wanted(what);
  if (what === "vibration" && !navigator.vibrate) box.closest("label").hidden = true;
  box.addEventListener("change", () => {
    try {
      if (box.checked) localStorage.setItem(what, "on");
      else localStorage.removeItem(what);
    } catch {
      box.checked = false; // no storage: there is nowhere to keep it
    }
    if (box.checked) sample(what);
  });
}
for (const section of document.querySelectorAll("[data-senses]")) section.hidden = false;
