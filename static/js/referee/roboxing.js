/**
 * Roboxing by Thomas Gale, from the rulings (X1 to X13).
 *
 * @import { Game, Match, Orders } from "./rules.js"
 * @typedef {"laser" | "engine" | "booster"} Kind
 * @typedef {{letter: string, kind: Kind, intact: boolean}} Slot  Slots stand from north-west to south-east (X1).
 * @typedef {{name: string, seat: string, x: number, y: number, slots: Slot[] | null, isIn: boolean}} Robot
 * @typedef {{move: [string, number][], turret: string | null, target: string, letter: string}} Act
 */

import { FILES, between, demand, oneOf, shared } from "./rules.js";

const LETTERS = [..."abcdefghi"];
const CENTRE = 4;
const LAYOUT = /^(?:(?:[a-i]|\([a-i]\)|\[[a-i]\]){3}(?:\/(?!$)|$)){3}$/;
const MOVE = /^(?:-|[a-i][1-9][0-9]*(?:\+[a-i][1-9][0-9]*)*)$/;

/** @type {Game} */
export const roboxing = {
  options: {
    width: between(5, 15),
    height: between(5, 15),
    robots: between(1, 3),
    centre: oneOf("booster", "free"),
  },
  defaults: { width: 8, height: 8, robots: 1, centre: "booster" },
  seats: () => [2, 4],
  start(options, seats, setup) {
    return new Roboxing(options, seats, corners(options, seats, setup));
  },
};

/**
 * X2: a corner for each seat, two seats in opposite ones.
 *
 * @param {any} options @param {string[]} seats @param {Record<string, unknown>} setup
 * @returns {Record<string, string>}
 */
function corners({ width, height }, seats, setup) {
  const given = setup.corners;
  demand(Object.keys(setup).length === 1 && typeof given === "object" && given !== null, "Each seat needs a corner.");
  const of = /** @type {Record<string, string>} */ (given);
  demand(Object.keys(of).sort().join() === seats.join(), "Each seat needs a corner.");
  const [left, right] = ["a", FILES[width - 1]];
  const there = [`${left}1`, `${right}1`, `${left}${height}`, `${right}${height}`];
  const taken = seats.map((seat) => of[seat]);
  demand(taken.every((corner) => there.includes(corner)), "There is no such corner.");
  demand(new Set(taken).size === seats.length, "Two seats have one corner.");
  const opposite = taken[0][0] !== taken[1][0] && taken[0].slice(1) !== taken[1].slice(1);
  demand(seats.length > 2 || opposite, "Two players start in opposite corners.");
  return of;
}

/** The direction of a slot, x to the east and y to the north. @param {number} slot */
const direction = (slot) => ({ x: (slot % 3) - 1, y: 1 - Math.floor(slot / 3) });

/** @param {string} text @returns {Slot[]} */
function slotsOf(text) {
  const parts = text.match(/[a-i]|\([a-i]\)|\[[a-i]\]/g) ?? [];
  return parts.map((part) => ({
    letter: part.replace(/[^a-i]/g, ""),
    kind: part.startsWith("(") ? "laser" : part.startsWith("[") ? "booster" : "engine",
    intact: true,
  }));
}

/** @param {Robot} robot @param {Kind} kind */
const intact = (robot, kind) => (robot.slots ?? []).filter((slot) => slot.intact && slot.kind === kind).length;

/** @param {Robot} robot */
const isBoosted = (robot) => intact(robot, "booster") > 0;

/** X8, X9: is this square in the quarter that spreads from the slot's side? @param {number} slot @param {number} dx @param {number} dy */
function covers(slot, dx, dy) {
  if (dx === 0 && dy === 0) return false;
  if (slot === CENTRE) return true;
  const { x, y } = direction(slot);
  if (x === 0) return dy * y > 0 && Math.abs(dx) <= Math.abs(dy);
  if (y === 0) return dx * x > 0 && Math.abs(dy) <= Math.abs(dx);
  return dx * x >= 0 && dy * y >= 0;
}

/** @implements {Match} */
class Roboxing {
  /** @param {any} options @param {string[]} seats @param {Record<string, string>} cornerOf */
  constructor(options, seats, cornerOf) {
    this.options = options;
    this.seats = seats;
    this.outcome = null;
    /** @type {string[][]} */
    this.fell = [];
    this.isBuilt = false;
    /** @type {Robot[]} */
    this.robots = seats.flatMap((seat) => {
      const x = FILES.indexOf(cornerOf[seat][0]);
      const y = Number(cornerOf[seat].slice(1)) - 1;
      const along = { x: x === 0 ? 1 : -1, y: y === 0 ? 1 : -1 };
      const places = [
        { x, y },
        { x: x + along.x, y }, // X2: along the rank
        { x, y: y + along.y }, // along the file
      ];
      return places
        .slice(0, options.robots)
        .map((place, i) => ({ name: `${seat}${i + 1}`, seat, ...place, slots: null, isIn: true }));
    });
  }

