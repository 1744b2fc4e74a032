// Taps and keys of the planner. What a tap means is for the server to say; here taps show at once, and wait in
// line, so that a quick hand loses none, and the page is not loaded anew for each.
import { pause, play, present } from "./film.js";
import { delay, isLost, sentence } from "./line.js";
import { idle, lookAgain, tab } from "./live.js";

const form = () => document.getElementById("plan");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const line = [];
let number = 0; // of taps, so that each counts once, however often it is sent
const MOST = 16, HOW_FAR = "Robosite-Taps"; // taps in one request, the header of its answer (play/planning.py)
const isTap = (one) => Boolean(one && (one.values.choose || one.values.use));
let busy = false;
let underWay = null; // the request of the first in line
let half = ""; // the beginning of a sign of several keys: the T of TL, the d of d4

function post(values) {
  const tap = new CustomEvent("plan:tap", { detail: values, cancelable: true });
  if (!document.dispatchEvent(tap)) return; // there is no network, and offline.js keeps it
  number += 1;
  line.push({ values, turn: form().dataset.turn, number });
  if (says === "undone") trouble("");
  show();
  if (!busy) work();
}

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Whether the page still shows the turn for which something waits. */
const stands = () => line[0] && form()?.dataset.turn === line[0].turn;

// One request carries all taps that wait, and one is under way at a time. What was lost stays in line, and is
// sent again with what has come since: the server knows by their numbers which taps it has (flow/tap_marks.py).
async function work() {
  busy = true;
  let tries = 0;
  while (line.length) {
    await idle();
    if (!stands()) break; // it was for a turn that is over
    const sent = together(), { values } = sent[0];
    if (values.seal && !values.typed && isDisabled(sealing())) {
      refuse(sealing());
      line.length = 0;
      break;
    }
    whole = sent.some(({ values: { choose } }) => choose && form().querySelector(`[data-all]${valued(choose)}`));
    const xhr = await send(whatTells(sent));
    if (!isAnswered(xhr)) {
      for (const tap of sent) tap.unsent = true;
      do {
        trouble("tap");
        await wait(delay(tries, xhr));
        tries += 1;
      } while (!isTap(sent[0]) && stands() && !(await lookAgain())); // a seal may be in, and its turn over
      continue;
    }
    tries = 0;
    if (says !== "undone") trouble(xhr.status < 400 ? "" : "refused");
    if (sent[0].unsent && xhr.getResponseHeader(HOW_FAR) === "?" && isTap(sent[0])) undone();
    line.splice(0, line.length, ...rest(xhr));
    // another page has changed the plan: what is left is for the present one
    if (line.length && form() && "stale" in form().dataset) line[0].seen = null;
    show();
    if (values.use) clearTyped();
    followSheet(values);
  }
  if (line.some(isTap)) undone();
  else if (says === "tap") trouble("");
  line.length = 0;
  show();
  busy = false;
}

/** The first in line, and if it is a choice, those that follow it. */
function together() {
  const other = line.findIndex(({ values }) => !values.choose);
  return line.slice(0, other < 0 ? MOST : Math.min(other, MOST) || 1);
}

/** What is sent: the taps, the plan beside which the first of them was pressed, and its number. */
function whatTells(sent) {
  const [first, ...more] = sent;
  first.seen ??= shown();
  const then = more.map(({ values }) => values.choose);
  return { ...guesses(), ...first.values, then, ...first.seen, tab, once: `${tab}.${first.number}` };
}

/** What is left in line after an answer: it says how far the site's draft has come, or that something was refused. */
function rest(xhr) {
  const [far, refused] = (xhr.getResponseHeader(HOW_FAR) ?? `${line[0]?.number}`).split(" ");
  if (refused || xhr.status >= 400) return [];
  if (!isTap(line[0])) return line.slice(1);
  if (far !== "?") return line.filter((tap) => tap.number > Number(far));
  // after a reopening nobody knows: what may have been in the plan is not tapped once more
  return line.filter((tap) => !tap.unsent);
}

/** Whether the site itself has answered, and not a network on the way. */
function isAnswered(xhr) {
  return !isLost(xhr) && (xhr.status !== 200 || /id="(plan|live|lesson)"/.test(xhr.responseText));
}

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.xhr === underWay) detail.shouldSwap &&= isAnswered(underWay);
});

