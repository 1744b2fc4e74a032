/* global referee */
/** The page that checks a match file on its reader's device (templates/share/verify.html). */

const WORDS = {
  en: {
    agrees: (count) => `Everything agrees: each of ${count} positions follows from the orders by the rules.`,
    differs: (where, what) => `The turns are legal, but the file doesn’t agree with itself${where}. ${what}`,
    refused: (where, what) => `This isn’t a match by the rules${where}. ${what}`,
    at: (turn, seat) => ` (turn ${turn}${seat ? `, seat ${seat}` : ""})`,
    open: "The match isn’t over yet.",
    won: (names, reason) => `Won by ${names} (${reason}).`,
    drawn: (names, reason) => `A draw between ${names} (${reason}).`,
    seals: (count) => `${count} seals were opened: each fits its order.`,
    unsealed: "The file has no seals, so nothing was opened.",
    bot: (seat, bot, dice) => `Seat ${seat} was played by the bot “${bot}”. Its last dice: ${dice}. What it played with them was not checked.`,
    reasons: {
      destroyed: "destroyed",
      "five hits": "five hits",
      knockout: "knockout",
      "out of reach": "out of reach",
      "largest group": "largest group",
      cancelled: "all groups cancelled",
      repetition: "repetition",
      goal: "goal",
      "no legal turn": "no legal turn",
      resigned: "resignation",
      agreed: "agreed draw",
    },
  },
  de: {
    title: "Eine Partie prüfen",
    why: "Eine Seite, die ein Anbieter ausliefert, kann diesen Anbieter nicht prüfen. Diese Datei kann es: Speichere sie, öffne sie von deiner Festplatte, ohne Netz, und gib ihr die Datei einer Partie.",
    file: "Datei der Partie",
    pasted: "Oder füge ihren Text ein, oder zieh die Datei hierher",
    found: "Was geprüft wurde",
    position: "Die letzte Stellung",
    orders: "Alle Züge",
    agrees: (count) => `Alles stimmt: Jede von ${count} Stellungen folgt nach den Regeln aus den Zügen.`,
    differs: (where, what) => `Die Züge sind erlaubt, aber die Datei widerspricht sich${where}. ${what}`,
    refused: (where, what) => `Das ist keine Partie nach den Regeln${where}. ${what}`,
    at: (turn, seat) => ` (Zug ${turn}${seat ? `, Platz ${seat}` : ""})`,
    open: "Die Partie ist noch nicht zu Ende.",
    won: (names, reason) => `Gewonnen von ${names} (${reason}).`,
    drawn: (names, reason) => `Unentschieden zwischen ${names} (${reason}).`,
    seals: (count) => `${count} Siegel wurden geöffnet: Jedes passt zu seinem Zug.`,
    unsealed: "Die Datei hat keine Siegel, also wurde nichts geöffnet.",
    bot: (seat, bot, dice) => `Auf Platz ${seat} spielte der Bot „${bot}“. Seine letzten Würfel: ${dice}. Was er damit spielte, wurde nicht geprüft.`,
    reasons: {
      destroyed: "Zerstörung",
      "five hits": "fünf Treffer",
      knockout: "K. o.",
      "out of reach": "außer Reichweite",
      "largest group": "größte Gruppe",
      cancelled: "alle Gruppen heben sich auf",
      repetition: "Wiederholung",
      goal: "Tor",
      "no legal turn": "kein erlaubter Zug",
      resigned: "Aufgabe",
      agreed: "vereinbart",
    },
  },
  es: {
    title: "Comprobar una partida",
    why: "Una página que sirve un anfitrión no puede comprobar a ese anfitrión. Este archivo sí: guárdalo, ábrelo desde tu disco, sin red, y dale el archivo de una partida.",
    file: "Archivo de la partida",
    pasted: "O pega su texto, o suelta el archivo aquí",
    found: "Qué se ha comprobado",
    position: "La última posición",
    orders: "Todas las órdenes",
    agrees: (count) => `Todo coincide: cada una de las ${count} posiciones sigue de las órdenes según las reglas.`,
    differs: (where, what) => `Los turnos son legales, pero el archivo no concuerda consigo mismo${where}. ${what}`,
    refused: (where, what) => `Esto no es una partida según las reglas${where}. ${what}`,
    at: (turn, seat) => ` (turno ${turn}${seat ? `, asiento ${seat}` : ""})`,
    open: "La partida aún no ha terminado.",
    won: (names, reason) => `Ha ganado ${names} (${reason}).`,
    drawn: (names, reason) => `Empate entre ${names} (${reason}).`,
    seals: (count) => `Se han abierto ${count} sellos: cada uno corresponde a su orden.`,
    unsealed: "El archivo no tiene sellos, así que no se ha abierto nada.",
    bot: (seat, bot, dice) => `En el asiento ${seat} jugó el bot «${bot}». Sus últimos dados: ${dice}. No se ha comprobado lo que jugó con ellos.`,
    reasons: {
      destroyed: "destrucción",
      "five hits": "cinco impactos",
      knockout: "nocaut",
      "out of reach": "fuera de alcance",
      "largest group": "grupo mayor",
      cancelled: "todos los grupos se anulan",
      repetition: "repetición",
      goal: "gol",
      "no legal turn": "ningún turno legal",
      resigned: "abandono",
      agreed: "de común acuerdo",
    },
  },
};

