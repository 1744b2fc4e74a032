// The second referee on a match's page: after each reveal a worker replays the match from its file by the rules of
// static/js/referee/, and what it finds is compared with what the page shows. Seals are noted as they are published
// and compared when they are opened. It decides nothing and says nothing aloud, unless something differs.
import { alarm, examined } from "./beside.js";
import { stored } from "./kept.js";

const AGAIN = 3000; // milliseconds until a difference is looked at once more: the page may have been on its way to news
const REOPENED = 3; // the fewest changes of a match in which a seat reopens, seals again, and the turn is revealed

const WORDS = {
  en: {
    checked: (turn) => `Checked on this device up to turn ${turn}.`,
    unseen: (turns) => `In ${turns} of these turns it saw no seal before the reveal, so it can’t tell if an order was changed.`,
    secret: "This device can’t check anything yet: some orders stay secret until the match is over.",
    unchecked: "This device couldn’t check this match.",
    differs: (turn, what) => `This device disagrees with the site about turn ${turn}. ${what}`,
    shows: (site, rules) => `The site shows “${site}”, but by the rules it’s “${rules}”.`,
    result: "The result isn’t the one that these turns lead to.",
    seal: (seat) => `The seal of seat ${seat} isn’t the one that was published before.`,
    own: (order) => `You sealed “${order}”, and something else was played.`,
    fault: (message) => message,
    missing: "A turn that was played is missing.",
    save: "Save the match file",
    how: "Check it elsewhere",
  },
  de: {
    checked: (turn) => `Auf diesem Gerät geprüft bis Zug ${turn}.`,
    unseen: (turns) => `Bei ${turns} davon hat es vor dem Aufdecken kein Siegel gesehen und weiß nicht, ob etwas geändert wurde.`,
    secret: "Dieses Gerät kann noch nichts prüfen: Manches bleibt geheim, bis die Partie zu Ende ist.",
    unchecked: "Dieses Gerät konnte diese Partie nicht prüfen.",
    differs: (turn, what) => `Dieses Gerät widerspricht der Website bei Zug ${turn}. ${what}`,
    shows: (site, rules) => `Die Website zeigt „${site}“, nach den Regeln ist es „${rules}“.`,
    result: "Das Ergebnis ist nicht das, zu dem diese Züge führen.",
    seal: (seat) => `Das Siegel von Platz ${seat} ist nicht das, das vorher zu sehen war.`,
    own: (order) => `Du hast „${order}“ versiegelt, und gespielt wurde etwas anderes.`,
    fault: (message) => `Nach den Regeln geht das nicht („${message}“).`,
    missing: "Ein Zug, der gespielt wurde, fehlt.",
    save: "Partiedatei speichern",
    how: "Anderswo prüfen",
  },
  es: {
    checked: (turn) => `Comprobado en este dispositivo hasta el turno ${turn}.`,
    unseen: (turns) => `En ${turns} de ellos no vio ningún sello antes de revelarse y no sabe si se cambió una orden.`,
    secret: "Este dispositivo aún no puede comprobar nada: hay órdenes secretas hasta que acabe la partida.",
    unchecked: "Este dispositivo no ha podido comprobar esta partida.",
    differs: (turn, what) => `Este dispositivo no está de acuerdo con la web sobre el turno ${turn}. ${what}`,
    shows: (site, rules) => `La web muestra «${site}», pero según las reglas es «${rules}».`,
    result: "El resultado no es el que dan estos turnos.",
    seal: (seat) => `El sello del asiento ${seat} no es el que se publicó antes.`,
    own: (order) => `Sellaste «${order}» y se jugó otra cosa.`,
    fault: (message) => `Según las reglas, eso no es posible («${message}»).`,
    missing: "Falta un turno que se jugó.",
    save: "Guardar el archivo",
    how: "Comprobarlo aparte",
  },
};
const words = WORDS[document.documentElement.lang.slice(0, 2)] ?? WORDS.en;

const key = location.pathname.split("/")[2];
const file = `/m/${key}/record/`;
const NOTES = `seals ${key}`;
const live = () => document.getElementById("live");

const referee = {
  verdict: null, // what was found last: { of, says, line }
  asked: "", // what is being looked at
};

/** The state that the page shows, and its name. */
function shown() {
  const { turn, takenBack, version, shows, seals, seat, sealed, over } = live().dataset;
  const number = { turn: Number(turn), back: Number(takenBack ?? 0), version: Number(version) };
  const own = sealed === undefined ? {} : { [seat]: sealed };
  return { ...number, shows, seals, own, name: [turn, takenBack, shows, over].join() };
}

