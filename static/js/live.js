// Keeps a match's page right by itself: the socket says "changed", and the page asks again. Where the socket
// fails, it asks for the version every now and then; where JavaScript fails, reloading does the same.
import { current, last, play, show, tellStep } from "./film.js";
import { isLost, lineIs, listen, onLost, patience } from "./line.js";

/** This page, so that it does not hear of its own taps. */
export const tab = Math.random().toString(36).slice(2);

const live = () => document.getElementById("live");
// the whole page names them, its updates do not
const { socket: socketPath, versionUrl } = live()?.dataset ?? {};
const seen = () => Number(live()?.dataset.version ?? 0);
const still = matchMedia("(prefers-reduced-motion: reduce)");
const narrow = matchMedia("(max-width: 40rem)");

let failures = 0; // how often the socket was tried in vain
let away = false; // the last request was lost
let later = 0;
let flying = 0; // requests of htmx under way
const waiting = [];
let leaving = false; // an answer sent the page elsewhere: what it asks now could send it elsewhere again
let wanted = 0; // the newest version heard of; Infinity: in any case

// What htmx is asking for may bring the news already, so the page asks only when nothing is under way.
function refresh(version = Infinity) {
  wanted = Math.max(wanted, version);
  if (flying || asking || leaving || !live() || wanted <= seen()) return;
  // an envelope that is being closed (planner.js) may bring the news itself
  const folds = document.documentElement.matches(".folding");
  if (folds) return void setTimeout(() => wanted && refresh(wanted), 200);
  wanted = 0;
  fetchLive();
}

function fetchLive() {
  // what plays goes on where it is, and then to what is new
  const film = document.querySelector("#live [data-film].playing[data-number]");
  const here = location.pathname + (film ? `?at=${film.dataset.number}.${current(film)}` : location.search);
  return htmx.ajax("GET", here, { source: document.body, target: "#live", swap: "outerHTML" }).catch(() => {});
}

/** Fetches what is true now; false if it did not come. A page without a live part has nothing to fetch. */
export async function lookAgain() {
  await idle();
  const before = live();
  if (before) await fetchLive();
  return !before || live() !== before;
}

/** Settles when no request is under way: two at once would each swap what the other is about to. */
export const idle = () => (flying ? new Promise((done) => waiting.push(done)) : Promise.resolve());

/** Lets the next one go on that waits for that, and after it, unless it asks for something, the one after. */
function wake() {
  if (flying || !waiting.length) return;
  waiting.shift()();
  setTimeout(wake);
}

// What the page has already need not come again: the site leaves out parts whose marks it is told.
document.addEventListener("htmx:configRequest", ({ detail }) => {
  const marks = [...document.querySelectorAll("#live [data-kept]")].map((one) => one.dataset.kept);
  if (marks.length) detail.headers["Robosite-Parts"] = marks.join(" ");
});

// The request itself is heard, since htmx tells nobody of its end when what asked has gone from the page
// meanwhile.
document.addEventListener("htmx:beforeSend", ({ detail }) => {
  const aside = detail.target?.closest("#talk, #talk-new") ? 1 : 0; // a tap does not wait for what is being said
  flying += 1 - aside;
  detail.xhr.addEventListener("loadend", () => {
    flying -= 1 - aside;
    if (detail.xhr.getResponseHeader("HX-Redirect")) leave();
    if (!isLost(detail.xhr)) back();
    wake();
    setTimeout(() => wanted && refresh(wanted), 50);
  });
});

// It goes elsewhere, unless the line is lost on the way.
function leave() {
  leaving = true;
  setTimeout(() => (leaving = false), 10_000);
}

// Between two tries the version is asked for, at the latest every half minute.
const connect = socketPath
  ? listen(socketPath, {
      hear,
      opened(vain) {
        failures = 0;
        report();
        if (!vain) return;
        htmx.trigger(document.body, "said");
        if (document.getElementById("plan")) refresh(); // a draft may have changed, of which no version tells
      },
      closed(vain) {
        failures = vain;
        showHere("");
        report();
        if (vain > 2) ask();
      },
    })
  : () => {};

const report = () => lineIs(away ? "away" : failures > 1 ? "late" : "");

