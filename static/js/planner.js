// The planner (#plan): the draft of an order, by taps and keys. What a tap means is for the server to say; here taps
// show at once (at_once.js) and wait in a queue, so that a quick hand loses none, and the page is not loaded anew for
// each. What an answer changed is said aloud, and the board stays in sight above the planner. Without JavaScript the
// planner is a form. The events between scripts are listed in docs/scripts.md.
import { say } from "./kept.js";
import { pause, play, present } from "./film.js";
import { CALM, delay, htmx, idle, isLost, sentence } from "./line.js";
import { lookAgain, tab } from "./live.js";

const MOST = 16, HOW_FAR = "Robosite-Taps"; // taps in one request, the header of its answer (play/planning.py)
const BAR = 58; // pixels: the bar at the top of a match, of which no part is shown
const LETTERS = 26; // pixels of the board that the dock may cover after a tap: the letters of its files
const READ = 96; // pixels of the board that are in sight at most while one reads below it
const GLANCE = 1800; // milliseconds: as long as a film shows a step
const still = matchMedia("(prefers-reduced-motion: reduce)");

const form = () => document.getElementById("plan");
const shownFilm = () => document.querySelector("[data-film]");

const draft = {
  queue: [], // taps that wait: { values, turn, number, seen, unsent }
  taps: 0, // how many there were: each has its number, so that it counts once, however often it is sent
  isSending: false,
  request: null, // that of the first in the queue
  trouble: "", // what is said beside the planner, as the page's template calls it: "tap", "undone", "refused"
  guesses: null, // of "What if", and their turn: { turn, guesses }
  before: null, // what was planned before a swap
  isNewAltogether: false, // the button that was tapped changes the whole plan
  isOnBoard: false, // the last tap was on a square
  pressed: null, // the button under a mouse that is down
  envelope: null, // that which was risen above
  atOnce: null, // at_once.js, once it is there
};

const keys = {
  digits: new Map(), // sign -> the digit that some keyboards need for it
  loading: null, // the promise of keys.js
  script: null, // keys.js, once it is there
};

// ---- taps that wait ----

function post(values) {
  const tap = new CustomEvent("plan:tap", { detail: values, cancelable: true });
  if (!document.dispatchEvent(tap)) return; // there is no network, and offline.js keeps it
  draft.taps += 1;
  draft.queue.push({ values, turn: form().dataset.turn, number: draft.taps });
  if (draft.trouble === "undone") trouble("");
  show();
  if (!draft.isSending) sendAll();
}

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const isTap = (one) => Boolean(one && (one.values.choose || one.values.use));
const isForAll = ({ values: { choose } }) =>
  choose && form().querySelector(`[data-all][value="${CSS.escape(choose)}"]`);

/** True while the page shows the turn for which something waits. */
const isPresent = () => draft.queue[0] && form()?.dataset.turn === draft.queue[0].turn;

// One request carries all taps that wait, and one is under way at a time. Taps that were lost stay in the queue, and
// are sent again with those that have come since: the server knows by their numbers which taps it has
// (flow/orders.py).
async function sendAll() {
  draft.isSending = true;
  let tries = 0;
  while (draft.queue.length) {
    await idle();
    if (!isPresent()) break; // it was for a turn that is over
    const taps = together(), { values } = taps[0];
    if (values.seal && !values.typed && draft.atOnce && isDisabled(sealButton())) {
      refuse(sealButton());
      draft.queue.length = 0;
      break;
    }
    draft.isNewAltogether = taps.some(isForAll);
    const late = setTimeout(() => trouble("tap"), CALM);
    const xhr = await send(fieldsOf(taps));
    clearTimeout(late);
    if (!isAnswered(xhr)) {
      for (const tap of taps) tap.unsent = true;
      do {
        trouble("tap");
        await wait(delay(tries, xhr));
        tries += 1;
      } while (!isTap(taps[0]) && isPresent() && !(await lookAgain())); // a seal may be in, and its turn over
      continue;
    }
    tries = 0;
    if (draft.trouble !== "undone") trouble(xhr.status < 400 ? "" : "refused");
    if (taps[0].unsent && xhr.getResponseHeader(HOW_FAR) === "?" && isTap(taps[0])) trouble("undone");
    draft.queue = rest(xhr);
    // another page has changed the plan: what is left is for the present one
    if (draft.queue.length && form() && "stale" in form().dataset) draft.queue[0].seen = null;
    show();
    if (values.use) clearTyped();
    followSheet(values);
  }
  if (draft.queue.some(isTap)) trouble("undone");
  else if (draft.trouble === "tap") trouble("");
  draft.queue.length = 0;
  show();
  draft.isSending = false;
}

