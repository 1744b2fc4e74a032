/* global referee */
/** The page that checks a match file on its reader's device (templates/share/verify.html). */

const WORDS = {
  en: {
    agrees: (turns, sealed) => ["No cheating found in this file.", `All ${turns} turns follow the rules${sealed ? ", and every move fits its seal" : ""}.`],
    refused: (where, what) => [`Against the rules${where}.`, `This can’t have been played: ${what}`],
    unreadable: (what) => ["This isn’t a match file, so nothing was checked.", `Choose the whole .json file that you saved on the match’s page. ${what}`],
    at: (turn, who) => ` in turn ${turn}${who ? `, ${who}` : ""}`,
    result: ["The result doesn’t follow from the turns.", "That doesn’t make anyone a cheat: a player, the site or a damaged file can be the cause."],
    pasted_text: "Pasted text",
    open: "The match isn’t over yet.",
    won: (names, reason) => `${names} won: ${reason}.`,
    drawn: (names, reason) => `A draw between ${names}: ${reason}.`,
    unconfirmed: (result) => `The file says: ${result} That isn’t confirmed.`,
    by_rules: (result) => `By the rules, these turns lead to: ${result}`,
    seals: (count, moves) => `${count} of ${moves} moves were sealed, and each fits its seal. ${count < moves ? "Resigning and agreeing to a draw need no seal." : ""}`,
    unsealed: "The file has no seals, so this can’t tell if a move was changed afterwards.",
    bot: (seat, bot, dice) => `${seat} was the bot “${bot}”. Its last dice: ${dice}. How it played wasn’t checked.`,
    empty: "This one is empty.",
    changed: (turn, who, order) => [`Turn ${turn} doesn’t fit its seal.`, `${who}’s move there is ${order} in this file, but another one was sealed during the match.`, "That doesn’t make anyone a cheat: a player, the site or a damaged file can be the cause."],
    again: "Download it again and check it here, then another player’s file. If one of them agrees, compare the two.",
    rules_kept: (turns) => `All ${turns} turns follow the rules.`,
    one_seal: (unfit, moves) => `${unfit} of ${moves} moves ${unfit === 1 ? "doesn’t" : "don’t"} fit ${unfit === 1 ? "its seal" : "their seals"}.`,
    sealing: "A seal is a fingerprint of a move: no other move has the same. The site shows it to everyone before it shows the move.",
    cannot: ["Who really played: names aren’t checked.", "Whether the whole file was made up, by a player or by the site. Compare its moves with what you remember."],
    unfit: "doesn’t fit its seal",
    reasons: {
      destroyed: "the others were destroyed",
      "five hits": "five hits",
      knockout: "knockout",
      "out of reach": "no one could reach anyone any more",
      "largest group": "biggest group",
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
    lead: "Haben sich alle an die Regeln gehalten? Wähle die Partiedatei („Partiedatei laden“ unter „Mehr“ auf der Seite der Partie): Diese Seite spielt sie auf deinem Gerät nach. Gesendet wird nichts.",
    file: "Partiedatei",
    pasted: "Oder füge ihren Text hier ein",
    found: "Was geprüft wurde",
    orders: "Alle Züge",
    position: "Die letzte Stellung, in der Notation des Spiels",
    why_title: "Warum eine gespeicherte Seite?",
    why: "Eine Website kann über sich selbst die Unwahrheit sagen. Eine Kopie dieser Seite, die du früher gespeichert oder von einer vertrauten Person hast, prüft, ohne die Website zu fragen, auch ohne Internet.",
    agrees: (turns, sealed) => ["In dieser Datei ist kein Betrug zu finden.", `Alle ${turns} Runden folgen den Regeln${sealed ? ", und jeder Zug passt zu seinem Siegel" : ""}.`],
    refused: (where, what) => [`Gegen die Regeln${where}.`, `So kann nicht gespielt worden sein: ${what}`],
    unreadable: (what) => ["Das ist keine Partiedatei, also wurde nichts geprüft.", `Wähle die ganze .json-Datei, die du auf der Seite der Partie gespeichert hast. ${what}`],
    at: (turn, who) => ` in Runde ${turn}${who ? `, ${who}` : ""}`,
    result: ["Das Ergebnis folgt nicht aus den Runden.", "Betrogen haben muss deshalb niemand: Es kann an jemandem aus der Partie, an der Website oder an einer beschädigten Datei liegen."],
    pasted_text: "Eingefügter Text",
    open: "Die Partie ist noch nicht zu Ende.",
    won: (names, reason) => `${names} hat gewonnen: ${reason}.`,
    drawn: (names, reason) => `Remis zwischen ${names}: ${reason}.`,
    unconfirmed: (result) => `In der Datei steht: ${result} Bestätigt ist das nicht.`,
    by_rules: (result) => `Nach den Regeln führen diese Züge zu: ${result}`,
    seals: (count, moves) => `${count} von ${moves} Zügen waren versiegelt, und jeder passt zu seinem Siegel. ${count < moves ? "Aufgeben und Remis brauchen kein Siegel. " : ""}`,
    unsealed: "Die Datei hat keine Siegel. Ob ein Zug nachträglich geändert wurde, lässt sich so nicht sagen.",
    bot: (seat, bot, dice) => `${seat} war der Bot „${bot}“. Seine letzten Würfel: ${dice}. Wie er spielte, wurde nicht geprüft.`,
    empty: "Diese ist leer.",
    changed: (turn, who, order) => [`Runde ${turn} passt nicht zu ihrem Siegel.`, `In dieser Datei spielt ${who} dort ${order}, aber während der Partie wurde ein anderer Zug versiegelt.`, "Betrogen haben muss deshalb niemand: Es kann an jemandem aus der Partie, an der Website oder an einer beschädigten Datei liegen."],
    again: "Lade sie noch einmal herunter und prüfe sie hier, danach die Datei von jemand anderem aus der Partie. Stimmt eine, vergleiche die beiden.",
    rules_kept: (turns) => `Alle ${turns} Runden folgen den Regeln.`,
    one_seal: (unfit, moves) => `${unfit} von ${moves} Zügen ${unfit === 1 ? "passt nicht zu seinem Siegel" : "passen nicht zu ihren Siegeln"}.`,
    sealing: "Ein Siegel ist ein Fingerabdruck eines Zuges: Kein anderer hat denselben. Die Website zeigt es allen, bevor sie den Zug zeigt.",
    cannot: ["Wer wirklich gespielt hat: Namen werden nicht geprüft.", "Ob die ganze Datei erfunden ist, von jemandem aus der Partie oder von der Website. Vergleiche die Züge mit deiner Erinnerung."],
    cannot_title: "Was sich so nicht prüfen lässt",
    unfit: "passt nicht zum Siegel",
    reasons: {
      destroyed: "Die anderen wurden zerstört",
      "five hits": "fünf Treffer",
      knockout: "K. o.",
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
    lead: "¿Han respetado todos las reglas? Elige el archivo de la partida («Descargar partida» en «Más», en su página): esta página la vuelve a jugar en tu dispositivo. No se envía nada.",
    file: "Archivo de la partida",
    pasted: "O pega aquí su texto",
    found: "Qué se ha comprobado",
    orders: "Todas las jugadas",
    position: "La última posición, en la notación del juego",
    why_title: "¿Por qué una página guardada?",
    why: "Una web puede mentir sobre sí misma. Una copia de esta página que guardaste antes, o que te dio alguien de confianza, comprueba sin preguntar a la web, también sin conexión.",
    agrees: (turns, sealed) => ["No se ha encontrado ninguna trampa en este archivo.", `Los ${turns} turnos siguen las reglas${sealed ? ", y cada jugada corresponde a su sello" : ""}.`],
    refused: (where, what) => [`Contra las reglas${where}.`, `Esto no se pudo jugar: ${what}`],
    unreadable: (what) => ["Esto no es un archivo de partida: no se ha comprobado nada.", `Elige entero el archivo .json que guardaste en la página de la partida. ${what}`],
    at: (turn, who) => ` en el turno ${turn}${who ? `, ${who}` : ""}`,
    result: ["El resultado no se sigue de los turnos.", "Eso no convierte a nadie en tramposo: la causa puede ser alguien que jugó, la web o un archivo dañado."],
    pasted_text: "Texto pegado",
    open: "La partida aún no ha terminado.",
    won: (names, reason) => `${names} ha ganado: ${reason}.`,
    drawn: (names, reason) => `Tablas entre ${names}: ${reason}.`,
    unconfirmed: (result) => `El archivo dice: ${result} No está confirmado.`,
    by_rules: (result) => `Según las reglas, estos turnos llevan a: ${result}`,
    seals: (count, moves) => `${count} de ${moves} jugadas estaban selladas, y cada una corresponde a su sello. ${count < moves ? "Abandonar y acordar tablas no necesitan sello. " : ""}`,
    unsealed: "El archivo no tiene sellos: no se puede saber si una jugada se cambió después.",
    bot: (seat, bot, dice) => `${seat} era el bot «${bot}». Sus últimos dados: ${dice}. No se ha comprobado cómo jugó.`,
    empty: "Este está vacío.",
    changed: (turn, who, order) => [`El turno ${turn} no corresponde a su sello.`, `En este archivo, la jugada de ${who} es ${order}, pero durante la partida se selló otra.`, "Eso no convierte a nadie en tramposo: la causa puede ser alguien que jugó, la web o un archivo dañado."],
    again: "Descárgalo otra vez y compruébalo aquí; después, el de otra persona que jugó. Si uno de ellos cuadra, compara los dos.",
    rules_kept: (turns) => `Los ${turns} turnos siguen las reglas.`,
    one_seal: (unfit, moves) => `${unfit} de ${moves} jugadas no ${unfit === 1 ? "corresponde a su sello" : "corresponden a sus sellos"}.`,
    sealing: "Un sello es una huella de una jugada: ninguna otra tiene la misma. La web lo muestra a todos antes de mostrar la jugada.",
    cannot: ["Quién jugó de verdad: los nombres no se comprueban.", "Si el archivo entero es inventado, por alguien que jugó o por la web. Compara las jugadas con lo que recuerdas."],
    cannot_title: "Lo que así no se puede comprobar",
    unfit: "no corresponde a su sello",
    reasons: {
      destroyed: "los demás fueron destruidos",
      "five hits": "cinco impactos",
      knockout: "K. O.",
      "out of reach": "ya nadie podía alcanzar a nadie",
      "largest group": "grupo mayor",
      cancelled: "todos los grupos se anulan",
      repetition: "repetición",
      goal: "gol",
      "no legal turn": "no quedaba ningún turno válido",
      resigned: "los demás abandonaron",
      agreed: "de común acuerdo",
    },
  },
};
const GAMES = { pigs: "Robo Battle Pigs", roboxing: "Roboxing", robosoccer: "Robosoccer", robble: "Robble" };

const asked = location.hash.slice(1);
const language = Object.hasOwn(WORDS, asked) ? asked : navigator.language.slice(0, 2);
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
    said.push(words.bot(named(record, seat), seals[last].by, dice));
  }
  return said;
};