// How many matches wait: every update says it, and so does the version. The header shows it (games.js).
const count = (waiting) => waiting != null && import("./games.js").then((header) => header.count(waiting), () => {});

async function ask() {
  try {
    const answer = await fetch(versionUrl, { headers: { Accept: "application/json" }, signal: patience() });
    if (answer.status < 500) back();
    if (answer.ok) {
      const { version, waiting } = await answer.json();
      count(waiting);
      return refresh(version);
    }
    if (answer.status >= 500) again();
  } catch {
    again();
  }
}

// What was asked for did not come, perhaps since the site was busy: the page looks again a little later.
function again() {
  away = true;
  report();
  clearTimeout(later);
  later = setTimeout(() => live() && ask(), 2000 + 4000 * Math.random());
}
onLost(again);

// An answer came again: what was said meanwhile, or happened, may have been lost.
function back() {
  if (!away) return;
  away = false;
  report();
  htmx.trigger(document.body, "said");
}

function hear(message) {
  if (message.version) refresh(message.version);
  if ("here" in message) showHere(message.here);
  if (message.said) htmx.trigger(document.body, "said"); // whatever shows it listens for that
  if (message.games) ask(); // another match, so the number of those that wait
  if ("draft" in message && message.draft !== tab) refresh();
}

// Who else is here is shown once the socket says it.
let here = "";
function showHere(letters) {
  if (letters || here) import("./here.js").then(({ show }) => show(letters), () => {});
  here = letters;
}

// What nobody waits for comes after the first sight: times that go on, and messages said aloud.
setTimeout(() => {
  for (const later of [import("./times.js"), import("./heard.js")]) later.catch(() => {});
}, 2000);

// A page that the browser fetched before it was asked for (web/views.py) counts as seen only now, and may be old.
if (performance.getEntriesByType("navigation")[0]?.deliveryType === "navigational-prefetch" && live()) {
  fetch(location.href, { cache: "no-store", signal: patience() }).catch(() => {});
  ask();
}

document.addEventListener("live:changed", () => refresh()); // by another script of this page

// A phone that wakes up, or a page that comes back from the browser's memory, looks at once.
function look() {
  if (document.visibilityState !== "visible" || !live()) return;
  leaving = false;
  ask();
  connect();
}
for (const name of ["visibilitychange", "online", "pageshow"]) {
  const at = name === "visibilitychange" ? document : window;
  // a page that has just been loaded is true, and its socket says the version as it opens
  at.addEventListener(name, ({ persisted }) => persisted !== false && look());
}
addEventListener("pagehide", () => connect.close?.()); // browsers keep no page in memory that has an open socket

// A turn that was revealed while somebody looked on is played by itself; who is watching an older one
// through, goes on with that.
let was = null; // how the film stood when an update came: once it is gone from the page, it stops by itself
let turn = Number(live()?.dataset.turn ?? 0);
const takenBack = () => Number(live()?.dataset.takenBack ?? 0);
let known = takenBack(); // how often turns have been taken back
const isOver = () => "over" in (live()?.dataset ?? {});
let over = isOver();
let endShown = false;
document.addEventListener("htmx:afterSettle", ({ target }) => {
  if (held !== null) {
    const typed = document.querySelector("#plan [name=typed]:focus");
    if (typed) scrollBy({ top: typed.getBoundingClientRect().top - held, behavior: "instant" });
    held = null;
  }
  // a field has the focus once: else each update would take it there again, with the talk that stays open
  document.querySelector("#talk [autofocus]")?.removeAttribute("autofocus");
  const now = Number(live()?.dataset.turn ?? 0);
  const film = document.querySelector("[data-film]");
  count(live()?.dataset.waiting);
  const undone = takenBack() !== known;
  const again = undone && now === turn; // another turn of this number has been played meanwhile
  const before = again ? turn - 1 : turn, old = again ? null : was;
  if (target.id === "live") {
    if (isOver() && !over) rest();
    over = isOver();
    if (endShown) unveil();
    setTimeout(unveilAtEnd); // unless there is a film to be played first
    was = null;
    if (undone) document.getElementById("film-says").textContent = "";
    renew(undone);
  }
  known = takenBack();
  turn = now;
  if (film && old && film.dataset.number === old.number) return goOn(film, old, now > before);
  if (now <= before || !film || (location.search.includes("at=") && !("since" in film.dataset))) return;
  // it was asked for while the turn before still played
  if ("past" in film.dataset) return another(`${before + 1}.1`, true);
  reveal(film);
  film.dataset.fresh = "";
  show(film, 0, { cut: true, silent: true });
  play(film);
});