/** The first in the queue, and if it is a choice, those that follow it. */
function together() {
  const other = draft.queue.findIndex(({ values }) => !values.choose);
  return draft.queue.slice(0, other < 0 ? MOST : Math.min(other, MOST) || 1);
}

/** The fields of a request: the taps, the plan beside which the first of them was pressed, and its number. */
function fieldsOf(taps) {
  const [first, ...more] = taps;
  first.seen ??= shown();
  const then = more.map(({ values }) => values.choose);
  return { ...guesses(), ...first.values, then, ...first.seen, tab, once: `${tab}.${first.number}` };
}

/** The queue after an answer: it says how far the site's draft has come, or that something was refused. */
function rest(xhr) {
  const { queue } = draft;
  const [far, refused] = (xhr.getResponseHeader(HOW_FAR) ?? `${queue[0]?.number}`).split(" ");
  if (refused || xhr.status >= 400) return [];
  if (!isTap(queue[0])) return queue.slice(1);
  if (far !== "?") return queue.filter((tap) => tap.number > Number(far));
  // after a reopening nobody knows: what may have been in the plan is not tapped once more
  return queue.filter((tap) => !tap.unsent);
}

/** True if the site itself has answered, and not a network on the way. */
function isAnswered(xhr) {
  return !isLost(xhr) && (xhr.status !== 200 || /id="(plan|live|lesson)"/.test(xhr.responseText));
}

/** Sends a request; settles with it once it has ended. */
async function send(values) {
  let xhr = null;
  const hear = ({ detail }) => (xhr = draft.request = detail.xhr);
  document.addEventListener("htmx:beforeSend", hear, { once: true });
  const into = { source: "#main", target: "#plan", swap: "outerHTML", values };
  await htmx.ajax("POST", form().action, into).catch(() => {});
  document.removeEventListener("htmx:beforeSend", hear);
  return xhr;
}

/** The turn that the page shows, and the plan beside which something is pressed, as fields of a request. */
function shown() {
  const fields = ["turn", "taken_back", "seen", "ready"].map((name) => form().elements[name]).filter(Boolean);
  return { taken_back: "0", ...Object.fromEntries(fields.map(({ name, value }) => [name, value])) };
}

// Leaving the page takes no tap away.
addEventListener("pagehide", () => {
  if (!draft.queue[0]?.values.choose || !isPresent()) return;
  draft.atOnce?.leave(form().action, fieldsOf(together()));
});

document.addEventListener("plan:kept", () => {
  draft.queue.length = 0; // offline.js shows and sends them
  show();
  trouble("");
});

// at_once.js comes after the page itself, or with the first touch; from then on browsers have it.
const prepare = () => import("./at_once.js").then(takeUp, () => {});
addEventListener("pointerdown", prepare, { once: true, capture: true });
setTimeout(prepare, 2000);

const show = (taps = draft.queue) => draft.atOnce?.showTaps(taps);

function takeUp(script) {
  if (!script.showTaps) return; // something else came in its place
  draft.atOnce = script;
  show();
}

/** Says where the thumb is that taps did not arrive, or will never be in the plan; "" takes the note away. */
function trouble(what) {
  if (what === "tap" && !isPresent()) what = ""; // it is done, or too late
  const now = document.getElementById("plan-trouble"), again = what === draft.trouble;
  draft.trouble = what;
  if (now?.dataset.says === what || (!now && !what)) return;
  now?.remove();
  const note = what && sentence(what);
  const dock = form()?.querySelector(".dock:not(.loose)") ?? document.querySelector("#plan, #planner");
  if (note && again) note.removeAttribute("role"); // it has been read out
  if (note) dock?.prepend(Object.assign(note, { id: "plan-trouble" }));
  if (note && !again) note.scrollIntoView({ block: "nearest" });
}

// ---- swaps: an answer takes the place of the plan ----

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.xhr === draft.request) detail.shouldSwap &&= isAnswered(detail.xhr);
  if (!still.matches && "startViewTransition" in document && detail.serverResponse.includes("just-sealed")) {
    detail.swapOverride = "outerHTML transition:true";
    fold(true);
    setTimeout(fold, 900, false);
  }
  notePlan();
});

