// The live part of a match's page (#live): what is shown there, and how an update takes the place of what was shown
// before. line.js says when there is news, and this fetches it; a turn that was played is shown as a film (film.js),
// and whatever somebody had open, had typed or had in hand stays with them. Where JavaScript fails, reloading does
// the same. A lesson has no live part, only its planner: there this keeps the focus. The events between scripts are
// listed in docs/scripts.md.
import { current, last, pause, play, present, show, tellStep } from "./film.js";
import { htmx, idle, isBusy, keepUp } from "./line.js";
import { wake } from "./site.js";

const BOARD = "#film:not(.playing) .board-sheet";
const LINES = 64; // pixels that the status may grow by without moving the board
const still = matchMedia("(prefers-reduced-motion: reduce)");
const narrow = matchMedia("(max-width: 40rem)");

const live = () => document.getElementById("live");
const numberIn = (name) => Number(live()?.dataset[name] ?? 0);
const isOver = () => "over" in (live()?.dataset ?? {});

/** The mark of this page, so that it does not hear of its own taps. */
export const tab = Math.random().toString(36).slice(2);

const shown = {
  turn: numberIn("turn"),
  takenBack: numberIn("takenBack"), // how often turns have been taken back
  isEndSeen: false, // the film has shown how the match ended
  here: "", // letters of the seats that are here, as the socket says it
  news: 0, // the newest version heard of that is not fetched yet; Infinity: fetch in any case
  fetches: "", // the turn that is being fetched, as in `?at=`
  nextFilm: null, // what to fetch after that: arguments of `fetchFilm`
  film: null, // how the film stood before the update, for `goOn`
  bubblesAway: -1, // the turn whose speech bubbles the reader has put away
  beside: [], // what lies beside the film while it runs, and where: [{ one, fixed, top }]
  refusal: null, // why something was not done, and in which turn: { error, turn }
  place: null, // what had the focus and what was open before a swap
  focused: new WeakSet(), // had the focus when they asked: not every browser gives it to a link that is clicked
  field: null, // the field in sight in which somebody wrote before the last swap
  kept: null, // the field or the list that somebody has in hand, and where it stood: { selector, top }
};

// ---- news ----

const { socket, versionUrl } = live()?.dataset ?? {}; // the whole page names them, its updates do not
keepUp(socket, versionUrl, (news) => {
  countWaiting(news.waiting);
  if ("here" in news) showHere(news.here);
  if (news.said) htmx.trigger(document.body, "said"); // whatever shows it listens for that
  if (news.version) refresh(news.version);
  // a draft that has changed has no version
  else if ("draft" in news ? news.draft !== tab : news.missed && document.getElementById("plan")) refresh();
  else if (news.ended && shown.news) refresh(shown.news);
});

// The players who are here are shown once the socket says it.
function showHere(letters) {
  if (letters || shown.here) import("./here.js").then(({ show }) => show(letters), () => {});
  shown.here = letters;
}

// How many matches wait: every update says it, and so does the version. The header shows it (games.js).
const countWaiting = (n) => n != null && import("./games.js").then(({ count }) => count(n), () => {});

document.addEventListener("live:changed", () => refresh()); // by another script of this page

// What the page has already need not come again: the site leaves out parts whose marks it is told.
document.addEventListener("htmx:configRequest", ({ detail }) => {
  const marks = [...document.querySelectorAll("#live [data-kept]")].map((one) => one.dataset.kept);
  if (marks.length) detail.headers["Robosite-Parts"] = marks.join(" ");
});

// A request under way may bring the news already, so the page asks only when there is none.
function refresh(version = Infinity) {
  shown.news = Math.max(shown.news, version);
  if (isBusy() || shown.fetches || !live() || shown.news <= numberIn("version")) return;
  // an envelope that is being closed (planner.js) may bring the news itself
  const folds = document.documentElement.matches(".folding");
  if (folds) return void setTimeout(() => shown.news && refresh(shown.news), 200);
  shown.news = 0;
  fetchLive();
}

/** The address of the match's page, also where a form without planner.js has led to its own. */
const home = () => location.pathname.replace(/plan\/$/, "");

function fetchLive() {
  // a film that plays goes on where it is, and then to what is new
  const film = document.querySelector("#live [data-film].playing[data-number]");
  const asked = home() === location.pathname ? location.search : "";
  const here = home() + (film ? `?at=${film.dataset.number}.${current(film)}` : asked);
  return swapIn(here, "#live").catch(() => {});
}

