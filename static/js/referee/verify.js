/* global referee */
/** The page that checks a match file on its reader's device (templates/share/verify.html). */

const WORDS = {
  en: {
    agrees: (turns, sealed) => `No cheating found in this file. All ${turns} turns follow the rules${sealed ? ", and each sealed order is the one that was played" : ""}.`,
    differs: (where, what) => `This file isn’t right${where}: ${what}`,
    refused: (where, what) => `This can’t have been played by the rules${where}: ${what}`,
    unreadable: (what) => `This isn’t a match file, or a part of it is missing. Choose the whole file. (${what})`,
    at: (turn, who) => ` in turn ${turn}${who ? `, ${who}` : ""}`,
    seal: "the order isn’t the one that was sealed. It was changed afterwards, or the file is damaged. That doesn’t tell by whom.",
    result: "its result isn’t the one that these turns lead to. It was changed afterwards, or the file is damaged.",
    pasted_text: "Pasted text",
    open: "The match isn’t over yet.",
    won: (names, reason) => `${names} won: ${reason}.`,
    drawn: (names, reason) => `A draw between ${names}: ${reason}.`,
    unconfirmed: (result) => `The file says: ${result} That isn’t confirmed.`,
    by_rules: (result) => `By the rules, these turns lead to: ${result}`,
    seals: (count, orders) => `${count} of ${orders} orders were sealed, and each seal fits. Who resigns or agrees to a draw seals nothing. A seal is a fingerprint of an order, published before the others see it.`,
    unsealed: "The file has no seals, so this can’t tell if an order was changed afterwards.",
    limits: "Names aren’t checked, nor who sat at a device. Compare the orders with what you remember: a file that was made up from start to end can agree too.",
    bot: (seat, bot, dice) => `${seat} was the bot “${bot}”. Its last dice: ${dice}. How it played was not checked.`,
    reasons: {
      destroyed: "the others were destroyed",
      "five hits": "five hits",
      knockout: "knockout",
      "out of reach": "no one could reach anyone any more",
      "largest group": "largest group",
      cancelled: "all groups cancelled out",
      repetition: "repetition",
      goal: "goal",
      "no legal turn": "no legal turn was left",
      resigned: "the others resigned",
      agreed: "agreed",
    },
  },
  de: {
    title: "Eine Partie prüfen",
    lead: "Haben sich alle an die Regeln gehalten? Wähle die Datei der Partie: Diese Seite spielt sie auf deinem Gerät nach. Gesendet wird nichts.",
    file: "Datei der Partie",
    pasted: "Oder füge ihren Text hier ein",
    found: "Was geprüft wurde",
    position: "Die letzte Stellung, in der Notation des Spiels",
    orders: "Alle Züge",
    why_title: "Warum eine gespeicherte Seite?",
    why: "Eine Website kann über sich selbst die Unwahrheit sagen. Eine Kopie dieser Seite, die du früher gespeichert oder von einer vertrauten Person hast, prüft ohne sie, auch ohne Internet.",
    agrees: (turns, sealed) => `In dieser Datei ist kein Betrug zu finden. Alle ${turns} Runden folgen den Regeln${sealed ? ", und jeder versiegelte Zug ist der, der gespielt wurde" : ""}.`,
    differs: (where, what) => `Diese Datei stimmt nicht${where}: ${what}`,
    refused: (where, what) => `So kann nach den Regeln nicht gespielt worden sein${where}: ${what}`,
    unreadable: (what) => `Das ist keine Datei einer Partie, oder ein Teil fehlt. Wähle die ganze Datei. (${what})`,
    at: (turn, who) => ` in Runde ${turn}${who ? `, ${who}` : ""}`,
    seal: "Der Zug ist nicht der, der versiegelt wurde. Er wurde danach geändert, oder die Datei ist beschädigt. Von wem, zeigt das nicht.",
    result: "Ihr Ergebnis ist nicht das, zu dem diese Züge führen. Es wurde danach geändert, oder die Datei ist beschädigt.",
    pasted_text: "Eingefügter Text",
    open: "Die Partie ist noch nicht zu Ende.",
    won: (names, reason) => `${names} hat gewonnen: ${reason}.`,
    drawn: (names, reason) => `Unentschieden zwischen ${names}: ${reason}.`,
    unconfirmed: (result) => `In der Datei steht: ${result} Bestätigt ist das nicht.`,
    by_rules: (result) => `Nach den Regeln führen diese Züge zu: ${result}`,
    seals: (count, orders) => `${count} von ${orders} Zügen waren versiegelt, und jedes Siegel passt. Wer aufgibt oder sich auf Remis einigt, versiegelt nichts. Ein Siegel ist ein Fingerabdruck eines Zuges, veröffentlicht, bevor die anderen ihn sehen.`,
    unsealed: "Die Datei hat keine Siegel. Ob ein Zug nachträglich geändert wurde, lässt sich so nicht sagen.",
    limits: "Namen werden nicht geprüft, auch nicht, wer am Gerät saß. Vergleiche die Züge mit deiner Erinnerung: Auch eine ganz erfundene Datei kann stimmig sein.",
    bot: (seat, bot, dice) => `${seat} war der Bot „${bot}“. Seine letzten Würfel: ${dice}. Wie er spielte, wurde nicht geprüft.`,
    reasons: {
      destroyed: "Die anderen wurden zerstört",
      "five hits": "fünf Treffer",
      knockout: "K. o.",
      "out of reach": "Niemand konnte mehr jemanden erreichen",
      "largest group": "größte Gruppe",
      cancelled: "Alle Gruppen heben sich auf",
      repetition: "Wiederholung",
      goal: "Tor",
      "no legal turn": "kein erlaubter Zug mehr",
      resigned: "Die anderen haben aufgegeben",
      agreed: "vereinbart",
    },
  },
  es: {
    title: "Comprobar una partida",
    lead: "¿Han respetado todos las reglas? Elige el archivo de la partida: esta página la vuelve a jugar en tu dispositivo. No se envía nada.",
    file: "Archivo de la partida",
    pasted: "O pega aquí su texto",
    found: "Qué se ha comprobado",
    position: "La última posición, en la notación del juego",
    orders: "Todas las jugadas",
    why_title: "¿Por qué una página guardada?",
    why: "Una web puede mentir sobre sí misma. Una copia de esta página que guardaste antes, o que te dio alguien de confianza, comprueba sin ella, también sin conexión.",
    agrees: (turns, sealed) => `No se ha encontrado ninguna trampa en este archivo. Los ${turns} turnos siguen las reglas${sealed ? ", y cada jugada sellada es la que se jugó" : ""}.`,
    differs: (where, what) => `Este archivo no está bien${where}: ${what}`,
    refused: (where, what) => `Esto no se pudo jugar según las reglas${where}: ${what}`,
    unreadable: (what) => `Esto no es un archivo de partida, o le falta una parte. Elige el archivo entero. (${what})`,
    at: (turn, who) => ` en el turno ${turn}${who ? `, ${who}` : ""}`,
    seal: "la jugada no es la que se selló. Se cambió después o el archivo está dañado. Eso no dice quién lo hizo.",
    result: "su resultado no es el que dan estos turnos. Se cambió después o el archivo está dañado.",
    pasted_text: "Texto pegado",
    open: "La partida aún no ha terminado.",
    won: (names, reason) => `${names} ha ganado: ${reason}.`,
    drawn: (names, reason) => `Empate entre ${names}: ${reason}.`,
    unconfirmed: (result) => `El archivo dice: ${result} No está confirmado.`,
    by_rules: (result) => `Según las reglas, estos turnos llevan a: ${result}`,
    seals: (count, orders) => `${count} de ${orders} jugadas estaban selladas, y cada sello corresponde. Quien abandona o acepta tablas no sella nada. Un sello es una huella de una jugada, publicada antes de que los demás la vean.`,
    unsealed: "El archivo no tiene sellos: no se puede saber si una jugada se cambió después.",
    limits: "No se comprueban los nombres, ni quién estaba ante el dispositivo. Compara las jugadas con lo que recuerdas: un archivo inventado entero también puede cuadrar.",
    bot: (seat, bot, dice) => `${seat} era el bot «${bot}». Sus últimos dados: ${dice}. No se ha comprobado cómo jugó.`,
    reasons: {
      destroyed: "los demás fueron destruidos",
      "five hits": "cinco impactos",
      knockout: "nocaut",
      "out of reach": "ya nadie podía alcanzar a nadie",
      "largest group": "grupo mayor",
      cancelled: "todos los grupos se anulan",
      repetition: "repetición",
      goal: "gol",
      "no legal turn": "no quedaba ningún turno legal",
      resigned: "los demás abandonaron",
      agreed: "de común acuerdo",
    },
  },
};
const GAMES = { pigs: "Robo Battle Pigs", roboxing: "Roboxing", robosoccer: "Robosoccer", robble: "Robble" };

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