const count = (turns) => turns.reduce((sum, turn) => sum + Object.keys(turn).length, 0);

/** What was checked and found, in sentences. */
const facts = async ({ record, outcome, fault, unfit }) => {
  if (fault && !(fault instanceof referee.Differs)) return [];
  const kept = words.rules_kept(record.turns.length);
  if (fault && !fault.seat) return [kept, words.by_rules(ending(record, outcome))];
  if (fault) return [kept, words.one_seal(unfit.length, count(record.seals)), words.sealing, words.unconfirmed(ending(record, outcome))];
  const sealed = record.seals ? [words.seals(count(record.seals), count(record.turns)), words.sealing] : [words.unsealed];
  return [...sealed, ...(await bots(record))];
};

const made = (tag, textContent) => Object.assign(document.createElement(tag), { textContent });
const list = (id, texts) => byId(id).replaceChildren(...texts.map((text) => made("li", text)));

/** The verdict's kind, its sentence, and what to make of it. */
const verdictOf = (text, { positions, record, outcome, fault }) => {
  if (!fault) return ["agrees", ...words.agrees(record.turns.length, record.seals), ending(record, outcome)];
  const { turn, seat, message } = fault;
  if (!positions.length) return ["refused", ...words.unreadable(!text.trim() ? words.empty : record ? `(${message})` : "")];
  if (!(fault instanceof referee.Differs)) {
    return ["refused", ...words.refused(turn === null ? "" : words.at(turn + 1, seat && named(record, seat)), message)];
  }
  const wrong = seat ? words.changed(turn + 1, named(record, seat), record.turns[turn][seat]) : words.result;
  return ["differs", ...wrong, words.again];
};

