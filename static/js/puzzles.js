// The puzzles that this browser has solved, and on how many days in a row one of the day's: the progress is stored
// here, nowhere else. Without JavaScript or storage, puzzles can be solved all the same.
import { counted, dayIn, isOn } from "./streak.js";

const KEY = "puzzles";
const MOST = 1000; // solved ones that are stored
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function read() {
  try {
    return { solved: [], day: 0, streak: 0, zone: "", ...JSON.parse(localStorage.getItem(KEY)) };
  } catch {
    return { solved: [], day: 0, streak: 0, zone: "" };
  }
}

function write(progress) {
  try {
    localStorage.setItem(KEY, JSON.stringify(progress));
  } catch {
    // no storage: nothing is remembered
  }
}

/** A first page was made before the site knew the zone of this browser, an old one on another day: once more. */
function isOfAnotherDay() {
  const days = document.querySelector("[data-today]"), day = dayIn(zone);
  if (!days || !day || day === Number(days.dataset.today)) return false;
  try {
    if (sessionStorage.getItem(KEY) === String(day)) return false; // it was asked for again already
    sessionStorage.setItem(KEY, day);
  } catch {
    return false;
  }
  location.reload();
  return true;
}

/** The progress once the puzzle of this page counts, if it has just been solved. */
function count(before) {
  const solved = !isOfAnotherDay() && document.querySelector("[data-solved][role=status]");
  if (!solved) return before;
  const every = [...before.solved.filter((one) => one !== solved.dataset.solved), solved.dataset.solved];
  const now = { ...counted(before, Number(solved.dataset.day ?? 0), zone), solved: every.slice(-MOST) };
  write(now);
  return now;
}

const progress = count(read());

const words = document.querySelector("#puzzle-words");
for (const link of document.querySelectorAll("[data-puzzle]")) {
  if (!progress.solved.includes(link.dataset.puzzle)) continue;
  link.classList.add("is-solved");
  const note = document.createElement("span");
  note.className = "visually-hidden";
  note.textContent = ` (${words.dataset.solved})`;
  link.append(note);
}

const streak = document.querySelector("[data-streak]");
if (streak && progress.streak && isOn(progress, Number(streak.dataset.day))) {
  streak.textContent = streak.dataset.says.replace(/\s*\{n\}/, `\u00a0${progress.streak}`);
  streak.hidden = false;
}

// The text for friends says how many of the day's are solved, and on how many days in a row; nothing of how.
const line = document.querySelector("[data-puzzle-share]");
if (line) {
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
  line.querySelector("#puzzle-line").textContent = `${text} ${new URL(share.dataset.url, location.href).href}`;
  line.hidden = !words.n;
}

const total = document.querySelector("[data-puzzles-solved]");
if (total && progress.solved.length) {
  total.textContent = total.dataset.puzzlesSolved.replace("{n}", progress.solved.length);
  total.hidden = false;
}