/** A result in a sentence. */
const ending = (record, { scores, reason }) => {
  const winners = Object.keys(scores).filter((seat) => scores[seat] > 0);
  const said = winners.length === 1 ? words.won : words.drawn;
  return said(winners.map((seat) => named(record, seat)).join(", "), words.reasons[reason]);
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
    said.push(words.bot(named(record, seat), seals[last].by, dice));
  }
  return said;
};

const count = (turns) => turns.reduce((sum, turn) => sum + Object.keys(turn).length, 0);

/** What was found, in sentences: of a file with a fault the result alone, as the rules have it. */
const facts = async (record, outcome, fault) => {
  const result = outcome ? ending(record, outcome) : words.open;
  if (fault instanceof referee.Differs) return [fault.seat ? words.unconfirmed(result) : words.by_rules(result)];
  if (fault) return [];
  const sealed = record.seals ? words.seals(count(record.seals), count(record.turns)) : words.unsealed;
  return [result, sealed, ...(await bots(record)), words.limits];
};

const list = (id, texts) => byId(id).replaceChildren(
  ...texts.map((text) => Object.assign(document.createElement("li"), { textContent: text })),
);

/** The verdict's kind and sentence. */
const verdictOf = ({ positions, record, fault }) => {
  if (!fault) return ["agrees", words.agrees(record.turns.length, record.seals)];
  const where = fault.turn === null ? "" : words.at(fault.turn + 1, fault.seat && named(record, fault.seat));
  if (fault instanceof referee.Differs) return ["differs", words.differs(where, fault.seat ? words.seal : words.result)];
  return ["refused", positions.length ? words.refused(where, fault.message) : words.unreadable(fault.message)];
};

