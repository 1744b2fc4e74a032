// The puzzles that this browser has solved, and on how many days in a row one of the day's: the progress is kept in this
// browser, nowhere else. Without JavaScript or cookies, puzzles can be solved all the same.
import { learnt } from "./clock.js";
import { keep, kept, stored } from "./kept.js";
import { counted, dayIn, isOn } from "./streak.js";

const KEY = "puzzles", BETWEEN = "~", LONGEST = 2_000;
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What is kept: `739949~3~Europe/Madrid~pigs.1.7~robble.4`, or JSON, as before 2026-12. */
function read() {
  const text = kept(KEY), [day = 0, streak = 0, zone = "", ...games] = text.split(BETWEEN);
  if (text.startsWith("{")) return { solved: [], day: 0, streak: 0, zone: "", ...JSON.parse(text) };
  const solved = games.flatMap((one) => {
    const [game, ...numbers] = one.split(".");
    return numbers.map((n) => `${game}/${n}`);
  });
  return { solved, day: Number(day), streak: Number(streak), zone };
}

/** Of more than the server takes, the puzzles that were solved first are forgotten. */
function write({ solved, day, streak, zone }) {
  const games = new Map();
  for (const [game, n] of solved.map((one) => one.split("/"))) games.set(game, `${games.get(game) ?? game}.${n}`);
  const text = [day, streak, zone, ...games.values()].join(BETWEEN);
  if (text.length > LONGEST) write({ solved: solved.slice(1), day, streak, zone });
  else keep(KEY, text);
}

/** A first page was made before the site knew the zone of this browser, an old one on another day: once more. */
function isOfAnotherDay() {
  const days = document.querySelector("[data-today]"), day = dayIn(zone);
  if (!days || !day || day === Number(days.dataset.today)) return false;
  const isAsked = stored((storage) => { // for that day already
    if (storage.getItem(KEY) === String(day)) return true;
    return storage.setItem(KEY, day) ?? false;
  }) ?? true;
  if (!isAsked) location.reload();
  return !isAsked;
}

/** The progress once the puzzle of this page counts, if it has just been solved. */
function count(before) {
  const solved = !isOfAnotherDay() && document.querySelector(".notice[data-solved]");
  if (!solved) return before;
  const every = new Set([...before.solved, solved.dataset.solved]);
  const now = { ...counted(before, Number(solved.dataset.day ?? 0), zone), solved: [...every] };
  write(now);
  return now;
}

/** Says in how many tries this tab has solved the puzzle, if it took more than one. */
function countTries() {
  const verdict = document.querySelector("[data-tried]"), says = document.querySelector("[data-tries]");
  if (!verdict) return;
  const key = `tries ${verdict.dataset.tried}`, tried = location.search;
  const before = stored((storage) => JSON.parse(storage.getItem(key) ?? "[]")) ?? [];
  const tries = [...new Set([...before, tried])];
  stored((storage) => storage.setItem(key, JSON.stringify(tries)));
  if (says && tries.length > 1) says.textContent = says.dataset.tries.replace("{n}", tries.length);
}

learnt().then(() => {
  countTries();
  const progress = count(read());
  tick(progress);
  tellRow(progress);
  tellFriends(progress);
});

function tick(progress) {
  const words = document.querySelector("#puzzle-words"), total = document.querySelector("[data-puzzles-solved]");
  for (const link of document.querySelectorAll("[data-puzzle]")) {
    if (!progress.solved.includes(link.dataset.puzzle)) continue;
    link.classList.add("is-solved");
    const textContent = ` (${words.dataset.solved})`;
    link.append(Object.assign(document.createElement("span"), { className: "visually-hidden", textContent }));
  }
  if (!total || !progress.solved.length) return;
  total.textContent = total.dataset.puzzlesSolved.replace("{n}", progress.solved.length);
  total.hidden = false;
}

function tellRow(progress) {
  const streak = document.querySelector("[data-streak]");
  if (!streak || !progress.streak || !isOn(progress, Number(streak.dataset.day))) return;
  streak.textContent = streak.dataset.says.replace(/\s*\{n\}/, `\u00a0${progress.streak}`);
  streak.hidden = false;
}

/** The text for friends says how many of the day's are solved, and on how many days in a row; nothing of how. */
function tellFriends(progress) {
  const line = document.querySelector("[data-puzzle-share]");
  if (!line) return;
  const { day, says, row, puzzles } = line.dataset, todays = puzzles.trim().split(" ");
  const marks = todays.map((one) => progress.solved.includes(one));
  const date = new Date((Number(day) - 719_163) * 86_400_000);
  const words = {
    day: date.toLocaleDateString(document.documentElement.lang, { timeZone: "UTC", day: "numeric", month: "long" }),
    n: marks.filter(Boolean).length,
    all: todays.length,
    marks: marks.map((one) => (one ? "★" : "☆")).join(""),
  };
  const { streak } = progress, isRow = streak > 1 && isOn(progress, Number(day));
  const result = says.replace(/\{\w+\}/g, (name) => words[name.slice(1, -1)]);
  const text = isRow ? `${result}, ${row.replace("{n}", streak)}` : result;
  const share = line.querySelector("[data-share]");
  share.dataset.text = text;
  line.querySelector("textarea").value = `${text} ${new URL(share.dataset.url, location.href).href}`;
  line.hidden = !words.n;
}