const swapIn = (address, target, source = document.body) =>
  htmx.ajax("GET", address, { source, target, swap: "outerHTML" });

/** Fetches the present state; false if it did not come. A page without a live part has nothing to fetch. */
export async function lookAgain() {
  await idle();
  const before = live();
  if (before) await fetchLive();
  return !before || live() !== before;
}

// The board as a grid, for the first key, or a moment later for readers of the screen that send none.
const loadGrid = () => import("./grid.js").catch(() => {});
addEventListener("keydown", loadGrid, { once: true, capture: true });

// Scripts that nobody waits for come after the first sight: times that go on, and messages said aloud.
setTimeout(() => {
  loadGrid();
  const scripts = [import("./suspense.js"), import("./times.js"), import("./heard.js"), import("./news.js")];
  scripts.push(import("./stays.js").then(({ begin }) => begin(nameOf)));
  scripts.push(import("./waiting_film.js"));
  if (!navigator.connection?.saveData) scripts.push(import("./checked.js"));
  for (const script of scripts) script.catch(() => {});
}, 2000);

// ---- swaps: an answer takes the place of what was shown ----

document.addEventListener("submit", ({ target }) => {
  if (target.id === "bubbles") shown.bubblesAway = numberIn("turn");
}, true);

document.addEventListener("htmx:beforeSwap", (event) => {
  noteRefusal(event);
  notePlace(event);
  noteFilm(event);
});

// An answer that comes late takes the focus only from where it was asked for: keys go on to where somebody has moved.
document.addEventListener("htmx:beforeRequest", ({ target }) => {
  if (target.contains(document.activeElement)) shown.focused.add(target);
});

function hasMovedOn(from) {
  const { activeElement: now, body } = document;
  return !from.contains(now) && (now !== body || (from.isConnected && shown.focused.has(from)));
}

// The planner goes on after this (live:swapped): only then has the focus its place again.
document.addEventListener("htmx:afterSwap", ({ target, detail }) => {
  // until it has settled, when htmx gives the focus to [autofocus]
  const isAway = !target.contains(document.activeElement) && hasMovedOn(detail.requestConfig.elt);
  target.inert = isAway && Boolean(target.querySelector("[autofocus]"));
  showRefusal();
  // an update that was under way when the reader put the speech bubbles away brings them again
  if (shown.bubblesAway === numberIn("turn")) document.getElementById("bubbles")?.remove();
  if (shown.place) returnPlace(shown.place);
  document.dispatchEvent(new CustomEvent("live:swapped", { detail }));
});

document.addEventListener("htmx:afterSettle", ({ target, detail }) => {
  keepInPlace();
  target.inert = false;
  // whoever asks for the talk writes, also where it was open already
  const { elt } = detail.requestConfig;
  if (elt.id === "bubble" && !hasMovedOn(elt)) document.getElementById("say-text")?.focus();
  // a field has the focus once: else each update would take it there again, with the talk that stays open
  document.querySelector(":is(#talk, .with-turn) [autofocus]")?.removeAttribute("autofocus");
  countWaiting(live()?.dataset.waiting);
  if (target.id === "live") showTurn(); // whatever came with it has settled, too
});

// ---- the menu ----

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-menu]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  import("./menu.js").then(({ open }) => open(link)).catch(() => location.assign(link.href));
});

// ---- a turn that was played ----

document.addEventListener("film:turn", ({ detail }) => fetchFilm(detail.at, detail.playing));

document.addEventListener("film:step", ({ target: film, detail: { number } }) => {
  nameAddress(film, number);
  if (film.dataset.told) return; // not the real film
  if (!film.matches(".lingering")) nameTab(film);
  else import("./suspense.js").catch(() => present(film)); // it does so later
  nameTitle(film);
  requestAnimationFrame(() => { // what measures the page lays out the frame that is painted next, and no other
    if (number === 1) free(film);
    glide(film);
  });
  nameBoard(film);
});

document.addEventListener("film:drawn", ({ target }) => nameTab(target));

