// Which puzzles this browser has solved, and on how many days in a row one of the day's: kept here, nowhere
// else. Without JavaScript or storage, puzzles can be solved all the same.
import { counted, dayIn, isOn } from "./streak.js";

const KEY = "puzzles";
const MOST = 1000; // solved ones that are kept
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY)) ?? {};
    return { solved: [], day: 0, streak: 0, zone: "", ...kept };
  } catch {
    return { solved: [], day: 0, streak: 0, zone: "" };
  }
}

function write(kept) {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // no storage: nothing is kept
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

let kept = read();
const solved = !isOfAnotherDay() && document.querySelector("[data-solved][role=status]");
if (solved) {
  const every = [...kept.solved.filter((one) => one !== solved.dataset.solved), solved.dataset.solved];
  kept = { ...counted(kept, Number(solved.dataset.day ?? 0), zone), solved: every.slice(-MOST) };
  write(kept);
}

const words = document.querySelector("#puzzle-words");
for (const link of document.querySelectorAll("[data-puzzle]")) {
  if (!kept.solved.includes(link.dataset.puzzle)) continue;
  link.classList.add("is-solved");
  const told = document.createElement("span");
  told.className = "visually-hidden";
  told.textContent = ` (${words.dataset.solved})`;
  link.append(told);
}

const streak = document.querySelector("[data-streak]");
if (streak && kept.streak && isOn(kept, Number(streak.dataset.day))) {
  streak.textContent = streak.dataset.says.replace(/\s*\{n\}/, `\u00a0${kept.streak}`);
  streak.hidden = false;
}

// What is sent to friends: how many of the day's are solved, and on how many days in a row; nothing of how.
const line = document.querySelector("[data-puzzle-share]");
if (line) {
  const { day, says, row, puzzles } = line.dataset, todays = puzzles.trim().split(" ");
  const marks = todays.map((one) => kept.solved.includes(one));
  const date = new Date((Number(day) - 719_163) * 86_400_000);
  const words = {
    day: date.toLocaleDateString(document.documentElement.lang, { timeZone: "UTC", day: "numeric", month: "long" }),
    n: marks.filter(Boolean).length,
    all: todays.length,
    marks: marks.map((one) => (one ? "★" : "☆")).join(""),
  };
  let told = says.replace(/\{\w+\}/g, (name) => words[name.slice(1, -1)]);
  if (kept.streak > 1 && isOn(kept, Number(day))) told += `, ${row.replace("{n}", kept.streak)}`;
  const share = line.querySelector("[data-share]");
  share.dataset.text = told;
  line.querySelector("#puzzle-line").textContent = `${told} ${new URL(share.dataset.url, location.href).href}`;
  line.hidden = !words.n;
}

const count = document.querySelector("[data-puzzles-solved]");
if (count && kept.solved.length) {
  count.textContent = count.dataset.puzzlesSolved.replace("{n}", kept.solved.length);
  count.hidden = false;
}
