// The table of a finished league, worked out again on this device from the league's file (referee/league.js): says so
// in its menu, quietly, or raises the alarm.
import { alarm, examined } from "./beside.js";

const WORDS = {
  en: {
    checked: "Recomputed on this device.",
    digest: "The file has been changed since it was written.",
    lot: "The published lot doesn’t match the draw.",
    numbers: (name) => `${name} didn’t get the number that was drawn.`,
    schedule: "The matches aren’t those of the schedule.",
    match: (key) => `The match ${key} didn’t follow from its orders.`,
    bracket: "The matches aren’t those of the bracket.",
    table: (name) => `By the results, ${name} has another rank.`,
    differs: "This device gets a different result for this table.",
    save: "Save the file",
  },
  de: {
    checked: "Auf diesem Gerät nachgerechnet.",
    digest: "Die Datei wurde nachträglich geändert.",
    lot: "Das veröffentlichte Los passt nicht zur Auslosung.",
    numbers: (name) => `${name} hat nicht die ausgeloste Nummer.`,
    schedule: "Die Partien sind nicht die des Spielplans.",
    match: (key) => `Die Partie ${key} folgt nicht aus ihren Befehlen.`,
    bracket: "Die Partien sind nicht die des Turnierbaums.",
    table: (name) => `${name} hat nach den Ergebnissen einen anderen Rang.`,
    differs: "Dieses Gerät errechnet für diese Tabelle etwas anderes.",
    save: "Datei speichern",
  },
  es: {
    checked: "Recalculado en este dispositivo.",
    digest: "El archivo se ha modificado después.",
    lot: "El sorteo publicado no corresponde al sorteo de la liga.",
    numbers: (name) => `${name} no tiene el número que salió en el sorteo.`,
    schedule: "Las partidas no son las del calendario.",
    match: (key) => `La partida ${key} no se sigue de sus órdenes.`,
    bracket: "Las partidas no son las del cuadro.",
    table: (name) => `${name} está en otro puesto según los resultados.`,
    differs: "Este dispositivo obtiene otro resultado para esta tabla.",
    save: "Guardar el archivo",
  },
};
const words = WORDS[document.documentElement.lang.slice(0, 2)] ?? WORDS.en;
const league = document.getElementById("league");
const way = document.querySelector("[data-checkable]");
const file = way.querySelector("a").href;

/** The number that a page writes as 3, 3½ or 2.33. */
function numberIn(text) {
  const [, whole, above, below] = text.trim().normalize("NFKD").match(/^(\d*(?:\.\d+)?)(?:(\d)⁄(\d))?$/) ?? [];
  return Number(whole) + (above ? above / below : 0);
}

/** The first row of the page that the results contradict: its name. */
function contradicted(rows) {
  const champion = league.querySelector(".round:last-child .entrant.won .who");
  if (champion) return champion.textContent.trim() === rows[0].name ? null : champion.textContent.trim();
  const shown = [...league.querySelectorAll("td.points")].map((cell) => cell.parentElement);
  const wrong = shown.find((row, at) => {
    const { name, rank, points } = rows[at] ?? {};
    const shownRank = row.cells[0].textContent.trim(); // none if no match counts
    const isAt = !shownRank || (Number.parseInt(shownRank, 10) || null) === rank;
    return !isAt || !row.cells[1].textContent.trim().startsWith(name) ||
      Math.abs(numberIn(row.cells[row.cells.length - 1].textContent) - points) > 0.006;
  });
  return wrong?.cells[1].textContent.trim() ?? null;
}

async function look() {
  const answer = await fetch(file);
  if (!answer.ok) return conclude("unknown");
  const { faults, rows } = await examined(await answer.text());
  if (faults.some(({ kind }) => kind === "format")) return conclude("unknown");
  const name = contradicted(rows);
  if (name !== null) faults.push({ kind: "table", what: name });
  conclude(faults.length ? "differs" : "agrees");
  if (faults.length) tell(faults[0]);
}

function tell({ kind, what }) {
  const why = typeof words[kind] === "function" ? words[kind](what) : words[kind];
  alarm(`${words.differs} ${why}`, [[words.save, file, true]]);
}

function conclude(says) {
  league.dataset.referee = says;
  if (says === "agrees") way.append(Object.assign(document.createElement("small"), { textContent: words.checked }));
}

if (!navigator.connection?.saveData) {
  league.dataset.referee = "waiting";
  setTimeout(() => look().catch(() => conclude("unknown")), 2000);
}