  position() {
    return this.robots.map((robot) => `${robot.name}@${this.written(robot)}`).join(" ");
  }

  /** @param {Robot} robot */
  written({ isIn, x, y, slots }) {
    if (!isIn) return "-";
    const square = `${FILES[x]}${y + 1}`;
    if (!slots) return square;
    const parts = slots.map(({ letter, kind, intact }) => {
      if (!intact) return "*";
      return kind === "laser" ? `(${letter})` : kind === "booster" ? `[${letter}]` : letter;
    });
    return `${square}:${[0, 3, 6].map((i) => parts.slice(i, i + 3).join("")).join("/")}`;
  }

  stillIn() {
    return this.seats.filter((seat) => this.robots.some((robot) => robot.seat === seat && robot.isIn));
  }

  toAct() {
    return this.stillIn();
  }

  /** @param {string} seat */
  own(seat) {
    return this.robots.filter((robot) => robot.seat === seat && robot.isIn);
  }

  /** @param {string} seat */
  leave(seat) {
    for (const robot of this.own(seat)) robot.isIn = false;
  }

  /** @param {string} seat @param {string} order */
  check(seat, order) {
    const own = this.own(seat);
    if (!this.isBuilt) {
      const layouts = order.split(" ");
      demand(layouts.length === own.length, "Each robot needs a layout.");
      for (const layout of layouts) this.checkLayout(layout);
      return;
    }
    const acts = order.split(";");
    demand(acts.length === own.length, "Each robot needs an order.");
    acts.forEach((act, i) => this.checkAct(own[i], act));
  }

  /** X1, X9 @param {string} layout */
  checkLayout(layout) {
    demand(LAYOUT.test(layout), "A layout has three rows of three slots.");
    const slots = slotsOf(layout);
    demand(slots.map(({ letter }) => letter).sort().join("") === LETTERS.join(""), "Each letter is used once.");
    /** @param {Kind} kind */
    const count = (kind) => slots.filter((slot) => slot.kind === kind).length;
    demand(count("laser") === 4 && count("booster") === 1, "A robot has four lasers, a booster and four engines.");
    demand(this.options.centre === "free" || slots[CENTRE].kind === "booster", "The booster sits in the centre.");
  }

  /** @param {Robot} robot @param {string} act */
  checkAct(robot, act) {
    const words = act.split(" ");
    demand((words.length === 1 || words.length === 3) && MOVE.test(words[0]), "An order is a move, or a move and a shot.");
    this.checkMove(robot, this.read(robot, act).move);
    if (words.length === 1) return;
    // X10
    demand(/^[a-i]$/.test(words[1]), "A turret is a letter.");
    demand(robot.slots?.some((slot) => slot.letter === words[1] && slot.kind === "laser" && slot.intact) ?? false, "No such laser.");
    demand((this.hasOneEnemy ? /^[a-i]$/ : /^[A-D][1-3]:[a-i]$/).test(words[2]), "There is no such target.");
    const { target, letter } = this.read(robot, act);
    const enemy = this.robots.find((other) => other.name === target);
    demand(enemy !== undefined && enemy.seat !== robot.seat && enemy.isIn, "There is no such enemy in the ring.");
    demand(enemy.slots?.some((slot) => slot.letter === letter && slot.intact) ?? false, "This letter is destroyed.");
  }

  /** X4 @param {Robot} robot @param {[string, number][]} move */
  checkMove(robot, move) {
    const most = intact(robot, "engine") * (isBoosted(robot) ? 2 : 1);
    demand(move.reduce((sum, [, spaces]) => sum + spaces, 0) <= most, "The move is too long.");
    let { x, y } = robot;
    for (const [letter, spaces] of move) {
      const way = this.engine(robot, letter);
      demand(way !== null, `There is no engine ${letter}.`);
      x += spaces * way.x;
      y += spaces * way.y;
      demand(x >= 0 && x < this.options.width && y >= 0 && y < this.options.height, "A leg leaves the board.");
    }
  }

  /** The direction of an intact engine; null for a letter that moves nothing (X9). @param {Robot} robot @param {string} letter */
  engine(robot, letter) {
    const slot = (robot.slots ?? []).findIndex((one) => one.letter === letter && one.kind === "engine" && one.intact);
    return slot < 0 || slot === CENTRE ? null : direction(slot);
  }

  get hasOneEnemy() {
    return this.seats.length === 2 && this.options.robots === 1;
  }

  /** @param {Robot} robot @param {string} act @returns {Act} */
  read(robot, act) {
    const [move, turret = null, aim = ""] = act.split(" ");
    /** @type {[string, number][]} */
    const legs = move === "-" ? [] : move.split("+").map((leg) => [leg[0], Number(leg.slice(1))]);
    const [target, letter] = aim.includes(":")
      ? aim.split(":")
      : [this.robots.find((other) => other.seat !== robot.seat)?.name ?? "", aim];
    return { move: legs, turret, target, letter };
  }