// A new plan shows what still waits; the taps that it answers are in it.
document.addEventListener("live:swapped", ({ detail: { xhr } }) => {
  if (draft.queue.length) show(xhr === draft.request ? rest(xhr) : draft.queue);
  if (draft.trouble) trouble(draft.trouble);
  riseAboveEnvelope();
});

document.addEventListener("htmx:afterSettle", (event) => {
  returnGuesses();
  writeDigits();
  rove();
  showPlan(event);
  // a newcomer's speech bubbles may have come with an update
  if (document.getElementById("bubbles")) import("./first.js").catch(() => {});
});

// An order that was sealed is seen to go into its envelope, where browsers can show that, and that comes into sight.
// On a phone the page then goes to its top, to the board and whom one waits for, unless somebody has moved it.
const fold = (on) => document.documentElement.classList.toggle("folding", on);

function riseAboveEnvelope() {
  const envelope = document.querySelector(".just-sealed");
  if (!envelope || envelope === draft.envelope) return; // the talk beside it was swapped
  draft.envelope = envelope;
  envelope.scrollIntoView({ block: "nearest", behavior: "instant" });
  if (!matchMedia("(max-width: 40rem)").matches) return;
  const at = scrollY, folds = document.documentElement.matches(".folding");
  const rise = () =>
    envelope.isConnected && scrollY === at && scrollTo({ top: 0, behavior: folds ? "smooth" : "instant" });
  if (folds) setTimeout(rise, 1600);
  else rise();
}

// What if: guesses stand in the form alone, so every tap brings them along, and a page that others have
// changed gets them back.
function guesses() {
  const fields = form() ? [...form().querySelectorAll("input[name=sheet], input[name^='guess-']")] : [];
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
}

function followSheet(values) {
  draft.guesses = form() && "sheet" in guesses() ? { turn: form().dataset.turn, guesses: guesses() } : null;
  if (!form() || !("look" in values || "throw" in values)) return;
  const next = form().querySelector(".loose .tab[aria-pressed=true], .ask-what-if");
  if (!document.activeElement?.closest("#plan")) next?.focus({ preventScroll: true });
}

function returnGuesses() {
  const old = draft.guesses;
  if (draft.isSending || !old || !form() || "sheet" in guesses()) return;
  if (form().dataset.turn === old.turn) post({ ...old.guesses, look: old.guesses.sheet });
  else draft.guesses = null;
}

function clearTyped() {
  const field = form()?.elements.typed;
  if (field && !document.getElementById("error")) field.value = "";
}

// ---- buttons ----

document.addEventListener("submit", (event) => {
  if (event.target !== form()) return;
  event.preventDefault();
  const button = event.submitter ?? { name: "use", value: "1" };
  const { name, value } = button, field = form().elements.typed;
  draft.isOnBoard = Boolean(event.submitter?.closest(".taps"));
  // what was typed counts while it can be seen
  const typed = field.closest("details").open ? field.value.trim() : "";
  // after taps that wait it may be used: the answer to them says so
  if (isDisabled(button) && !draft.queue.length && !(typed && name === "seal")) return refuse(button);
  post({ [name]: value, ...(typed && name !== "choose" ? { typed } : {}) });
});

const sealButton = () => form().querySelector("button[name=seal]");
const isDisabled = (button) => button?.getAttribute?.("aria-disabled") === "true";

/** Sends a button, or its name and value. */
const use = (button) =>
  isDisabled(button) && !draft.queue.length ? refuse(button) : post({ [button.name]: button.value });

// A button that cannot be used says why, and sends nothing.
async function refuse(button) {
  await prepare();
  if (!draft.atOnce) return post({ [button.name]: button.value }); // the site says why
  draft.atOnce.explain(button);
  if (button.name === "seal") lead();
}

// An answer that comes between press and release takes the pressed button away, and the browser makes no
// click of it.
const underHand = (event) =>
  (event.pointerType !== "touch" && event.target.closest?.("#plan button, button[form=plan]")) || null;
document.addEventListener("pointerdown", (event) => (draft.pressed = underHand(event)));
document.addEventListener("pointerup", (event) => {
  const { pressed } = draft, now = underHand(event);
  const swapped = now && pressed && !pressed.isConnected;
  if (swapped && now.name === pressed.name && now.value === pressed.value) now.click();
  draft.pressed = null;
});

document.addEventListener("click", (event) => {
  playToPresent(event);
  leadOn(event);
});

