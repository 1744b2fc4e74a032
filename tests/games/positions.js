/* global referee */
/** The second referee from the middle of a match on, for the tests alone (tests/games/referee.py). */

const DESTROYED = { letter: "*", kind: "engine", intact: false };

/** Any corners that are allowed: a position says where the robots stand. */
const corners = ({ width = 8, height = 8 }, seats) => {
  const right = "abcdefghijklmno"[width - 1];
  const there = ["a1", `${right}${height}`, `${right}1`, `a${height}`];
  return { corners: Object.fromEntries(seats.map((seat, i) => [seat, there[i]])) };
};

/** Rows as positions write them, from the bottom. */
const piecesOf = (rows) =>
  rows.split("/").reverse().flatMap((row) => [...row.replace(/\d+/g, (run) => ".".repeat(run))].map((sign) => sign.replace(".", "")));

const SET = {
  pigs(match, position) {
    match.begun = /\[[^\]]/.test(position);
    for (const word of position.split(" ")) {
      const [, seat, file, rank, facing, damage, dealt, list] = /^(.)=(?:-|(.)(.)(.)(\d+|x)(?:\+(\d+))?(?:\[(.*)\])?)$/.exec(word);
      const state = !file ? "gone" : damage === "x" ? "hulk" : "alive";
      const stands = file ? { x: "abcdefgh".indexOf(file), y: rank - 1, facing: "NESW".indexOf(facing) } : {};
      Object.assign(match.pigs[seat], stands, { state, damage: Number(damage) || 0, dealt: Number(dealt ?? 0), list: list ? list.split(",") : [] });
    }
  },
  roboxing(match, position) {
    match.isBuilt = true;
    match.hits = {};
    for (const [i, word] of position.split(" ").entries()) {
      const [, file, rank, layout] = /^..@(?:-|(.)(\d+):(.*))$/.exec(word);
      if (!file) {
        match.robots[i].isIn = false;
        continue;
      }
      const slots = layout.match(/\*|\w|\(\w\)|\[\w\]/g).map((part) => {
        const kind = { "(": "laser", "[": "booster" }[part[0]] ?? "engine";
        return part === "*" ? { ...DESTROYED } : { letter: part.replace(/\W/g, ""), kind, intact: true };
      });
      Object.assign(match.robots[i], { x: file.charCodeAt() - 97, y: rank - 1, slots });
    }
    const isHit = match.isHit.bind(match);
    match.isHit = (robot, act, isSpent) => {
      const hit = isHit(robot, act, isSpent);
      if (act.turret) match.hits[robot.name] = hit;
      return hit;
    };
  },
  robosoccer(match, position) {
    const [rows, side] = position.split(" ");
    Object.assign(match, { pieces: piecesOf(rows), mover: side === "w" ? "A" : "B", turns: 4, seen: new Map([[position, 1]]) });
  },
  robble(match, position) {
    const [rows, mover] = position.split(" ");
    Object.assign(match, { stones: piecesOf(rows), mover, turns: 2, seen: new Map([[position, 1]]) });
  },
};

/** Each legal turn of two sides that move in turn. */
function legalTurns(match) {
  const { pieces, mover } = match;
  return match.actions(pieces, mover).flatMap((first) => {
    const once = match.after(pieces, mover, first);
    const early = match.isLegalEnd(once, mover, 1) ? [first] : [];
    if (match.hasScored(once, mover)) return early;
    const seconds = match.actions(once, mover).filter((second) => match.isLegalEnd(match.after(once, mover, second), mover, 2));
    return [...early, ...seconds.map((second) => `${first} ${second}`)];
  });
}

/** Of these orders those that are legal. */
const legalOf = (match, seat, orders) =>
  orders.filter((order) => {
    try {
      match.check(seat, order);
    } catch (error) {
      if (error instanceof referee.Illegal) return false;
      throw error;
    }
    return true;
  });

const QUESTIONS = {
  legalTurns: (match) => [...new Set(legalTurns(match))].sort(),
  legalOf,
  hasTurn: (match) => match.hasTurn(match.mover),
  groups: (match) => ["b", "w"].map((colour) => match.groups(colour).sort((one, two) => two - one)),
  isDead: (match) => match.isDead(),
};

/** Sets a match to a position, answers questions about it, and plays turns. */
globalThis.from = ({ game, options, seats, setup, position, questions, turns }) => {
  const match = referee.begin({
    format: "robosite/1",
    game,
    options: game === "pigs" ? { ...options, start: "ring" } : options, // of up to eight
    seats,
    setup: game === "roboxing" ? corners(options, seats) : setup,
    turns: [],
  });
  SET[game](match, position);
  const start = match.position();
  const answers = questions.map(([name, ...given]) => QUESTIONS[name](match, ...given));
  const played = turns.map((turn, number) => {
    match.hits = {};
    const positions = referee.playTurn(match, turn, number);
    return { positions, hits: match.hits };
  });
  return { start, answers, played, outcome: match.outcome };
};
