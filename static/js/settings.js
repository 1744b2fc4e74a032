// Settings that only this browser stores: whether films are heard and felt, and boards for offline. Off until somebody
// wants them.
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

// Boards for offline: the wish is a cookie that names its guest, since the site itself asks for it.
const offline = document.querySelector("[data-offline]");
if (offline && navigator.serviceWorker && window.caches) {
  const box = offline.querySelector("input"), { offline: tag } = offline.dataset;
  const secure = location.protocol === "https:" ? ";secure" : "";
  box.checked = document.cookie.includes(`offline=${tag}`);
  offline.hidden = false;
  box.addEventListener("change", async () => {
    const age = box.checked ? 31536000 : 0;
    document.cookie = `offline=${box.checked ? tag : ""};path=/;max-age=${age};samesite=lax${secure}`;
    await navigator.serviceWorker.register(box.checked ? "/sw.js?keep" : "/sw.js");
  });
}