// Who leaves the page takes no tap away with it.
addEventListener("pagehide", () => {
  if (!line[0]?.values.choose || !stands()) return;
  leave(form().action, whatTells(together()));
});
document.addEventListener("plan:kept", () => {
  line.length = 0; // offline.js shows and sends them
  show();
  trouble("");
});

// What shows a tap comes after the page itself, or with the first touch; from then on browsers have it.
let showTaps = () => {}, leave = showTaps, explain = showTaps;
const prepare = () => import("./at_once.js").then((one) => ({ showTaps, leave, explain } = one) && show(), () => {});
addEventListener("pointerdown", prepare, { once: true, capture: true });
setTimeout(prepare, 2000);

const show = (taps = line) => showTaps(taps);

// A new plan shows what still waits; the taps that it answers are in it.
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (line.length) show(detail.xhr === underWay ? rest(underWay) : line);
  if (says) trouble(says);
});

/** What the page shows: the turn, and the plan beside which something is pressed. */
function shown() {
  const fields = ["turn", "taken_back", "seen"].map((name) => form().elements[name]).filter(Boolean);
  return { taken_back: "0", ...Object.fromEntries(fields.map(({ name, value }) => [name, value])) };
}

/** The request, once it has ended. */
async function send(values) {
  let xhr = null;
  const hear = ({ detail }) => (xhr = underWay = detail.xhr);
  document.addEventListener("htmx:beforeSend", hear, { once: true });
  await htmx.ajax("POST", form().action, { source: "#main", target: "#plan", swap: "outerHTML", values }).catch(() => {});
  document.removeEventListener("htmx:beforeSend", hear);
  return xhr;
}

// What did not arrive is said where the thumb is, and what will never be in the plan.
let says = "";
function trouble(what) {
  if (what === "tap" && !stands()) what = ""; // it is done, or too late
  const now = document.getElementById("plan-trouble"), again = what === says;
  says = what;
  if (now?.dataset.says === what || (!now && !what)) return;
  now?.remove();
  const note = what && sentence(what);
  const dock = form()?.querySelector(".dock:not(.loose)") ?? document.querySelector("#plan, #planner");
  if (note && again) note.role = null; // it has been read out
  if (note) dock?.prepend(Object.assign(note, { id: "plan-trouble" }));
  if (note && !again) note.scrollIntoView({ block: "nearest" });
}
const undone = () => trouble("undone");

// A program that was sealed is seen to go into its envelope, where browsers can show that, and that comes into sight.
// On a phone the page then goes to its top, to the board and whom one waits for, unless somebody has moved it.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (still.matches || !document.startViewTransition) return;
  if (!detail.serverResponse.includes("just-sealed")) return;
  detail.swapOverride = "outerHTML transition:true";
  fold(true);
  setTimeout(fold, 900, false);
});
const fold = (on) => document.documentElement.classList.toggle("folding", on);
document.addEventListener("htmx:afterSwap", () => {
  const envelope = document.querySelector(".just-sealed");
  envelope?.scrollIntoView({ block: "nearest", behavior: "instant" });
  if (!envelope || !matchMedia("(max-width: 40rem)").matches) return;
  const at = scrollY, folds = document.documentElement.matches(".folding");
  const rise = () => envelope.isConnected && scrollY === at && scrollTo({ top: 0, behavior: folds ? "smooth" : "instant" });
  if (folds) setTimeout(rise, 1600);
  else rise();
});

// What if: guesses stand in the form alone, so every tap brings them along, and a page that others have
// changed gets them back.
let lying = null; // the turn and the guesses on the table

function guesses() {
  const fields = form() ? [...form().querySelectorAll("input[name=sheet], input[name^='guess-']")] : [];
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
}

function followSheet(values) {
  lying = form() && "sheet" in guesses() ? { turn: form().dataset.turn, guesses: guesses() } : null;
  if (!form() || !("look" in values || "throw" in values)) return;
  const next = form().querySelector(".loose .tab[aria-pressed=true], .ask-what-if");
  if (!document.activeElement?.closest("#plan")) next?.focus({ preventScroll: true });
}