// Squares can be tapped in the present position only: while the film shows another, a tap plays it to there.
function playToPresent({ target }) {
  const film = target.closest?.(".board-sheet")?.closest("[data-film]:is(:not(.at-last), .lingering)");
  if (!film || !document.querySelector(".taps button")) return;
  if (film.matches(".playing, .lingering")) present(film);
  else play(film);
}

// While the film shows what was before, there is nothing to tap on the board: [data-onward] leads to the present, and
// first to what somebody offers, which stands above the board.
function leadOn(event) {
  const film = event.target.closest?.("[data-onward]") && shownFilm();
  if (!film || !form()) return;
  event.preventDefault();
  form().closest(".early:not([open])")?.setAttribute("open", "");
  pause(film);
  present(film);
  comeUp(film);
  const offer = document.querySelector("#live > header [id^='offer-']");
  if (offer) offer.scrollIntoView({ block: "center" });
  else lead();
}

// Where robots were only built ([data-brief]), the film is seen at a glance, and leads on by itself.
document.addEventListener("film:step", ({ target: film, detail: { number, last } }) => {
  const isBrief = film.querySelector(`.frame[data-frame="${number}"][data-brief]`);
  if (number < last || !isBrief || !film.matches(".playing.lingering")) return;
  setTimeout(() => {
    const waits = film.isConnected && form() && film.matches(".lingering:not(.playing)");
    if (!waits || document.activeElement.matches("textarea")) return;
    present(film);
    comeUp(film);
  }, GLANCE);
});

/** On a phone the page goes to its top, as far as the board stays above the dock. */
function comeUp(film) {
  if (fixedDock()) scrollTo({ top: 0, behavior: "instant" });
  uncover(film);
}

// After a seal that came too early the page says what is missing (role=alert), and the focus goes to where planning
// goes on.
const FREE = "#plan :is(.slot.next, .slot.free, .palette button):not([aria-disabled=true])";

function lead() {
  const first = document.querySelector(FREE) ?? document.querySelector(".taps button:not([aria-disabled=true])");
  first?.focus({ preventScroll: true });
}

// One slot is a stop for the Tab key, not each, as one square of the board is (grid.js).
function rove() {
  for (const group of document.querySelectorAll("#plan .slots")) {
    const all = [...group.querySelectorAll("button")];
    const focused = all.find((one) => one === document.activeElement);
    const stop = focused ?? all.find((one) => one.matches(".next, [aria-pressed=true]")) ?? all[0];
    for (const one of all) one.tabIndex = one === stop ? 0 : -1;
  }
}
document.addEventListener("focusin", (event) => event.target.closest(".slots") && rove());

// ---- keys ----

const SIGNED = "#plan [data-sign]:not([data-slot])";

function writeDigits() {
  for (const { dataset } of document.querySelectorAll(SIGNED)) {
    if (keys.digits.has(dataset.sign)) dataset.key = keys.digits.get(dataset.sign);
  }
}

// keys.js comes with the first key, and at a desk by itself, so that it can keep the browser from taking that one. All
// keys that come before it wait for one promise: imports of their own could be there in another order.
const loadKeys = () => (keys.loading ??= import("./keys.js").then((script) => (keys.script = script), forgetKeys));

function forgetKeys(lost) {
  keys.loading = null;
  throw lost;
}

if (matchMedia("(hover: hover)").matches) setTimeout(() => loadKeys().catch(() => {}), 2000);

document.addEventListener("keydown", (event) => {
  if (!form() || event.defaultPrevented) return;
  if (keys.script) press(event);
  else loadKeys().then(() => press(event), () => {});
});

function press(event) {
  const button = keys.script.read?.(event, keys.digits);
  if (button) use(button);
}

// ---- what is said aloud ----

// A plan is drawn over the present position, so the film goes there; what has changed is said aloud, and what
// is missing, or what a tap does next (data-says).
function showPlan({ target }) {
  const { seen, turn } = form()?.elements ?? {}, { before } = draft;
  if (target.id === "live" && before?.turn === turn?.value && before?.seen !== seen?.value) {
    return say(changes().join(" ")); // on another page of this seat
  }
  if (target.id !== "plan" && !target.closest?.("#plan")) return;
  document.getElementById("error")?.remove(); // what was refused before is past
  if (form().querySelector(".missing.refused")) return lead();
  const film = shownFilm();
  if (film) present(film);
  if (!document.getElementById("lesson") || isHidden(film)) uncover(film);
  const missing = form().querySelector(".missing, [data-says]")?.textContent ?? "";
  say([...changes(), missing, before.isWhole ? "" : sealsBy()].join(" "));
}

