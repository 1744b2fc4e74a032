// Keys in the planner: which of its buttons a key means, on the keyboards of all countries.
import { kept, say } from "./kept.js";
import { sentence } from "./line.js";

const typing = {
  begun: "", // the beginning of a sign of several keys: the T of TL, the d of d4
  typed: "", // that with the last key
  isDead: false, // a key was taken that waits for a letter, and the next key may bring it once more
  isTold: false, // it was said where keys work
};

// Keys write on the sheet that has the focus: a guess, else one's own.
const sheet = () => document.activeElement?.closest("#plan [data-sheet]");

/** The button of the planner's form that a key means, or its name and value alone; undefined if it means none. `digits`
 * maps signs that some keyboards lack to the digits beside them. */
export function read(event, digits) {
  const { target, key } = event;
  if (!takesKeys(target)) return tellWhere(event);
  if ((event.ctrlKey || event.metaKey) && key === "Enter") {
    event.preventDefault();
    return document.querySelector("#plan button[name=seal]").click();
  }
  const held = event.altKey || event.ctrlKey || event.metaKey;
  if (held && !isComposed(event)) return;
  const button = key === "Backspace" ? undo() : buttonMeant(event, digits);
  if (button) {
    event.preventDefault();
    return button;
  }
  if (key.length === 1 && !held && !typing.begun && /[^\s?!]/.test(key)) return refuse(key.toLowerCase());
  if (!key.startsWith("Arrow") || !target.closest("#plan")) return;
  event.preventDefault();
  walk(key === "ArrowRight" || key === "ArrowDown" ? 1 : -1);
}

/** Arrows go from button to button of the planner; on the board they are the grid's (grid.js). */
function walk(step) {
  const all = [...document.querySelectorAll("#plan button")].filter((one) => one.offsetParent);
  all[all.indexOf(document.activeElement) + step]?.focus();
}

/** Says once where keys work, to somebody who tries one elsewhere. */
function tellWhere({ key, target, ctrlKey, metaKey, altKey }) {
  const isMeant = ctrlKey || metaKey ? key === "Enter" : !altKey && /^[^\s?!]$/.test(key);
  if (typing.isTold || !isMeant || kept("keys") === "off" || target.closest("input, select, textarea")) return;
  typing.isTold = true;
  say(sentence("keys").textContent);
}

/** Says of keys that add nothing what stands on their square, if they name one, and what is missing. */
function refuse(key) {
  const cell = document.querySelector(`[data-square="${CSS.escape(typing.typed + key)}"]`);
  const words = cell && (cell.querySelector("[aria-label]") ?? cell).getAttribute("aria-label");
  const missing = document.querySelector("#plan .missing")?.textContent ?? "";
  say(`${words ?? typing.typed + key}. ${missing}`);
}

const undo = () => ({ name: sheet()?.dataset.sheet ?? "choose", value: "back" });

/** What has the focus in the planner or on the board's squares takes keys; so do the film, and the page while nothing has
 * the focus, unless its reader has switched that off (menu.js). */
export function takesKeys(target) {
  if (target.closest("input, select, textarea")) return false;
  if (target.closest("[data-keys]")) return true;
  return (target.closest("#film") !== null || target.matches("body, #film-title")) && kept("keys") !== "off";
}

function buttonMeant(event, digits) {
  const meant = meaningsOf(event), starts = typing.begun ? [typing.begun, ""] : [""];
  typing.typed = typing.begun;
  for (const typed of starts.flatMap((start) => meant.map((sign) => start + sign))) {
    const button = buttonOf(typed, digits);
    if (button || typing.begun) return button;
  }
}

/** The button of a sign as it is typed, on the board too; where more keys may follow, they are waited for. */
function buttonOf(typed, digits) {
  const place = sheet() ?? document;
  const all = [...place.querySelectorAll("#plan [data-sign]:not([data-slot]), .taps [data-sign]")];
  const named = ({ dataset: { sign } }) => [sign, digits.get(sign)].filter(Boolean);
  const signs = all.flatMap((one) => named(one).map((sign) => [one, sign.toLowerCase()]));
  // of a square that can't be tapped it is said why (`refuse`)
  const squares = all.some((one) => one.closest(".taps")) ? document.querySelectorAll("[data-square]") : [];
  const names = [...signs.map(([, sign]) => sign), ...Array.from(squares, ({ dataset }) => dataset.square)];
  typing.begun = names.some((name) => name.startsWith(typed) && name !== typed) ? typed : "";
  return signs.find(([, sign]) => sign === typed)?.[0];
}

// The meaning of a key on the keyboards of all countries. A sign may need AltGr, which is Ctrl and Alt on Windows, or
// the Mac's Option key: that is no shortcut.
const isSign = (key) => key.length === 1 && /[!-/:-@[-`{-~]/.test(key);
const hasAltGr = (event) => event.altKey || event.getModifierState("AltGraph");
const isComposed = (event) => isSign(event.key) && !event.metaKey && hasAltGr(event);

// Where ^ is a key that waits for a letter to put it on: it comes as "Dead", and says only where it lies.
const DEAD = /^(Backquote|IntlBackslash|BracketLeft|Shift (Bracket(Lef|Righ)t|Digit6|Backslash))$/;

/** The signs that a key may mean, the most likely first: as it is, without an accent, then by its place. */
function meaningsOf(event) {
  const { key, code, shiftKey } = event, waited = typing.isDead;
  if (key === "Shift" || key === "AltGraph") return [];
  typing.isDead = key === "Dead" && DEAD.test((shiftKey ? "Shift " : "") + code);
  if (typing.isDead) return ["^"];
  if (waited && code === "Space") return [];
  const plain = key.length === 1 ? key.normalize("NFD")[0].toLowerCase() : "";
  const [, kind, place] = (!hasAltGr(event) && code.match(/^(Key|Digit)([A-Z\d])$/)) || [];
  const foreign = kind === "Key" ? /^([^\0-\x7f]|Process)$/.test(key) : !shiftKey;
  return place && foreign && place !== key ? [plain, place.toLowerCase()] : [plain];
}