const language = navigator.language.slice(0, 2);
const words = { ...WORDS.en, ...WORDS[language] };
const byId = (id) => document.getElementById(id);

if (Object.hasOwn(WORDS, language)) document.documentElement.lang = language;
for (const element of document.querySelectorAll("[data-says]")) {
  element.textContent = words[element.dataset.says] ?? element.textContent;
}

const named = (record, seat) => {
  const name = record.names?.[seat];
  return typeof name === "string" ? `${name} (${seat})` : seat;
};

/** The result in a sentence. */
const ending = (record, outcome) => {
  if (!outcome) return words.open;
  const winners = Object.keys(outcome.scores).filter((seat) => outcome.scores[seat] > 0);
  const said = winners.length === 1 ? words.won : words.drawn;
  return said(winners.map((seat) => named(record, seat)).join(", "), words.reasons[outcome.reason]);
};

/** The number with which a bot's dice began (docs/record.md, The dice of a bot). */
const diceOf = async (nonces) => BigInt(`0x${(await referee.digest(["robosite-dice/1", ...nonces].join("\n"))).slice(0, 16)}`);

/** A sentence for each seat that a bot has played. */
const bots = async (record) => {
  const said = [];
  for (const seat of record.seats) {
    const seals = (record.seals ?? []).map((turn) => turn[seat]).filter(Boolean);
    const last = seals.findLastIndex(({ by }) => typeof by === "string" && !["deadline", "reply", "record"].includes(by));
    if (last < 0) continue;
    const dice = await diceOf(seals.slice(0, last + 1).map(({ nonce }) => nonce));
    said.push(words.bot(seat, seals[last].by, dice));
  }
  return said;
};

const facts = async (record, outcome) => {
  const count = (record.seals ?? []).reduce((sum, turn) => sum + Object.keys(turn).length, 0);
  return [ending(record, outcome), record.seals ? words.seals(count) : words.unsealed, ...(await bots(record))];
};

const list = (id, texts) => byId(id).replaceChildren(
  ...texts.map((text) => Object.assign(document.createElement("li"), { textContent: text })),
);

const check = async (text) => {
  const verdict = byId("verdict");
  const { positions, outcome, record, fault } = await referee.examine(text);
  const where = fault && fault.turn !== null ? words.at(fault.turn + 1, fault.seat) : "";
  const kind = !fault ? "agrees" : fault instanceof referee.Differs ? "differs" : "refused";
  byId("found").hidden = positions.length === 0;
  list("facts", fault ? [] : await facts(record, outcome));
  byId("position").textContent = positions.at(-1) ?? "";
  const turns = Array.isArray(record?.turns) && positions.length > 0 ? record.turns : [];
  list("turns", turns.map((turn) => Object.entries(turn ?? {}).map(([seat, order]) => `${seat}: ${order}`).join("\n")));
  verdict.textContent = fault ? words[kind](where, fault.message) : words.agrees(positions.length);
  verdict.dataset.verdict = kind;
};

const read = async ([file]) => {
  if (!file) return;
  byId("text").value = await file.text();
  await check(byId("text").value);
};

byId("record").addEventListener("change", ({ target }) => read(target.files));
byId("text").addEventListener("input", ({ target }) => {
  if (target.value.trim()) check(target.value);
});
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  read(event.dataTransfer?.files ?? []);
});