// A turn that was revealed while somebody looked on is played by itself; readers who watch an older one through go on
// with that.
function showTurn() {
  const { turn, film: before } = shown, now = numberIn("turn");
  const film = document.querySelector("[data-film]");
  const undone = numberIn("takenBack") !== shown.takenBack;
  const again = undone && now === turn; // another turn of this number has been played meanwhile
  const old = again ? null : before, seen = again ? turn - 1 : turn;
  update(undone);
  shown.turn = now;
  shown.takenBack = numberIn("takenBack");
  if (film && old && film.dataset.number === old.number) return goOn(film, old, now > seen);
  if (now <= seen || !film || (location.search.includes("at=") && !("since" in film.dataset))) return;
  // it was asked for while the turn before still played
  if ("past" in film.dataset) return fetchFilm(`${seen + 1}.1`, true);
  reveal(film);
  film.dataset.fresh = "";
  show(film, 0, { cut: true, silent: true });
  begin(film);
}

/** Plays the film, or lets it wait for whoever writes a message (waiting_film.js). */
function begin(film, waits = false) {
  if (!waits && !inHand()) return play(film);
  film.dataset.waits = "";
  film.dispatchEvent(new CustomEvent("film:waits", { bubbles: true }));
}

function update(undone) {
  if (shown.isEndSeen) unveil();
  setTimeout(unveilAtEnd); // unless there is a film to be played first
  shown.film = null;
  if (undone) document.getElementById("film-says").textContent = "";
  renew(undone);
}

/** Notes how the film stands as an update comes; it stops there, since its next step is for the one that comes. */
function noteFilm({ target, detail }) {
  const film = live()?.querySelector("[data-film]");
  if (target.id !== "live") return void (film && noteBeside(film)); // a tap of the planner may lead to the present
  shown.film = stateOf(target.querySelector("[data-film][data-number]"));
  if (film && detail.shouldSwap) pause(film);
}

const stateOf = (film) =>
  film && {
    number: film.dataset.number,
    step: current(film),
    atLast: current(film) >= last(film),
    past: "past" in film.dataset,
    playing: film.classList.contains("playing"),
    lingering: film.classList.contains("lingering"),
    fresh: film.dataset.fresh, // "", "told" or nothing
    waits: "waits" in film.dataset,
  };

// The same turn again, since something else on the page is new: it is neither begun again nor said twice. A film that
// waits to be watched goes on waiting, and a turn is begun that came with the update before, a moment ago.
function goOn(film, old, begins) {
  if (film.classList.contains("playing")) return;
  // it may have ended just before the news
  const wentOn = film.dataset.after && !old.past && old.atLast;
  if (!old.playing && !old.lingering && !wentOn && old.fresh == null) return;
  if (current(film) !== old.step) show(film, old.step, { cut: true, silent: true });
  if (old.fresh != null && (!old.atLast || old.lingering)) film.dataset.fresh = old.fresh;
  if (begins) reveal(film);
  if (old.playing || wentOn) play(film);
  else if (begins || old.waits) begin(film, old.waits);
  else film.classList.toggle("lingering", film.matches(".at-last"));
  nameTitle(film);
}

// Another turn for the board. A step forward is seen as one: it begins where the turn before it ended.
async function fetchFilm(at, playing) {
  if (shown.fetches) return void (shown.nextFilm = shown.fetches === at ? null : [at, playing]); // each is told once
  shown.fetches = at;
  try {
    await idle();
    const before = document.getElementById("film");
    await swapIn(`${home()}?at=${at}`, "#film");
    const film = document.getElementById("film");
    if (film === before) return; // it did not come, and the page says so
    if (film?.dataset.better) film.querySelector(".board-sheet").scrollIntoView({ block: "nearest" });
    if (!at.endsWith(".1") || film?.dataset.number !== at.split(".")[0]) {
      nameAddress(film, current(film));
      return playing && play(film);
    }
    show(film, 0, { cut: true, silent: true });
    if (playing) play(film);
    else show(film, 1);
  } catch {
    // the line is lost, and the page says so
  } finally {
    shown.fetches = "";
    const next = shown.nextFilm;
    shown.nextFilm = null;
    if (next) fetchFilm(...next);
    else if (shown.news) refresh(shown.news);
  }
}

// The address is that of the step shown, so that it can be kept and sent; without one, it is that of the
// present.
function nameAddress(film, number) {
  const now = number >= last(film) && !("past" in film.dataset);
  const { number: turn, better } = film.dataset;
  if (!turn) return;
  const at = `?at=${turn}.${number}` + (better ? `&better=${better}` : "");
  history.replaceState(history.state, "", now && !better ? location.pathname : at);
}