document.addEventListener("htmx:afterSettle", () => {
  if (busy || !lying || !form() || "sheet" in guesses()) return;
  if (form().dataset.turn === lying.turn) post({ ...lying.guesses, look: lying.guesses.sheet });
  else lying = null;
});

function clearTyped() {
  const field = form()?.elements.typed;
  if (field && !document.getElementById("error")) field.value = "";
}

let onBoard = false; // the last tap was on a square

document.addEventListener("submit", (event) => {
  if (event.target !== form()) return;
  event.preventDefault();
  const button = event.submitter ?? { name: "use", value: "1" };
  const { name, value } = button, field = form().elements.typed;
  onBoard = Boolean(event.submitter?.closest(".taps"));
  // what was typed counts while it can be seen
  const typed = field.closest("details").open ? field.value.trim() : "";
  // after taps that wait it may be used: the answer to them says so
  if (isDisabled(button) && !line.length && !(typed && name === "seal")) return refuse(button);
  post({ [name]: value, ...(typed && name !== "choose" ? { typed } : {}) });
});

const sealing = () => form().querySelector("button[name=seal]");
const isDisabled = (button) => button?.ariaDisabled === "true";
const valued = (value) => `[value="${CSS.escape(value)}"]`;

// A button that cannot be used says why, and sends nothing.
async function refuse(button) {
  await prepare();
  explain(button);
  if (button.name === "seal") lead();
  uncover(document.querySelector("[data-film]"), 0); // the reason makes the dock higher
}

// An answer that comes between press and release takes the pressed button away, and the browser makes no
// click of it.
let pressed = null;
const underHand = (event) =>
  (event.pointerType !== "touch" && event.target.closest?.("#plan button, button[form=plan]")) || null;
document.addEventListener("pointerdown", (event) => (pressed = underHand(event)));
document.addEventListener("pointerup", (event) => {
  const now = underHand(event);
  const swapped = now && pressed && !pressed.isConnected;
  if (swapped && now.name === pressed.name && now.value === pressed.value) now.click();
  pressed = null;
});

// Keys write on the sheet that has the focus: a guess, else one's own.
const sheet = () => document.activeElement?.closest("#plan [data-sheet]");
const taps = () => [...document.querySelectorAll(".taps button")];

const SIGNED = "#plan [data-sign]:not([data-slot]), .taps [data-sign]";
const digits = new Map();
for (const { dataset } of document.querySelectorAll(".keys [data-key]")) digits.set(dataset.sign, dataset.key);

function writeDigits() {
  for (const { dataset } of document.querySelectorAll("#plan [data-sign]:not([data-slot])")) {
    if (digits.has(dataset.sign)) dataset.key = digits.get(dataset.sign);
  }
}
document.addEventListener("htmx:afterSettle", writeDigits);
writeDigits();

/** The button of a sign as it is typed, on the board too; where more keys may follow, they are waited for.
 * A sign that some keyboards lack has a digit beside it. */
function button(typed) {
  const all = [...(sheet() ?? document).querySelectorAll(SIGNED)];
  const named = ({ dataset: { sign } }) => [sign, digits.get(sign)].filter(Boolean);
  const signs = all.flatMap((one) => named(one).map((sign) => [one, sign.toLowerCase()]));
  half = signs.some(([, sign]) => sign.startsWith(typed) && sign !== typed) ? typed : "";
  return signs.find(([, sign]) => sign === typed)?.[0];
}

// Only what has the focus in the planner, or on the board's squares, takes keys.
document.addEventListener("keydown", (event) => {
  if (!form() || event.defaultPrevented) return;
  if (!event.target.closest("[data-keys]") || event.target.closest("input, select, textarea")) return;
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
    event.preventDefault();
    return form().querySelector("[name=seal]")?.click();
  }
  const held = event.altKey || event.ctrlKey || event.metaKey;
  if (held && !isComposed(event)) return;
  if (event.key === "Backspace") return done(event, { [sheet()?.dataset.sheet ?? "choose"]: "back" });
  if (event.key.startsWith("Arrow") && event.target.closest(".taps, #plan")) {
    event.preventDefault();
    const { target, key } = event;
    return import("./arrows.js").then(({ go }) => go(target, key), () => {});
  }
  const keys = meant(event), begun = half ? [half, ""] : [""];
  for (const typed of begun.flatMap((start) => keys.map((key) => start + key))) {
    const found = button(typed);
    if (found) return done(event, { [found.name]: found.value });
    if (half) return;
  }
});