// Seals, and what the reader sealed, are noted while their turn goes on, each look in place of the one before: a seat may reopen and seal again.
function note({ turn, back, version, seals, own }) {
  const old = stored((storage) => JSON.parse(storage.getItem(NOTES)), "localStorage");
  if (old?.back === back && old.turn > turn) return old; // an old page, or a turn is missing: the file tells
  const seen = (old?.seen ?? []).filter((one) => one < turn);
  const notes = old?.back === back ? old : { back, turn, seen, of: {} }; // otherwise a turn was taken back
  for (const one of Object.values(notes.of)) if (one.turn < turn) one.until ??= version;
  const now = Object.fromEntries((seals ?? "").split(" ").filter(Boolean).map((one) => one.split(":")));
  if (Object.keys(now).length) notes.of[turn] = { turn, version, seals: now, own };
  else delete notes.of[turn];
  notes.turn = turn;
  keep(notes);
  return notes;
}

const keep = (notes) => stored((storage) => storage.setItem(NOTES, JSON.stringify(notes)), "localStorage");

/** What was noted of turns that are over, but where a seat may have reopened since. */
const comparable = (notes, seals) =>
  Object.values(notes.of).filter(({ turn, version, until }) => until - version < REOPENED && seals[turn]);

/** The seat whose seal or order was another one when it was opened, and its turn. */
function changed(notes, seals) {
  for (const { turn, seals: noted, own } of comparable(notes, seals)) {
    const isOther = (of, what) => Object.keys(of ?? {}).find((at) => seals[turn][at] && seals[turn][at][what] !== of[at]);
    const [mine, seat] = [isOther(own, "order"), isOther(noted, "seal")];
    if (mine || seat) return { turn: turn + 1, what: mine ? words.own(own[mine]) : words.seal(seat) };
  }
  return null;
}

/** What the file of the match says of what the page shows: null if all agrees. */
async function difference(page, notes, found) {
  const { turns, fault, shows, position } = found;
  if (fault) return { turn: (fault.turn ?? page.turn - 1) + 1, what: words.fault(fault.message) };
  const last = Math.max(page.turn, notes.turn);
  if (turns < last) return { turn: last, what: words.missing };
  const seal = changed(notes, found.seals);
  if (seal || turns > page.turn || shows === page.shows) return seal;
  const match = await fetch(`/api/v1/matches/${key}`).then((answer) => answer.json()).catch(() => ({}));
  const isPosition = match.position !== position;
  return { turn: page.turn, what: isPosition ? words.shows(match.position ?? "?", position) : words.result };
}

async function look(again = false) {
  const page = shown();
  const notes = note(page);
  if (!page.turn || referee.verdict?.of === page.name) return say();
  if (!page.shows) return conclude(page, "unknown", words.secret); // there is no file while the rules hide what was played
  if (referee.asked === page.name && !again) return;
  referee.asked = page.name;
  try {
    const answer = await fetch(file);
    if (!answer.ok) return conclude(page, "unknown", words.unchecked);
    const found = await examined(await answer.text());
    if (!found.isKnown) return conclude(page, "unknown", words.unchecked);
    const wrong = await difference(page, notes, found);
    if (shown().name !== page.name) return look(); // news came meanwhile
    if (wrong && !again) return setTimeout(() => look(true), AGAIN);
    if (!wrong && found.turns > page.turn) return (referee.asked = ""); // the page is about to hear of it
    if (wrong) {
      conclude(page, "differs");
      return alarm(words.differs(wrong.turn, wrong.what), [[words.save, file, true], [words.how, `/verify/#${document.documentElement.lang}`]]);
    }
    const seen = [...(notes.seen ?? []), ...comparable(notes, found.seals).map(({ turn }) => turn)];
    const unseen = found.seals.filter((orders, turn) => Object.keys(orders).length > 1 && !seen.includes(turn)).length;
    conclude(page, "agrees", [words.checked(page.turn), unseen ? words.unseen(unseen) : ""].join(" "));
    keep({ ...notes, seen, of: Object.fromEntries(Object.entries(notes.of).filter(([turn]) => turn >= page.turn)) });
  } catch {
    conclude(page, "unknown", words.unchecked);
  }
}

function conclude({ name }, says, line) {
  referee.asked = "";
  referee.verdict = { of: name, says, line };
  say();
}

/** Says on the page what was found, quietly: an update of it has forgotten that. */
function say() {
  const { verdict } = referee;
  const isOf = verdict?.of === shown().name;
  live().dataset.referee = isOf ? verdict.says : "waiting";
  if (!isOf || !verdict.line) return;
  for (const fold of document.querySelectorAll("#receipt, #seals")) {
    const line = fold.querySelector("[data-checked]") ?? fold.appendChild(document.createElement("p"));
    line.dataset.checked = verdict.says;
    line.textContent = verdict.line;
  }
}

live().dataset.referee = "waiting";
document.addEventListener("live:swapped", () => live() && look());
document.addEventListener("htmx:afterSettle", ({ target }) => target.id === "menu" && say()); // it has the folds
look();