// On a phone the button for the next match stands where a tap led on to one's turn before. So just after the end
// has been shown, a first tap on it is answered by a question.
const REST = 4000; // milliseconds
let rests = 0; // until when
const rest = () => (rests = performance.now() + REST);
addEventListener("pageshow", ({ persisted }) => persisted && (rests = 0));

document.addEventListener("submit", (event) => {
  if (!event.target.matches(".once-more") || performance.now() > rests) return;
  event.preventDefault();
  rests = 0;
  event.target.querySelector("[role=alert]").hidden = false;
});

const gently = () => (still.matches ? "auto" : "smooth");

/** The board comes into sight with the next frame, and beside it what is told of the turn. */
const reveal = (film) => requestAnimationFrame(() => uncoverTurn(film));

function uncoverTurn(film) {
  const board = film.querySelector(".board-sheet") ?? film, told = document.getElementById("happened");
  if (narrow.matches) {
    scrollTo({ top: 0, behavior: "instant" });
    return free(film);
  }
  // the board stays when what is told scrolls
  const { top, bottom } = told.getBoundingClientRect();
  const seen = top >= 0 && Math.min(bottom, top + 200) <= innerHeight;
  (seen ? board : told).scrollIntoView({ block: seen ? "nearest" : "start", behavior: gently() });
}

const stands = (film) =>
  film && {
    number: film.dataset.number,
    step: current(film),
    atLast: current(film) >= last(film),
    past: "past" in film.dataset,
    playing: film.classList.contains("playing"),
    lingering: film.classList.contains("lingering"),
    fresh: "fresh" in film.dataset,
  };

// The same turn again, since something else on the page is new: it is neither begun again nor told twice. What
// waits to be watched goes on waiting, and a turn is begun that came with the update before, a moment ago.
function goOn(film, old, begins) {
  if (film.classList.contains("playing")) return;
  // it may have ended just before the news
  const wentOn = film.dataset.after && !old.past && old.atLast;
  if (!old.playing && !old.lingering && !wentOn && !old.fresh) return;
  if (current(film) !== old.step) show(film, old.step, { cut: true, silent: true });
  if (old.fresh && !old.atLast) film.dataset.fresh = "";
  if (begins) reveal(film);
  if (old.playing || wentOn || begins) play(film);
  else film.classList.toggle("lingering", film.matches(".at-last"));
}

// Another turn for the board. A step forward is seen as one: it begins where the turn before it ended.
let asking = false;
let asked = null; // what is to be asked for after that
document.addEventListener("film:turn", ({ detail }) => another(detail.at, detail.playing));

async function another(at, playing) {
  if (asking) {
    asked = [at, playing];
    return;
  }
  asking = true;
  try {
    await idle();
    const before = document.getElementById("film");
    const into = { source: document.body, target: "#film", swap: "outerHTML" };
    await htmx.ajax("GET", `${location.pathname}?at=${at}`, into);
    const film = document.getElementById("film");
    if (film === before) return; // it did not come, and the page says so
    if (film?.dataset.better) film.querySelector(".board-sheet").scrollIntoView({ block: "nearest" });
    if (!at.endsWith(".1") || film?.dataset.number !== at.split(".")[0]) {
      step(film, current(film));
      return playing && play(film);
    }
    show(film, 0, { cut: true, silent: true });
    show(film, 1);
    if (playing) play(film);
  } catch {
    // the line is lost, and the page says so
  } finally {
    asking = false;
    const next = asked;
    asked = null;
    if (next) another(...next);
    else if (wanted) refresh(wanted);
  }
}

// The address is that of the step shown, so that it can be kept and sent; without one, it is that of the
// present.
function step(film, number) {
  const now = number >= last(film) && !("past" in film.dataset);
  const { number: turn, better } = film.dataset;
  if (!turn) return;
  const at = `?at=${turn}.${number}` + (better ? `&better=${better}` : "");
  history.replaceState(history.state, "", now && !better ? location.pathname : at);
}
for (const film of document.querySelectorAll("[data-film][data-since]")) {
  step(film, current(film));
}
const linked = new URLSearchParams(location.search).has("at");
for (const film of document.querySelectorAll(linked ? "[data-film]" : "[data-film][data-since]")) {
  if (linked) tellStep(film);
  requestAnimationFrame(() => free(film));
}

