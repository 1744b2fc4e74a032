// Taps and keys of the planner. What a tap means is for the server to say; here taps only wait in line, so that a
// quick hand loses none, and the page is not loaded anew for each.
import { last, show } from "./film.js";
import { idle, tab } from "./live.js";

const form = () => document.getElementById("plan");
const line = [];
let busy = false;
let half = ""; // the T of TL and TR

function post(values) {
  line.push(values);
  if (!busy) work();
}

async function work() {
  busy = true;
  while (line.length && form()) {
    await idle();
    if (!form()) break;
    const values = { ...line.shift(), turn: form().elements.turn.value, tab };
    try {
      await htmx.ajax("POST", form().action, { source: "#main", target: "#plan", swap: "outerHTML", values });
      if (values.use) clearTyped();
    } catch {
      line.length = 0;
    }
  }
  line.length = 0;
  busy = false;
}

function clearTyped() {
  const field = form()?.elements.typed;
  if (field && !document.getElementById("error")) field.value = "";
}

document.addEventListener("submit", (event) => {
  if (event.target !== form()) return;
  event.preventDefault();
  const { name, value } = event.submitter ?? { name: "use", value: "1" };
  const typed = form().elements.typed.value.trim();
  post({ [name]: value, ...(typed && name !== "choose" ? { typed } : {}) });
});

// An answer that comes between press and release takes the pressed button away, and the browser makes no click of it.
let pressed = null;
const underHand = (event) => (event.pointerType !== "touch" && event.target.closest?.("#plan button")) || null;
document.addEventListener("pointerdown", (event) => (pressed = underHand(event)));
document.addEventListener("pointerup", (event) => {
  const now = underHand(event);
  if (now && pressed && !pressed.isConnected && now.name === pressed.name && now.value === pressed.value) now.click();
  pressed = null;
});

function button(sign) {
  return [...form().querySelectorAll(".palette [data-sign]")].find((key) => key.dataset.sign === sign);
}

document.addEventListener("keydown", (event) => {
  if (!form() || event.defaultPrevented || event.altKey || event.metaKey) return;
  if (event.target.closest("input, select, textarea")) return;
  if (event.key === "Enter" && (event.ctrlKey || event.target === document.body)) return done(event, { seal: "1" });
  if (event.ctrlKey) return;
  if (event.key === "Backspace") return done(event, { choose: "back" });
  if (event.target.closest("#plan") && event.key.startsWith("Arrow")) return walk(event);
  const key = event.key.length === 1 ? event.key.toUpperCase() : "";
  const sign = half + (key === "V" ? "v" : key);
  half = "";
  if (key === "T") half = "T";
  else if (key && button(sign)) done(event, { choose: button(sign).value });
});

function done(event, values) {
  event.preventDefault();
  post(values);
}

// Arrows go from button to button.
function walk(event) {
  const all = [...form().querySelectorAll("button")].filter((one) => one.offsetParent);
  const step = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1;
  const next = all[all.indexOf(document.activeElement) + step];
  event.preventDefault();
  next?.focus();
}

// What did not arrive is said where the thumb is, and goes away with the next answer.
for (const name of ["sendError", "responseError", "timeout", "afterSwap"]) {
  document.addEventListener(`htmx:${name}`, () => {
    const trouble = document.getElementById("plan-trouble");
    if (trouble) trouble.hidden = name === "afterSwap";
  });
}

// A plan is drawn over the present position, so the film goes there; what has changed is said aloud.
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "plan" && !event.target.closest?.("#plan")) return;
  const film = document.querySelector("[data-film]");
  if (film) show(film, last(film), { cut: true, silent: true });
  const words = [...form().querySelectorAll(".plan-words li")].at(-1)?.textContent ?? "";
  const missing = form().querySelector(".missing")?.textContent ?? "";
  document.getElementById("plan-says").textContent = `${words} ${missing}`;
});