/** Which key plays the plan, once it is whole, where there are keys. */
function sealsBy() {
  const button = matchMedia("(hover: hover)").matches && sealButton();
  if (!button || isDisabled(button)) return "";
  return `${sentence("whole").textContent} ${button.textContent.trim()}.`.replace("!.", "!");
}

// The outcome of a tap is said aloud: for each slot that changed, its sentence; where there are no slots, the new
// sentences of the plan, or all of them (data-all).
const textsOf = (selector) => [...form().querySelectorAll(selector)].map((one) => one.textContent.trim());
const planned = () => textsOf(".plan-words li");
const supposed = (n) => textsOf(`#what-if [data-sentence-step="${n}"] .sentence`);
const slots = () => [...form().querySelectorAll(".slots [data-slot][data-sign]")];
const placeOf = (slot) => `${slot.closest("[data-sheet]") ? "guess" : "own"} ${slot.dataset.slot}`;

function notePlan() {
  const all = form() ? slots() : [];
  draft.before = form() && {
    ...shown(),
    signs: new Map(all.map((slot) => [placeOf(slot), slot.dataset.sign])),
    words: planned(),
    isWhole: !isDisabled(sealButton()),
    steps: new Map(all.map(({ dataset: { slot } }) => [slot, supposed(slot)])),
  };
}

/** The sentences of what has changed since `notePlan`. */
function changes() {
  const { signs, words } = draft.before;
  const before = (slot) => signs.get(placeOf(slot)) ?? slot.dataset.sign;
  const changed = slots().filter((slot) => before(slot) !== slot.dataset.sign);
  if (changed.length) return changed.map(outcome);
  return draft.isNewAltogether || form().querySelector(".plan-words[data-all]") ? planned() : fresh(planned(), words);
}

function outcome(slot) {
  const n = slot.dataset.slot;
  if (!slot.dataset.sign || slot.matches(".owed")) return slot.getAttribute("aria-label");
  const own = textsOf(`.plan-words li[value="${n}"]`);
  return (own.length ? own : fresh(supposed(n), draft.before.steps.get(n) ?? [])).join(" ") || slot.getAttribute("aria-label");
}

/** Those of `now` that are not in `old`, as often as they are more. */
function fresh(now, old) {
  const left = [...old];
  return now.filter((one) => !left.includes(one) || !left.splice(left.indexOf(one), 1));
}

// ---- the board stays in sight ----

function fixedDock() {
  return [...form().querySelectorAll(".dock")].find((one) => getComputedStyle(one).position === "fixed");
}

// In a lesson what is asked stays in sight, and nothing moves, unless what was planned lies under the dock,
// or most of it.
function isHidden(film) {
  const ghosts = film?.querySelector("#ghosts")?.getBoundingClientRect(), dock = fixedDock();
  return ghosts?.height && dock && (ghosts.top + ghosts.bottom) / 2 > dock.getBoundingClientRect().top;
}

// While the board is out of sight, one reads: a phone's dock is a strip then (planner.css).
addEventListener("scroll", () => {
  const board = shownFilm()?.querySelector(".board-sheet");
  document.documentElement.classList.toggle("reading", Boolean(board) && board.getBoundingClientRect().bottom < READ);
}, { passive: true });

// On a phone the dock lies over the page's lower half: the board comes up from under it, no further than it
// must (but no line is cut), so that what stands above it stays in sight. The letters of the files may stay under it.
function uncover(film, spared = LETTERS) {
  const board = film?.querySelector(".board-sheet")?.getBoundingClientRect(), dock = fixedDock();
  if (!board || !dock) return;
  const covered = board.bottom + 4 - dock.getBoundingClientRect().top;
  if (board.top < 0) {
    if (!draft.isOnBoard) film.scrollIntoView({ block: "start" }); // a square that was tapped is in sight
  } else if (covered > spared) {
    scrollBy({ top: covered - LETTERS > BAR ? board.top - 4 : BAR, behavior: "instant" });
  }
}

// ---- at first sight ----

for (const { dataset } of document.querySelectorAll(".keys [data-key]")) keys.digits.set(dataset.sign, dataset.key);
writeDigits();
rove();
// A match that is opened to plan shows the whole board, unless friends are to be invited first. In a lesson the
// board fits (lesson.js).
const opened = document.querySelector("#live [data-film].at-last:not(.lingering)");
const invites = document.getElementById("invite");
if (opened && form() && !location.hash && !invites) requestAnimationFrame(() => uncover(opened, 0));
