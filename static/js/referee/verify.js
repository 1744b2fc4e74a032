/* global referee */
/** The page that checks a match file on its reader's device (templates/share/verify.html). */

const WORDS = {
  en: {
    agrees: (turns, sealed) => ["No cheating found in this file.", `All ${turns} turns follow the rules${sealed ? ", and every move is the one that was sealed" : ""}.`],
    refused: (where, what) => [`Not by the rules${where}.`, `This can’t have been played: ${what}`],
    unreadable: (what) => ["This isn’t a match file, so nothing was checked.", `Choose the .json file that you saved on the match’s page, whole. (${what})`],
    at: (turn, who) => ` in turn ${turn}${who ? `, ${who}` : ""}`,
    result: ["The result was changed.", "It isn’t the one that these turns lead to. Anyone who had the file can have changed it, the site too: this doesn’t show who it was."],
    pasted_text: "Pasted text",
    open: "The match isn’t over yet.",
    won: (names, reason) => `${names} won: ${reason}.`,
    drawn: (names, reason) => `A draw between ${names}: ${reason}.`,
    unconfirmed: (result) => `The file says: ${result} That isn’t confirmed.`,
    by_rules: (result) => `By the rules, these turns lead to: ${result}`,
    seals: (count, moves) => `${count} of ${moves} moves were sealed, and each fits its seal. ${count < moves ? "Resigning and agreeing to a draw need no seal." : ""}`,
    unsealed: "The file has no seals, so this can’t tell if a move was changed afterwards.",
    bot: (seat, bot, dice) => `${seat} was the bot “${bot}”. Its last dice: ${dice}. How it played was not checked.`,
    empty: "the file is empty",
    changed: (turn, who, order) => [`A move was changed: turn ${turn}.`, `${who}’s move in this file, ${order}, isn’t the one that was sealed during the match. Anyone who had the file can have changed it, the site too, and a damaged file looks the same: this doesn’t show who it was.`],
    again: "Save the file again on the match’s page, ask another player for theirs, and compare.",
    rules_kept: (turns) => `All ${turns} turns follow the rules.`,
    one_seal: "This is the first move that its seal doesn’t fit. Those after it weren’t compared.",
    sealing: "Sealed means: before the others could see a move, the site published a checksum of it, which fits no other move.",
    cannot: ["Who really played: names aren’t checked.", "Whether the whole file was made up, by a player or by the site. Compare its last turns with what you saw."],
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
    lead: "Haben sich alle an die Regeln gehalten? Wähle die Datei der Partie („Partiedatei laden“ im Menü ⋯ ihrer Seite): Diese Seite spielt sie auf deinem Gerät nach. Gesendet wird nichts.",
    file: "Datei der Partie",
    pasted: "Oder füge ihren Text hier ein",
    found: "Was geprüft wurde",
    orders: "Alle Züge und die letzte Stellung",
    why_title: "Warum eine gespeicherte Seite?",
    why: "Eine Website kann über sich selbst die Unwahrheit sagen. Eine Kopie dieser Seite, die du früher gespeichert oder von einer vertrauten Person hast, prüft, ohne die Website zu fragen, auch ohne Internet.",
    agrees: (turns, sealed) => ["In dieser Datei ist kein Betrug zu finden.", `Alle ${turns} Runden folgen den Regeln${sealed ? ", und jeder Zug ist der, der versiegelt wurde" : ""}.`],
    refused: (where, what) => [`Nicht nach den Regeln${where}.`, `So kann nicht gespielt worden sein: ${what}`],
    unreadable: (what) => ["Das ist keine Datei einer Partie, also wurde nichts geprüft.", `Wähle die ganze .json-Datei, die du auf der Seite der Partie gespeichert hast. (${what})`],
    at: (turn, who) => ` in Runde ${turn}${who ? `, ${who}` : ""}`,
    result: ["Das Ergebnis wurde geändert.", "Es ist nicht das, zu dem diese Runden führen. Geändert haben kann es jeder, der die Datei hatte, auch die Website: Wer es war, zeigt das nicht."],
    pasted_text: "Eingefügter Text",
    open: "Die Partie ist noch nicht zu Ende.",
    won: (names, reason) => `${names} hat gewonnen: ${reason}.`,
    drawn: (names, reason) => `Unentschieden zwischen ${names}: ${reason}.`,
    unconfirmed: (result) => `In der Datei steht: ${result} Bestätigt ist das nicht.`,
    by_rules: (result) => `Nach den Regeln führen diese Züge zu: ${result}`,
    seals: (count, moves) => `${count} von ${moves} Zügen waren versiegelt, und jeder passt zu seinem Siegel. ${count < moves ? "Aufgeben und Remis brauchen kein Siegel. " : ""}`,
    unsealed: "Die Datei hat keine Siegel. Ob ein Zug nachträglich geändert wurde, lässt sich so nicht sagen.",
    bot: (seat, bot, dice) => `${seat} war der Bot „${bot}“. Seine letzten Würfel: ${dice}. Wie er spielte, wurde nicht geprüft.`,
    empty: "die Datei ist leer",
    changed: (turn, who, order) => [`Ein Zug wurde geändert: Runde ${turn}.`, `Der Zug von ${who} in dieser Datei, ${order}, ist nicht der, der während der Partie versiegelt wurde. Geändert haben kann ihn jeder, der die Datei hatte, auch die Website, und eine beschädigte Datei sieht genauso aus: Wer es war, zeigt das nicht.`],
    again: "Speichere die Datei auf der Seite der Partie noch einmal, bitte jemanden aus der Partie um seine, und vergleiche.",
    rules_kept: (turns) => `Alle ${turns} Runden folgen den Regeln.`,
    one_seal: "Das ist der erste Zug, zu dem sein Siegel nicht passt. Die danach wurden nicht verglichen.",
    sealing: "Versiegelt heißt: Bevor die anderen einen Zug sehen konnten, hat die Website eine Prüfsumme von ihm veröffentlicht, die zu keinem anderen passt.",
    cannot: ["Wer wirklich gespielt hat: Namen werden nicht geprüft.", "Ob die ganze Datei erfunden ist, von jemandem aus der Partie oder von der Website. Vergleiche die letzten Runden mit dem, was du gesehen hast."],
    cannot_title: "Was sich so nicht prüfen lässt",
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
    lead: "¿Han respetado todos las reglas? Elige el archivo de la partida («Descargar partida» en el menú ⋯ de su página): esta página la vuelve a jugar en tu dispositivo. No se envía nada.",
    file: "Archivo de la partida",
    pasted: "O pega aquí su texto",
    found: "Qué se ha comprobado",
    orders: "Todas las jugadas y la última posición",
    why_title: "¿Por qué una página guardada?",
    why: "Una web puede mentir sobre sí misma. Una copia de esta página que guardaste antes, o que te dio alguien de confianza, comprueba sin preguntar a la web, también sin conexión.",
    agrees: (turns, sealed) => ["No se ha encontrado ninguna trampa en este archivo.", `Los ${turns} turnos siguen las reglas${sealed ? ", y cada jugada es la que se selló" : ""}.`],
    refused: (where, what) => [`Contra las reglas${where}.`, `Esto no se pudo jugar: ${what}`],
    unreadable: (what) => ["Esto no es un archivo de partida: no se ha comprobado nada.", `Elige entero el archivo .json que guardaste en la página de la partida. (${what})`],
    at: (turn, who) => ` en el turno ${turn}${who ? `, ${who}` : ""}`,
    result: ["Se cambió el resultado.", "No es el que dan estos turnos. Pudo cambiarlo cualquiera que tuviera el archivo, también el sitio: esto no muestra quién fue."],
    pasted_text: "Texto pegado",
    open: "La partida aún no ha terminado.",
    won: (names, reason) => `${names} ha ganado: ${reason}.`,
    drawn: (names, reason) => `Empate entre ${names}: ${reason}.`,
    unconfirmed: (result) => `El archivo dice: ${result} No está confirmado.`,
    by_rules: (result) => `Según las reglas, estos turnos llevan a: ${result}`,
    seals: (count, moves) => `${count} de ${moves} jugadas estaban selladas, y cada una corresponde a su sello. ${count < moves ? "Abandonar y acordar tablas no necesitan sello. " : ""}`,
    unsealed: "El archivo no tiene sellos: no se puede saber si una jugada se cambió después.",
    bot: (seat, bot, dice) => `${seat} era el bot «${bot}». Sus últimos dados: ${dice}. No se ha comprobado cómo jugó.`,
    empty: "el archivo está vacío",
    changed: (turn, who, order) => [`Se cambió una jugada: turno ${turn}.`, `La jugada de ${who} en este archivo, ${order}, no es la que se selló durante la partida. Pudo cambiarla cualquiera que tuviera el archivo, también el sitio, y un archivo dañado se ve igual: esto no muestra quién fue.`],
    again: "Guarda otra vez el archivo en la página de la partida, pide el suyo a alguien que jugó y compáralos.",
    rules_kept: (turns) => `Los ${turns} turnos siguen las reglas.`,
    one_seal: "Es la primera jugada que no corresponde a su sello. Las siguientes no se han comparado.",
    sealing: "Sellada quiere decir: antes de que los demás pudieran ver la jugada, el sitio publicó una suma de comprobación que no corresponde a ninguna otra.",
    cannot: ["Quién jugó de verdad: los nombres no se comprueban.", "Si el archivo entero es inventado, por alguien que jugó o por el sitio. Compara los últimos turnos con lo que viste."],
    cannot_title: "Lo que así no se puede comprobar",
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
const facts = async ({ record, outcome, fault }) => {
  const result = ending(record, outcome);
  if (!(fault instanceof referee.Differs)) {
    if (fault) return [];
    const sealed = record.seals ? [words.seals(count(record.seals), count(record.turns)), words.sealing] : [words.unsealed];
    return [result, ...sealed, ...(await bots(record))];
  }
  const kept = words.rules_kept(record.turns.length);
  return fault.seat ? [kept, words.one_seal, words.sealing, words.unconfirmed(result)] : [kept, words.by_rules(result)];
};

const made = (tag, textContent) => Object.assign(document.createElement(tag), { textContent });
const list = (id, texts) => byId(id).replaceChildren(...texts.map((text) => made("li", text)));

/** The verdict's kind, its sentence, and what to make of it. */
const verdictOf = (text, { positions, record, fault }) => {
  if (!fault) return ["agrees", ...words.agrees(record.turns.length, record.seals)];
  const { turn, seat, message } = fault;
  if (!positions.length) return ["unreadable", ...words.unreadable(text.trim() ? message : words.empty)];
  if (!(fault instanceof referee.Differs)) {
    return ["refused", ...words.refused(turn === null ? "" : words.at(turn + 1, seat && named(record, seat)), message)];
  }
  const wrong = seat ? words.changed(turn + 1, named(record, seat), record.turns[turn][seat]) : words.result;
  return ["differs", ...wrong, words.again];
};

const check = async (text, from) => {
  const found = await referee.examine(text);
  const { positions, record, fault } = found;
  const isRead = positions.length > 0;
  const [kind, says, ...more] = verdictOf(text, found);
  byId("from").textContent = [isRead && (GAMES[record.game] ?? record.game), from].filter(Boolean).join(" · ");
  byId("verdict").replaceChildren(made("strong", says), ...more.map((text) => made("p", text)));
  byId("verdict").dataset.verdict = kind;
  byId("found").hidden = !isRead;
  list("facts", isRead ? await facts(found) : []);
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
list("cannot", words.cannot);
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  read(event.dataTransfer?.files ?? []);
});
