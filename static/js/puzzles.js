// Which puzzles this browser has solved, and on how many days in a row one of the day's: kept here, nowhere
// else. Without JavaScript or storage, puzzles can be solved all the same.
const KEY = "puzzles";
const MOST = 1000; // solved ones that are kept

function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY)) ?? {};
    return { solved: [], day: 0, streak: 0, ...kept };
  } catch {
    return { solved: [], day: 0, streak: 0 };
  }
}

function write(kept) {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // no storage: nothing is kept
  }
}

/** Notes a solved puzzle; one of the day's makes the streak longer, once a day. */
function note(kept, puzzle, day) {
  kept.solved = [...kept.solved.filter((one) => one !== puzzle), puzzle].slice(-MOST);
  if (day && day !== kept.day) {
    kept.streak = day === kept.day + 1 ? kept.streak + 1 : 1;
    kept.day = day;
  }
  write(kept);
}

const kept = read();
const solved = document.querySelector("[data-solved][role=status]");
if (solved) note(kept, solved.dataset.solved, Number(solved.dataset.day ?? 0));

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
if (streak && kept.day >= Number(streak.dataset.day) - 1) {
  streak.textContent = streak.dataset.says.replace("{n}", kept.streak);
  streak.hidden = false;
}