// On a short phone the board goes up where the programs, or the dock, would lie on the film's controls.
function free(film) {
  const controls = film.querySelector("[data-play]");
  if (!controls || film.matches(".at-last:not(.lingering)")) return; // the desk may lie on them
  const lowest = controls.getBoundingClientRect().bottom;
  const above = [...document.querySelectorAll("#happened .programs, .dock")];
  const fixed = above.filter((one) => getComputedStyle(one).position === "fixed");
  const covered = fixed.some((one) => lowest > one.getBoundingClientRect().top);
  if (covered) film.scrollIntoView({ block: "start", behavior: "instant" });
}

// What was just revealed at a shared device is played by itself, as everywhere else.
const revealed = document.querySelector("#live [data-film][data-plays]");
if (revealed) setTimeout(() => play(revealed), 600);

// What an update leaves where it is, is asked for anew where it is no longer true.
function renew(undone) {
  const { own: ownLink, new: unread } = live().dataset, own = document.getElementById("own-link");
  if (own && own.dataset.mark !== ownLink) {
    htmx.ajax("GET", location.pathname, { source: own, target: own, swap: "outerHTML" }).catch(() => {});
  }
  const counted = parseInt(document.querySelector("#talk-new .count")?.textContent) || 0;
  if (unread !== undefined && Number(unread) !== counted) htmx.trigger(document.body, "said");
  renewTalk(undone);
}

// What is open for talk stays, and with it what is half typed: but a form for another turn, or for other people,
// does not.
function renewTalk(undone) {
  const form = document.querySelector("#talk form");
  const typed = [...(form?.querySelectorAll("textarea, [name=word]") ?? [])];
  if (!form || typed.some((field) => field.value !== field.defaultValue)) return;
  const { turn, table } = form.elements, now = live().dataset;
  const gone = turn && (undone || turn.value !== now.turn);
  if (!gone && (!table || !now.at || table.value === now.at)) return;
  htmx.ajax("GET", form.action, { source: "#talk", target: "#talk" }).catch(() => {});
}

/** The film has shown how the match ended, so the page no longer asks, whatever it shows next. */
function unveil() {
  endShown = true;
  delete live().dataset.veiled;
}
const unveilAtEnd = () => isOver() && document.querySelector("#film.at-last") && unveil();
unveilAtEnd();

// The tab says how the match ended once the film has shown it, and so does the voice.
function entitle(film) {
  const { title, teaser } = live()?.dataset ?? {};
  if (title && film.classList.contains("at-last")) unveil();
  if (title) document.title = endShown ? title : teaser;
  if (!title || !film.classList.contains("lingering")) return;
  const words = [...document.getElementById("status").childNodes].filter((one) => one.ariaHidden !== "true");
  const told = words.map((one) => one.textContent.trim()).join(" ").trim();
  document.getElementById("film-says").textContent += ` ${told}`;
  const heading = document.getElementById("film-title");
  if (heading.getBoundingClientRect().top < 0) heading.scrollIntoView({ behavior: gently() });
}

// While the film tells of a turn its programs lie at hand: beside the board, or over a phone's lower edge.
// From there they glide to their place, and the planner to its own.
let lay = []; // what lies there, and where; empty once the film is over

function note(film) {
  const tells = film.matches(narrow.matches ? ":not(.at-last), .lingering" : ":not(.at-last)");
  const places = narrow.matches ? "#happened .programs, #plan .dock" : "#live > .side > *";
  lay = tells ? [...document.querySelectorAll(places)].map((one) => ({ one, ...spot(one) })) : [];
}

function settle(film) {
  const old = lay, scrolled = scrollY;
  note(film);
  if (lay.length || !old.length) return;
  // what was tapped stays under the hand
  const hand = old.find(({ one }) => one.id === "planner" && one.contains(document.activeElement));
  if (hand) scrollBy({ top: spot(hand.one).top - hand.top, behavior: "instant" });
  if (still.matches) return;
  for (const { one, fixed, top } of old) {
    const far = top - (fixed ? 0 : scrolled) - one.getBoundingClientRect().top;
    if (!one.isConnected || Math.abs(far) < 2) continue;
    const from = { transform: `translateY(${far}px)` };
    one.animate([from, { transform: "none" }], { duration: 350, easing: "ease-in-out" });
  }
}

