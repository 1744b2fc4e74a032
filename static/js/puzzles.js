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

const count = document.querySelector("[data-puzzles-solved]");
if (count && kept.solved.length) {
  count.textContent = count.dataset.puzzlesSolved.replace("{n}", kept.solved.length);
  count.hidden = false;
}