// What a keyboard of any country means. A sign may need AltGr, which is Ctrl and Alt on Windows, or the Mac's
// Option key: that is no shortcut.
const isSign = (key) => key.length === 1 && /[!-/:-@[-`{-~]/.test(key);
const hasAltGr = (event) => event.altKey || event.getModifierState("AltGraph");
const isComposed = (event) => isSign(event.key) && !event.metaKey && hasAltGr(event);

// Where ^ is a key that waits for a letter to put it on: it comes as "Dead", and says only where it lies.
const DEAD = ["Backquote", "IntlBackslash", "BracketLeft", "Shift BracketLeft", "Shift BracketRight"];
DEAD.push("Shift Digit6", "Shift Backslash");
let dead = false; // it has been taken, and the next key may bring it once more

/** What was typed, the most likely first: as it is, without an accent, then by the place of the key. */
function meant(event) {
  const { key, code, shiftKey } = event, waited = dead;
  if (key === "Shift" || key === "AltGraph") return [];
  dead = key === "Dead" && DEAD.includes(`${shiftKey ? "Shift " : ""}${code}`);
  if (dead) return ["^"];
  if (waited && code === "Space") return [];
  const plain = key.length === 1 ? key.normalize("NFD")[0].toLowerCase() : "";
  const [, kind, place] = (!hasAltGr(event) && code.match(/^(Key|Digit)([A-Z\d])$/)) || [];
  const foreign = kind === "Key" ? /^([^\0-\x7f]|Process)$/.test(key) : !shiftKey;
  return place && foreign && place !== key ? [plain, place.toLowerCase()] : [plain];
}

function done(event, values) {
  event.preventDefault();
  post(values);
}

// One square of the board is a stop for the Tab key, not each; and so is one slot.
function rove() {
  for (const group of document.querySelectorAll(".taps, #plan .slots")) {
    const all = [...group.querySelectorAll("button")];
    const focused = all.find((one) => one === document.activeElement);
    const stop = focused ?? all.find((one) => one.matches(".next, [aria-pressed=true]")) ?? all[0];
    for (const one of all) one.tabIndex = one === stop ? 0 : -1;
  }
}
document.addEventListener("focusin", (event) => event.target.closest(".taps, .slots") && rove());
document.addEventListener("htmx:afterSettle", rove);
rove();

// Squares can be tapped in the present position only: while the film shows another, a tap plays it to there.
document.addEventListener("click", (event) => {
  const film = event.target.closest?.(".board-sheet")?.closest("[data-film]:is(:not(.at-last), .lingering)");
  if (!film || !taps().length) return;
  if (film.matches(".playing, .lingering")) present(film);
  else play(film);
});

// Where planning goes on.
const FREE = "#plan .slot.next, #plan .slot.free, #plan .palette button:not([aria-disabled])";

// While the film shows what was before, there is nothing to tap on the board: this leads on to the present, and
// first to what somebody offers, which stands above the board.
document.addEventListener("click", (event) => {
  const film = event.target.closest?.("[data-onward]") && document.querySelector("[data-film]");
  if (!film || !form()) return;
  event.preventDefault();
  pause(film);
  present(film);
  uncover(film);
  const offer = document.querySelector("#live > header [id^='offer-']");
  if (offer) offer.scrollIntoView({ block: "center" });
  else lead();
});

// A plan is drawn over the present position, so the film goes there; what has changed is said aloud, and what
// is missing, or what a tap does next (data-says).
document.addEventListener("htmx:afterSettle", (event) => {
  const { seen, turn } = form()?.elements ?? {};
  if (event.target.id === "live" && before?.turn === turn?.value && before?.seen !== seen?.value) {
    return say(whatWasDone()); // on another page of this seat
  }
  if (event.target.id !== "plan" && !event.target.closest?.("#plan")) return;
  document.getElementById("error")?.remove(); // what was refused before is past
  if (form().querySelector(".missing.refused")) return lead();
  const film = document.querySelector("[data-film]");
  if (film) present(film);
  if (!document.getElementById("lesson") || hidden(film)) uncover(film);
  const missing = form().querySelector(".missing, [data-says]")?.textContent ?? "";
  say([...whatWasDone(), missing]);
});

function say(words) {
  document.getElementById("plan-says").textContent = words.join(" ").replace(/\s+/g, " ").trim();
}

// What a tap did is said aloud: of each slot that changed, what comes of it; where there are no slots, what
// is new in the plan's words, or all of them (data-all).
const read = (selector) => [...form().querySelectorAll(selector)].map((one) => one.textContent.trim());
const planned = () => read(".plan-words li");
const supposed = (n) => read(`#what-if [data-sentence-step="${n}"] .sentence`);
const slots = () => [...form().querySelectorAll(".slots [data-slot][data-sign]")];
const placeOf = (slot) => `${slot.closest("[data-sheet]") ? "guess" : "own"} ${slot.dataset.slot}`;
let whole = null; // the button that was tapped, if it changes everything
let before = null;

document.addEventListener("htmx:beforeSwap", () => {
  const all = form() ? slots() : [];
  before = form() && {
    ...shown(),
    signs: new Map(all.map((slot) => [placeOf(slot), slot.dataset.sign])),
    words: planned(),
    steps: new Map(all.map(({ dataset: { slot } }) => [slot, supposed(slot)])),
  };
});

function whatWasDone() {
  const { signs, words } = before;
  const was = (slot) => signs.get(placeOf(slot)) ?? slot.dataset.sign;
  const changed = slots().filter((slot) => was(slot) !== slot.dataset.sign);
  if (changed.length) return changed.map(outcome);
  return whole || form().querySelector(".plan-words[data-all]") ? planned() : fresh(planned(), words);
}

function outcome(slot) {
  const n = slot.dataset.slot;
  if (!slot.dataset.sign || slot.matches(".owed")) return slot.ariaLabel;
  const own = read(`.plan-words li[value="${n}"]`);
  return (own.length ? own : fresh(supposed(n), before.steps.get(n) ?? [])).join(" ") || slot.ariaLabel;
}

/** Those of `now` that are not in `old`, as often as they are more. */
function fresh(now, old) {
  const rest = [...old];
  return now.filter((one) => !rest.includes(one) || !rest.splice(rest.indexOf(one), 1));
}

// A match that is opened to plan shows the whole board, unless friends are to be invited first. In a lesson the
// board fits (lesson.js).
const opened = document.querySelector("#live [data-film].at-last:not(.lingering)");
const invites = document.getElementById("invite");
if (opened && form() && !location.hash && !invites) requestAnimationFrame(() => uncover(opened, 0));

// What was sealed too early says itself what is missing (role=alert); the focus goes to where it can be
// given.
function lead() {
  const first = document.querySelector(FREE) ?? document.querySelector(".taps button:not([aria-disabled])");
  first?.focus({ preventScroll: true });
}

function fixedDock() {
  return [...form().querySelectorAll(".dock")].find((one) => getComputedStyle(one).position === "fixed");
}

// In a lesson what is asked stays in sight, and nothing moves, unless what was planned lies under the dock,
// or most of it.
function hidden(film) {
  const ghosts = film?.querySelector("#ghosts")?.getBoundingClientRect(), dock = fixedDock();
  return ghosts?.height && dock && (ghosts.top + ghosts.bottom) / 2 > dock.getBoundingClientRect().top;
}

// On a phone the dock lies over the page's lower half: the board comes up from under it, no further than it
// must, so that what stands above it stays in sight and the squares under the thumb. After a tap they stay
// under it where only the letters of the files are covered.
const LETTERS = 26;
function uncover(film, spared = LETTERS) {
  const board = film?.querySelector(".board-sheet")?.getBoundingClientRect(), dock = fixedDock();
  if (!board || !dock) return;
  const covered = board.bottom + 4 - dock.getBoundingClientRect().top;
  if (board.top < 0) {
    if (!onBoard) film.scrollIntoView({ block: "start" }); // a square that was tapped is in sight
  } else if (covered > spared) {
    scrollBy({ top: Math.min(covered, board.top), behavior: "instant" });
  }
}