/** Where it stands: in the window, or on the page if it scrolls with it. */
function spot(one) {
  const fixed = getComputedStyle(one).position === "fixed";
  return { fixed, top: one.getBoundingClientRect().top + (fixed ? 0 : scrollY) };
}

// The board in words follows the film; ghosts belong to its last frame.
document.addEventListener("film:step", ({ target, detail }) => {
  step(target, detail.number);
  if (target.dataset.told) return; // not the real film
  entitle(target);
  if (isOver() && target.matches(".playing.lingering")) rest();
  requestAnimationFrame(() => settle(target));
  if (detail.number === 1) free(target);
  for (const words of document.querySelectorAll("[data-words]")) {
    words.hidden = Number(words.dataset.words) !== detail.number;
  }
  nameBoard(target);
});

// The drawing says which step it shows.
function nameBoard(film) {
  const board = film.querySelector("svg.board"), now = film.querySelector(".words-now b");
  if (!board || !now) return;
  const title = film.querySelector("[data-words]:not([hidden]) [data-words-title]") ?? now;
  board.dataset.name ??= board.getAttribute("aria-label");
  const words = title.textContent.trim().replace(/:$/, "");
  board.setAttribute("aria-label", `${board.dataset.name}. ${words}`);
}

// A swap folds up what was open and takes away what had the focus; whoever stands there afterwards gets both
// back.
// Where the same control is gone (a seal, a reveal), the focus goes to the title, which says what is to be
// done now.
const named = (one) => {
  const own = one.id || one.value || Object.entries(one.dataset).join() || one.textContent.trim();
  return [one.tagName, one.form?.dataset.turn, one.name, own].join();
};
const page = () => live() ?? document.getElementById("lesson");
const controls = (kind) => [...(page()?.querySelectorAll(kind) ?? [])];
let had = null;
let held = null; // where the field stood in which a plan was typed

// Why something was not done stays through an update that nobody asked for, as long as the turn is the same; it has
// been read out.
let refusal = null;
document.addEventListener("htmx:beforeSwap", ({ target, detail: { requestConfig } }) => {
  const error = target.id === "live" && requestConfig.verb === "get" && document.getElementById("error");
  refusal = error ? { error, turn: live().dataset.turn } : null;
});
document.addEventListener("htmx:afterSwap", () => {
  if (!refusal || refusal.turn !== live()?.dataset.turn || document.getElementById("error")) return;
  refusal.error.role = null;
  const header = live().querySelector("header");
  (header.querySelector(".goal") ?? header.querySelector("#status")).after(refusal.error);
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const film = live()?.querySelector("[data-film]");
  if (event.target.id === "live") was = stands(event.target.querySelector("[data-film][data-number]"));
  else if (film) note(film); // a tap of the planner may lead to the present
  const focus = page()?.contains(document.activeElement) ? document.activeElement : null;
  const board = Boolean(focus?.closest(".taps"));
  // a plan's words grow above the field in which it is typed
  const typed = event.target.id === "plan" && focus?.matches("[name=typed]");
  const top = typed ? focus.getBoundingClientRect().top : null;
  had = { focus, board, top, name: focus && named(focus), open: controls("details[open] > summary").map(named) };
});

document.addEventListener("htmx:afterSwap", () => {
  if (!had) return;
  for (const summary of controls("details:not([open]) > summary")) {
    if (had.open.includes(named(summary))) summary.parentElement.open = true;
  }
  if (had.focus && document.activeElement === document.body) {
    const all = controls("a, button, input, select, summary");
    const same = all.find((one) => one === had.focus || named(one) === had.name);
    // a square that was tapped away leads to another one
    const next = same ?? ((had.board && all.find((one) => one.closest(".taps"))) || titled());
    next.focus({ preventScroll: true });
  }
  held = had.top;
  had = null;
});

function titled() {
  const title = document.getElementById("film-title");
  title.tabIndex = -1;
  return title;
}
