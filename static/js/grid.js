// The board as a grid of all its squares (APG): arrows go from square to square, and one of them is a stop for the Tab
// key. A square says what stands there and what bounds it, in the words that the page has (board_words.html); Enter does
// what a tap does, "?" says what reaches it and what it reaches, and "!", in the planner too, what stands where. Without this script the squares that can be tapped
// are buttons, and the board in words is a list.
import { current } from "./film.js";
import { keep, kept, say } from "./kept.js";
import { takesKeys } from "./keys.js";

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ENDS = { Home: -99, End: 99 };
const USUAL = 8; // columns and rows of a board that does not say how many it has

const grid = {
  at: "", // the square that is the stop for the Tab key
  held: "", // the square that had the focus before a swap
  ground: null, // the list of what never changes on the board, which updates leave out
  bounds: "", // the same, for each square
};

const film = () => document.querySelector("#film, .watch"); // a review has no match's film
const words = () => film()?.querySelector("details.words");
const taps = () => film()?.querySelector(".taps");
const cells = () => [...(taps()?.querySelectorAll("[role=gridcell]") ?? [])];

/** True if a text names a square, by itself or in a run such as `b1–h1`. */
function has(text, square) {
  const [, file, rank] = square.match(/(.)(.+)/);
  const isIn = ([, , from, row, to = from]) => row === rank && from <= file && file <= to;
  return [...text.matchAll(/(^|[^\p{L}\d])([a-p])(\d+)(?:–([a-p])\3)?(?!\d)/gu)].some(isIn);
}

// ---- the squares ----

/** Makes the grid of what has come, or brings it up to date. */
function lay() {
  const board = film()?.querySelector("svg.board");
  if (!board || !words()) return;
  // a button that moves while it is pressed is never clicked
  if (taps()?.querySelector(":active") && !taps().querySelector("[role=row]")) return void setTimeout(lay, 200);
  keepGround();
  if (!taps()) board.after(Object.assign(document.createElement("div"), { className: "taps" }));
  const all = taps(), size = getComputedStyle(all);
  const columns = Number(size.getPropertyValue("--columns")) || USUAL;
  const rows = Number(size.getPropertyValue("--rows")) || USUAL;
  if (!size.getPropertyValue("--columns")) all.classList.add(`cols-${USUAL}`, `rows-${USUAL}`);
  all.setAttribute("role", "grid");
  all.setAttribute("aria-label", board.dataset.name ?? board.getAttribute("aria-label"));
  all.dataset.keys = "";
  const focused = all.contains(document.activeElement) ? document.activeElement : null;
  const isHeld = grid.held && (focused || isLost());
  if (isHeld) grid.at = grid.held;
  if (!all.querySelector("[role=row]")) all.append(...build([...all.children], columns, rows));
  label();
  if (isHeld) hold();
  else focused?.focus({ preventScroll: true });
}

/** Gives the focus to the square that had it, if its board is there: it is read once, and keeps it while a film plays. */
function hold() {
  const cell = cellAt(grid.at) ?? cells()[0];
  if (!cell || cell.contains(document.activeElement)) return;
  label(cell);
  cell.focus({ preventScroll: true });
}

/** True if nothing has the focus: a swap may have given it to a heading that does not ask for it. */
const isLost = () => document.activeElement.matches("body, #film-title:not([autofocus])");

function build(buttons, columns, rows) {
  const at = (name) => buttons.filter((one) => one.matches(name));
  return Array.from({ length: rows }, (_, y) => {
    const row = document.createElement("div");
    row.setAttribute("role", "row");
    for (let x = 0; x < columns; x += 1) {
      const place = `col-${x + 1} row-${y + 1}`;
      const cell = Object.assign(document.createElement("div"), { className: `square ${place}` });
      cell.setAttribute("role", "gridcell");
      cell.dataset.square = String.fromCharCode(97 + x) + (rows - y);
      cell.append(...at(`.col-${x + 1}.row-${y + 1}`));
      row.append(cell);
    }
    return row;
  });
}

const cellAt = (square) => cells().find((one) => one.dataset.square === square);
const isPresent = () => film().matches(".at-last");

const buttonOn = (cell) => (isPresent() && cell.querySelector("button")) || null;

/** What has the focus of a square: what can be tapped there, or the square itself, if that has it already. */
const stopOf = (cell, held = document.activeElement) => (cell !== held && buttonOn(cell)) || cell;

/** Names all squares, in the step that the film shows, and lets the Tab key stop at one of them. */
function label(held = document.activeElement) {
  const all = cells(), step = stands(), stop = cellAt(grid.at) ?? first(all, step);
  for (const cell of all) {
    const { square } = cell.dataset, focus = stopOf(cell, held), says = [...step(square), ...boundsOf(square)];
    for (const one of cell.children) {
      one.dataset.name ??= one.getAttribute("aria-label");
      const own = one.dataset.name, name = own.startsWith(square) ? own : `${square}: ${own}`;
      const more = says.filter((words) => !name.includes(words));
      one.setAttribute("aria-label", more.length ? `${name.replace(/\.$/, "")}. ${more.join(", ")}` : name);
      one.tabIndex = -1;
    }
    const name = buttonOn(cell)?.getAttribute("aria-label") ?? (says.length ? `${square}: ${says.join(", ")}` : square);
    if (focus === cell) cell.setAttribute("aria-label", name);
    else for (const one of ["aria-label", "tabindex"]) cell.removeAttribute(one); // not of what has the focus
    focus.tabIndex = cell === stop ? 0 : -1;
  }
}

