// The choice among the planner's keys (components/keyboard.html): whether they work without its focus. keys.js reads it.
import { keep, kept } from "./kept.js";

/** Gets the choice in `root` ready. */
export function wake(root = document) {
  const box = root.querySelector("[data-page-keys]");
  if (!box) return;
  box.checked = kept("keys") !== "off";
  box.closest("p").hidden = false;
  box.addEventListener("change", () => keep("keys", box.checked ? "" : "off"));
}
