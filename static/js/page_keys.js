// The choice among the planner's keys (components/keyboard.html): whether they work without its focus. This browser keeps
// it, and planner.js reads it.
const box = document.querySelector("[data-page-keys]");

if (box) {
  try {
    box.checked = localStorage.getItem("keys") !== "off";
    box.closest("p").hidden = false;
  } catch {
    // no storage, no choice
  }
  box.addEventListener("change", () => {
    if (box.checked) localStorage.removeItem("keys");
    else localStorage.setItem("keys", "off");
  });
}