/** The moves of a turn, a line each. */
const movesOf = (record, turn, number, unfit) => Object.entries(turn ?? {}).map(([seat, order]) => {
  const isUnfit = unfit?.some((fault) => fault.turn === number && fault.seat === seat);
  return `${named(record, seat)}: ${order}${isUnfit ? ` ← ${words.unfit}` : ""}`;
}).join("\n");

const check = async (text, from) => {
  const found = await referee.examine(text);
  const { positions, record, fault } = found;
  const isRead = positions.length > 0;
  const [kind, says, ...more] = verdictOf(text, found);
  byId("from").textContent = [isRead && (GAMES[record.game] ?? record.game), from].filter(Boolean).join(" · ");
  byId("verdict").replaceChildren(made("strong", says), ...more.map((text) => made("p", text)));
  byId("verdict").dataset.verdict = kind;
  byId("verdict").classList.toggle("unread", !isRead);
  byId("found").hidden = !isRead;
  list("facts", isRead ? await facts(found) : []);
  byId("position").textContent = positions.at(-1) ?? "";
  const turns = isRead && Array.isArray(record.turns) ? record.turns : [];
  list("turns", turns.map((turn, number) => movesOf(record, turn, number, found.unfit)));
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
list("cannot", words.cannot);
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  read(event.dataTransfer?.files ?? []);
});