  /** @param {Orders} orders */
  play(orders) {
    const playing = this.stillIn();
    if (this.isBuilt) this.fight(orders);
    else this.build(orders);
    this.judge(playing);
    return [this.position()];
  }

  /** @param {Orders} orders */
  build(orders) {
    for (const [seat, order] of Object.entries(orders)) {
      const layouts = order.split(" ");
      this.own(seat).forEach((robot, i) => (robot.slots = slotsOf(layouts[i])));
    }
    this.isBuilt = true;
  }

  /** X3: all moves, then all shots at once, then damage. @param {Orders} orders */
  fight(orders) {
    const acts = Object.entries(orders).flatMap(([seat, order]) => {
      const words = order.split(";");
      return this.own(seat).map((robot, i) => /** @type {const} */ ([robot, this.read(robot, words[i])]));
    });
    /** @type {Set<Robot>} */
    const spent = new Set();
    for (const [robot, { move }] of acts) {
      let total = 0;
      for (const [letter, spaces] of move) {
        const way = /** @type {{x: number, y: number}} */ (this.engine(robot, letter));
        robot.x += spaces * way.x;
        robot.y += spaces * way.y;
        total += spaces;
      }
      if (total > intact(robot, "engine")) spent.add(robot); // X5
    }
    const hits = acts.filter(([robot, act]) => this.isHit(robot, act, spent.has(robot)));
    for (const [, { target, letter }] of hits) {
      const slots = this.robots.find((other) => other.name === target)?.slots ?? [];
      for (const slot of slots) if (slot.letter === letter) slot.intact = false;
    }
    for (const robot of this.robots) {
      if (robot.slots && (intact(robot, "laser") === 0 || intact(robot, "engine") === 0)) robot.isIn = false; // X11
    }
  }

  /** X7, X8, X10 @param {Robot} robot @param {Act} act @param {boolean} isSpent  The booster has gone into the move. */
  isHit(robot, { turret, target }, isSpent) {
    const enemy = this.robots.find((other) => other.name === target);
    if (!turret || !enemy?.isIn) return false;
    const reach = intact(robot, "laser") * (isBoosted(robot) && !isSpent ? 2 : 1);
    const [dx, dy] = [enemy.x - robot.x, enemy.y - robot.y];
    const slot = (robot.slots ?? []).findIndex((one) => one.letter === turret);
    return Math.max(Math.abs(dx), Math.abs(dy)) <= reach && covers(slot, dx, dy);
  }

  /** X11, X13 @param {string[]} playing  The seats that were in when the turn was played. */
  judge(playing) {
    const left = this.stillIn();
    this.fell.push(playing.filter((seat) => !left.includes(seat)));
    if (left.length < 2) this.outcome = shared(this.seats, left.length > 0 ? left : playing, "knockout");
    else if (this.isDead()) this.outcome = shared(this.seats, left, "out of reach");
  }

  /** X13: can no robot on the board ever hit an enemy again? */
  isDead() {
    const here = this.robots.filter((robot) => robot.isIn);
    const reached = new Map(here.map((robot) => [robot, this.reachable(robot)]));
    return !here.some((robot) =>
      here.some(
        (enemy) =>
          enemy.seat !== robot.seat && this.canEverHit(robot, reached.get(robot) ?? [], reached.get(enemy) ?? []),
      ),
    );
  }

  /** @param {Robot} robot @param {{x: number, y: number}[]} from @param {{x: number, y: number}[]} to */
  canEverHit(robot, from, to) {
    const reach = intact(robot, "laser") * (isBoosted(robot) ? 2 : 1);
    const slots = robot.slots ?? [];
    const turrets = slots.map((_, i) => i).filter((i) => slots[i].kind === "laser" && slots[i].intact);
    return from.some((here) =>
      to.some((there) => {
        const [dx, dy] = [there.x - here.x, there.y - here.y];
        return Math.max(Math.abs(dx), Math.abs(dy)) <= reach && turrets.some((turret) => covers(turret, dx, dy));
      }),
    );
  }

  /** The squares to which single steps of the robot's engines lead, and its own. @param {Robot} robot */
  reachable(robot) {
    const ways = (robot.slots ?? [])
      .map((slot, i) => ({ slot, ...direction(i) }))
      .filter(({ slot, x, y }) => slot.kind === "engine" && slot.intact && (x !== 0 || y !== 0));
    const { width, height } = this.options;
    const found = [{ x: robot.x, y: robot.y }];
    const seen = new Set([robot.y * width + robot.x]);
    for (const square of found) {
      for (const way of ways) {
        const next = { x: square.x + way.x, y: square.y + way.y };
        const isOn = next.x >= 0 && next.x < width && next.y >= 0 && next.y < height;
        if (!isOn || seen.has(next.y * width + next.x)) continue;
        seen.add(next.y * width + next.x);
        found.push(next);
      }
    }
    return found;
  }
}