// The tab says how the match ended once the film has shown it.
function nameTab(film) {
  const { title, teaser } = live()?.dataset ?? {};
  if (title && film.classList.contains("at-last")) unveil();
  if (title) document.title = shown.isEndSeen ? title : teaser;
}

// The drawing says which step it shows.
function nameBoard(film) {
  const board = film.querySelector("svg.board"), now = film.querySelector(".words-now b");
  if (!board || !now) return;
  const title = film.querySelector("[data-words]:not([hidden]) [data-words-title]") ?? now;
  board.dataset.name ??= board.getAttribute("aria-label");
  const words = title.textContent.trim().replace(/:$/, "");
  board.setAttribute("aria-label", `${board.dataset.name}. ${words}`);
}

/** The heading is heard as the turn that it is now, though the eye still sees the one whose last step is to be read. */
function nameTitle(film) {
  document.getElementById("turn-shown")?.setAttribute("aria-hidden", film.matches(".lingering"));
}

/** The film has shown how the match ended, so the page no longer asks, whatever it shows next. */
function unveil() {
  shown.isEndSeen = true;
  delete live().dataset.veiled;
}
const unveilAtEnd = () => isOver() && document.querySelector("#film.at-last:not([data-fresh=''])") && unveil();

// ---- where things stand while a film runs ----

const gently = () => (still.matches ? "auto" : "smooth");

/** The field in which somebody writes a message or a note: nothing moves it away from under their hands. */
const written = () => document.activeElement?.closest("#talk textarea");

/** That field, if it was in sight before the update: whoever has left it for the board is not taken back to it. */
const inHand = () => shown.field && written();