function first(all, step) {
  const found = (kind) => isPresent() && taps().querySelector(kind)?.closest("[role=gridcell]");
  return found("[aria-pressed=true]") || found("button:not([aria-disabled=true])") || all.find((one) => step(one.dataset.square).length) || all[0];
}

// ---- the words ----

/** The element with the words of the step that is shown. */
const place = () => words().querySelector(`[data-words="${current(film())}"]`) ?? words().querySelector(".words-now");
const sentences = (kind) => Array.from(place().querySelectorAll(kind), (one) => one.textContent.trim());

/** A function that says what stands on a square. */
function stands() {
  const said = entries(words().dataset.squares.split("␞")[current(film())] ?? "");
  const all = said.length ? [] : sentences("li:not([data-reach])");
  return (square) => [
    ...said.filter(([, squares]) => squares.includes(square)).map(([says]) => says),
    ...all.filter((one) => has(one, square)).map((one) => one.replace(/\.$/, "")),
  ];
}

function boundsOf(square) {
  return entries(grid.bounds).flatMap(([says, edges]) => {
    const all = edges.map((edge) => edge.split("-")).filter(([here]) => here === square);
    return all.map(([, to]) => says.replace("{to}", to));
  });
}

/** Texts and their lists, as `your ball=d2␟your big robot=a1 d1`. */
function entries(text) {
  return text.split("␟").filter(Boolean).map((one) => {
    const at = one.lastIndexOf("=");
    return [one.slice(0, at), one.slice(at + 1).split(" ")];
  });
}

/** What reaches a square, and what it reaches; else what else is said of it. */
function asked(square) {
  const of = (kind) => sentences(kind).filter((one) => has(one, square));
  const reach = of("[data-reach]");
  return (reach.length ? reach : of("li")).join(" ");
}

/** What stands on the squares around one. */
function around(square) {
  const step = stands(), [file, rank] = [square.charCodeAt(0), Number(square.slice(1))];
  const beside = [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((x) => String.fromCharCode(file + x) + (rank - y)));
  const said = (one) => step(one).map((words) => (has(words, one) ? words : `${one}: ${words}`));
  const all = beside.filter((one) => one !== square).flatMap(said), { around: some, alone: none } = words().dataset;
  return (all.length ? `${some} ${all.join(", ")}.` : none).replace("{square}", square);
}

// What never changes is on the whole page only.
function keepGround() {
  const all = words();
  grid.bounds = all.dataset.bounds ?? grid.bounds;
  grid.ground = all.querySelector("[data-ground]") ?? grid.ground;
  if (grid.ground && !all.contains(grid.ground)) all.append(grid.ground);
  if (kept("words") === "open" && !all.dataset.seen) all.open = true;
  all.dataset.seen = "";
}

// ---- keys ----

function press(event) {
  const { key, target, altKey, metaKey } = event;
  const cell = target.closest?.("[role=gridcell][data-square]");
  if (altKey || metaKey || event.defaultPrevented) return;
  if (key === "!" && words() && takesKeys(target)) say(sentences("li:not([data-reach])").join(" "));
  else if (!cell || !pressOn(cell, event)) return;
  event.preventDefault();
  event.stopPropagation(); // what.js and film.js have other things to do with these keys
}

/** Does what a key does on a square; false if it does nothing. */
function pressOn(cell, { key, target, ctrlKey }) {
  const { square } = cell.dataset, missing = document.querySelector("#plan .missing")?.textContent.trim();
  if (key in WAYS && !ctrlKey) go(cell, ...WAYS[key]);
  else if (key in ENDS) go(cell, ENDS[key], ctrlKey ? ENDS[key] : 0);
  else if (key === "?") say(`${asked(square)} ${around(square)}`);
  else if (key !== "Enter" || ctrlKey || target !== cell) return false;
  else if (buttonOn(cell)) buttonOn(cell).click();
  else say([cell.getAttribute("aria-label"), missing].filter(Boolean).join(". "));
  return true;
}

function go(cell, dx, dy) {
  const rows = [...taps().children], row = cell.parentElement;
  const within = (all, one, by) => all[Math.max(0, Math.min(all.indexOf(one) + by, all.length - 1))];
  const column = [...row.children].indexOf(within([...row.children], cell, dx));
  const next = stopOf(within(rows, row, dy).children[column]);
  if (next === document.activeElement) say(next.getAttribute("aria-label")); // the board ends here
  else next.focus();
}

document.addEventListener("keydown", press);
document.addEventListener("focusin", ({ target }) => {
  const cell = target.closest?.("[role=gridcell][data-square]");
  if (!cell || cell.dataset.square === grid.at) return;
  grid.at = cell.dataset.square;
  label();
});
document.addEventListener("film:step", ({ target }) => {
  if (target !== film() || !taps() || !words()) return;
  const isHeld = taps().contains(document.activeElement);
  label();
  if (isHeld) hold();
});
document.addEventListener("htmx:beforeSwap", () => {
  grid.held = document.activeElement?.closest("[role=gridcell][data-square]")?.dataset.square ?? "";
});
document.addEventListener("htmx:afterSwap", lay, true); // before live.js, so that the square has the focus once
document.addEventListener("htmx:afterSettle", () => {
  lay();
  grid.held = "";
});

// The board in words stays open, in all matches, puzzles and lessons of this browser, once it was opened.
document.addEventListener("toggle", ({ target }) => {
  if (target !== words() || target.open === (kept("words") === "open")) return;
  keep("words", target.open ? "open" : "");
}, true);

lay();