const check = async (text, from) => {
  const found = await referee.examine(text);
  const { positions, outcome, record, fault } = found;
  const isRead = positions.length > 0;
  const [kind, says] = verdictOf(found);
  byId("from").textContent = [isRead && (GAMES[record.game] ?? record.game), from].filter(Boolean).join(" · ");
  byId("verdict").textContent = says;
  byId("verdict").dataset.verdict = kind;
  byId("found").hidden = !isRead;
  list("facts", isRead ? await facts(record, outcome, fault) : []);
  byId("position").textContent = positions.at(-1) ?? "";
  const turns = isRead && Array.isArray(record.turns) ? record.turns : [];
  list("turns", turns.map((turn) => Object.entries(turn ?? {}).map(([seat, order]) => `${named(record, seat)}: ${order}`).join("\n")));
  if (fault?.turn != null) byId("turns").children[fault.turn]?.classList.add("wrong");
  byId("verdict").scrollIntoView({ block: "nearest" });
};

const read = async ([file]) => {
  if (!file) return;
  byId("text").value = "";
  await check(await file.text(), file.name);
};

byId("record").addEventListener("change", ({ target }) => read(target.files));
byId("text").addEventListener("input", ({ target }) => {
  byId("record").value = "";
  if (target.value.trim()) return check(target.value, words.pasted_text);
  byId("from").textContent = byId("verdict").textContent = "";
  delete byId("verdict").dataset.verdict;
  byId("found").hidden = true;
});
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  read(event.dataTransfer?.files ?? []);
});