function isInSight(one) {
  const { top, bottom } = one.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

/** Brings the board into sight with the next frame, and beside it the sentences of the turn. */
const reveal = (film) => requestAnimationFrame(() => inHand() || uncoverTurn(film));

function uncoverTurn(film) {
  const board = film.querySelector(".board-sheet") ?? film, sentences = document.getElementById("happened");
  if (narrow.matches) {
    scrollTo({ top: 0, behavior: "instant" });
    return free(film);
  }
  // the board stays when the sentences scroll
  const { top, bottom } = sentences.getBoundingClientRect();
  const isSeen = top >= 0 && Math.min(bottom, top + 200) <= innerHeight;
  (isSeen ? board : sentences).scrollIntoView({ block: isSeen ? "nearest" : "start", behavior: gently() });
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

// While the film runs, the programs of its turn lie at hand: beside the board, or over a phone's lower edge.
// From there they glide to their place, and the planner to its own.
function noteBeside(film) {
  const runs = film.matches(":not(.at-last), .lingering");
  const places = narrow.matches ? "#happened .programs, #plan .dock" : "#live > .side > *";
  shown.beside = runs ? [...document.querySelectorAll(places)].map((one) => ({ one, ...spot(one) })) : [];
}

function glide(film) {
  const old = shown.beside, scrolled = scrollY;
  noteBeside(film);
  if (shown.beside.length || !old.length) return;
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

// ---- what an update leaves where it is ----

/** Fetches again what an update has left in place, where it is no longer true. */
function renew(undone) {
  const { new: unread } = live().dataset;
  const counted = parseInt(document.querySelector("#talk-new .count")?.textContent) || 0;
  if (unread !== undefined && Number(unread) !== counted) htmx.trigger(document.body, "said");
  import("./heard.js").then(({ renewTalk }) => renewTalk(undone), () => {});
}

// Why something was not done stays through an update that nobody asked for, as long as the turn is the same; it has
// been read out.
function noteRefusal({ target, detail: { requestConfig } }) {
  const error = target.id === "live" && requestConfig.verb === "get" && document.getElementById("error");
  shown.refusal = error ? { error, turn: live().dataset.turn } : null;
}

function showRefusal() {
  const { error, turn } = shown.refusal ?? {};
  if (!error || turn !== live()?.dataset.turn || document.getElementById("error")) return;
  error.removeAttribute("role");
  const header = live().querySelector("header");
  (header.querySelector(".goal") ?? header.querySelector("#status")).after(error);
}

// A swap folds up what was open and takes away what had the focus: afterwards the same things are open, and the same
// control has the focus. Where it is gone (a seal, a reveal), the focus goes to the title, which says what is to be
// done now.
const page = () => live() ?? document.getElementById("lesson");
const controls = (kind) => [...(page()?.querySelectorAll(kind) ?? [])];

/** The name by which a control is known in the next state of the page. */
function nameOf(control) {
  const { id, value, dataset, textContent, tagName, form, name } = control;
  const own = id || value || Object.entries(dataset).join() || textContent.trim();
  return [tagName, form?.dataset.turn, name, own].join();
}

function notePlace({ target, detail }) {
  const focus = page()?.contains(document.activeElement) ? document.activeElement : null;
  const isOnBoard = Boolean(focus?.closest(".taps"));
  // a plan's words grow above the field in which it is typed
  const isTyped = target.id === "plan" && focus?.matches("[name=typed]");
  shown.field = written() && isInSight(written()) ? written() : null;
  const field = isTyped ? focus : shown.field;
  // a bot that sits down brings new lines above the list of bots, and news of the others above the board
  const bots = (focus ?? detail.requestConfig?.elt)?.closest?.("#bots");
  const board = target.id === "live" && detail.requestConfig?.verb === "get" && document.querySelector(BOARD);
  const still = field ?? bots ?? (board || null);
  const selector = isTyped ? "#plan [name=typed]" : field ? `#${field.id}` : bots ? "#bots" : BOARD;
  // an update that comes before the last one was scrolled for keeps the place from which it came
  const before = shown.kept?.selector === selector ? shown.kept.top : still?.getBoundingClientRect().top;
  shown.place = {
    focus,
    isOnBoard,
    kept: still ? { selector, top: before, turn: numberIn("turn"), scrolled: scrollY } : null,
    name: focus && nameOf(focus),
    open: controls("details[open]:not([data-asks]) > summary").map(nameOf),
  };
}

function returnPlace({ focus, isOnBoard, kept, name, open }) {
  for (const summary of controls("details:not([open]) > summary")) {
    if (open.includes(nameOf(summary))) summary.parentElement.open = true;
  }
  if (focus && document.activeElement === document.body) {
    wake(page()); // until then the controls of a film, and those that copy, are hidden, and take no focus
    const all = controls("a, button, input, select, summary, textarea");
    const found = all.find((one) => one === focus || nameOf(one) === name);
    const same = found?.closest("details:not([open])")?.querySelector("summary") ?? found;
    // a square that was tapped away leads to another one, a message that is saved to where it is kept
    const next = same ?? all.find((one) => (isOnBoard ? one.closest(".taps") : one.autofocus)) ?? title();
    next.focus({ preventScroll: true });
  }
  shown.kept = kept?.selector === BOARD && kept.turn !== numberIn("turn") ? null : kept; // a film finds its own place
  shown.place = null;
}

function title() {
  const heading = document.getElementById("film-title");
  heading.tabIndex = -1;
  return heading;
}

/** Scrolls so that a plan that is typed, or the list of bots, stands where it stood before the swap. */
function keepInPlace() {
  const { kept } = shown;
  if (!kept) return;
  // other scripts wake what they need, in the next frames, and that takes room or frees it
  const keep = (frames) => {
    if (shown.kept !== kept) return; // a later update keeps it, or the reader moves on
    const one = document.querySelector(kept.selector);
    const far = one ? one.getBoundingClientRect().top - kept.top : 0;
    const isNotice = kept.selector === BOARD && Math.abs(scrollY + far - kept.scrolled) > LINES; // it is to be seen
    scrollBy({ top: isNotice ? kept.scrolled - scrollY : far, behavior: "instant" });
    if (isNotice) return void (shown.kept = null);
    if (frames) requestAnimationFrame(() => keep(frames - 1));
    else shown.kept = null;
  };
  requestAnimationFrame(() => keep(3));
}
for (const kind of ["pointerdown", "wheel"]) {
  addEventListener(kind, () => (shown.kept = null), { capture: true, passive: true });
}

// ---- at first sight ----

const linked = new URLSearchParams(location.search).has("at");
for (const film of document.querySelectorAll("[data-film][data-since]")) nameAddress(film, current(film));
for (const film of document.querySelectorAll("#film")) nameTitle(film);
for (const film of document.querySelectorAll(linked ? "[data-film]" : "[data-film][data-since]")) {
  if (linked) tellStep(film);
  requestAnimationFrame(() => free(film));
}
// What is new is played by itself, as on an open page, but for an end, which one asks for.
const news = document.querySelector(`[data-plays]${linked || isOver() ? "" : ", [data-since]"}`);
if (news) setTimeout(() => news.matches(".at-last") || play(news), 600);
unveilAtEnd();
