/**
 * Robo Battle Pigs by Randy Cox, from the rulings (P1 to P16).
 *
 * @import { Game, Match, Orders } from "./rules.js"
 * @typedef {{x: number, y: number}} Square
 * @typedef {object} Pig
 * @property {number} x @property {number} y
 * @property {number} facing  Quarter turns from north, clockwise.
 * @property {number} damage
 * @property {number} dealt  Hits dealt (P14).
 * @property {"alive" | "hulk" | "gone"} state
 * @property {string[]} list  Commands still to be executed (P15).
 */

import { FILES, WAYS, demand, oneOf, shared } from "./rules.js";

const SIZE = 8;
const FACINGS = "NESW";
const FREE = ["^", "v", "\\", "/", "TL", "TR", "F", "H"];
const FATAL = 5;
const RACE = 5;
const ROUND = 5;
const FIRST_LIST = 3;

/** P1 */
const SIDES = ["d8S", "e1N", "h5W", "a4E"];
/** P2 */
const RING = ["d6N", "e6N", "f5E", "f4E", "e3S", "d3S", "c4W", "c5W"];

/** @type {Game} */
export const pigs = {
  options: {
    mode: oneOf("rounds", "continuous"),
    start: oneOf("sides", "ring"),
    ends: oneOf("first_down", "last_standing"),
    damage_moves: oneOf(true, false),
    laser: oneOf("first", "through"),
    side_cross: oneOf("pass", "forward"),
  },
  defaults: {
    mode: "rounds",
    start: "sides",
    ends: "first_down",
    damage_moves: true,
    laser: "first",
    side_cross: "pass",
  },
  seats: (options) => (options.start === "ring" ? [2, 8] : [2, 4]),
  start(options, seats, setup) {
    demand(Object.keys(setup).length === 0, "Nothing is decided before a match of the pigs.");
    return new Pigs(options, seats);
  },
};

/** @param {string} place @returns {Pig} */
function placed(place) {
  return {
    x: FILES.indexOf(place[0]),
    y: Number(place[1]) - 1,
    facing: FACINGS.indexOf(place[2]),
    damage: 0,
    dealt: 0,
    state: "alive",
    list: [],
  };
}

/** @param {Square} square */
const onBoard = ({ x, y }) => x >= 0 && x < SIZE && y >= 0 && y < SIZE;

/** @param {Square} one @param {Square} two */
const same = (one, two) => one.x === two.x && one.y === two.y;

/** The square to which a command leads if nothing is in the way. @param {Pig} pig @param {string} command @returns {Square} */
function led({ x, y, facing }, command) {
  const ahead = WAYS[facing];
  const left = WAYS[(facing + 3) % 4];
  switch (command) {
    case "^":
      return { x: x + ahead.x, y: y + ahead.y };
    case "v":
      return { x: x - ahead.x, y: y - ahead.y };
    case "\\":
      return { x: x + ahead.x + left.x, y: y + ahead.y + left.y };
    case "/":
      return { x: x + ahead.x - left.x, y: y + ahead.y - left.y };
    default:
      return { x, y };
  }
}

/** @implements {Match} */
class Pigs {
  /** @param {any} options @param {string[]} seats */
  constructor(options, seats) {
    this.options = options;
    this.seats = seats;
    this.outcome = null;
    /** @type {string[][]} */
    this.fell = [];
    /** P14: without moves lost to damage, and until the first is down, it is a race. */
    this.isRace = !options.damage_moves && options.ends === "first_down";
    this.isContinuous = options.mode === "continuous";
    this.begun = false;
    /** @type {Record<string, Pig>} */
    this.pigs = {};
    seats.forEach((seat, i) => {
      const place = options.start === "ring" ? RING[Math.floor((i * 8) / seats.length)] : SIDES[i];
      this.pigs[seat] = placed(place);
    });
  }

  position() {
    return this.seats.map((seat) => `${seat}=${this.written(this.pigs[seat])}`).join(" ");
  }

  /** @param {Pig} pig */
  written(pig) {
    if (pig.state === "gone") return "-";
    const stands = `${FILES[pig.x]}${pig.y + 1}${FACINGS[pig.facing]}`;
    if (pig.state === "hulk") return `${stands}x`;
    const dealt = this.isRace ? `+${pig.dealt}` : "";
    const list = this.isContinuous ? `[${pig.list.join(",")}]` : "";
    return `${stands}${pig.damage}${dealt}${list}`;
  }

  stillIn() {
    return this.seats.filter((seat) => this.pigs[seat].state === "alive");
  }

  toAct() {
    return this.stillIn();
  }

  /** @param {string} seat @param {string} order */
  check(seat, order) {
    const commands = order.split(" ");
    const { damage } = this.pigs[seat];
    if (this.isContinuous) {
      // P15: no R and no X
      demand(commands.length === (this.begun ? 1 : FIRST_LIST), "Three commands at first, then one a turn.");
      demand(commands.every((command) => FREE.includes(command)), "There is no such command.");
      return;
    }
    demand(commands.length === ROUND, "A program is five commands."); // P9
    const owed = this.options.damage_moves ? damage : 0;
    if (this.options.damage_moves && commands.every((command) => command === "R")) {
      demand(damage > 0, "There is nothing to repair."); // P10
      return;
    }
    demand(commands.every((command) => command === "X" || FREE.includes(command)), "There is no such command.");
    demand(commands.filter((command) => command === "X").length === owed, `The program needs ${owed} X.`);
  }

  /** G1: the pig becomes a hulk where it stands. @param {string} seat */
  leave(seat) {
    this.pigs[seat].state = "hulk";
  }

  /** @param {Orders} orders */
  play(orders) {
    const positions = [];
    if (this.isContinuous) {
      for (const seat of this.stillIn()) this.pigs[seat].list.push(...orders[seat].split(" "));
      this.begun = true;
      this.stepOfLists();
      return [this.position()];
    }
    const programs = Object.entries(orders).map(([seat, order]) => /** @type {const} */ ([seat, order.split(" ")]));
    for (let step = 0; step < ROUND && !this.outcome; step++) {
      /** @type {Orders} */
      const commands = {};
      for (const [seat, program] of programs) if (this.pigs[seat].state === "alive") commands[seat] = program[step];
      this.step(commands, step === ROUND - 1);
      positions.push(this.position());
    }
    return positions;
  }

  /** P15: each hit repeats the last command of the list. */
  stepOfLists() {
    const before = Object.fromEntries(this.stillIn().map((seat) => [seat, this.pigs[seat].damage]));
    const commands = Object.fromEntries(
      this.stillIn().map((seat) => [seat, /** @type {string} */ (this.pigs[seat].list.shift())]),
    );
    this.step(commands, false);
    if (!this.options.damage_moves) return;
    for (const seat of this.stillIn()) {
      const pig = this.pigs[seat];
      const last = pig.list[pig.list.length - 1];
      for (let hit = before[seat]; hit < pig.damage; hit++) pig.list.push(last);
    }
  }

  /** P3: everybody moves and turns, then everybody attacks. @param {Orders} commands @param {boolean} isLast */
  step(commands, isLast) {
    this.move(commands);
    this.turn(commands);
    const hits = this.attack(commands);
    this.damage(commands, hits, isLast);
  }

  /** @param {Orders} commands */
  move(commands) {
    const movers = Object.keys(commands);
    /** @type {Record<string, Square>} */
    const targets = {};
    for (const seat of movers) {
      const target = led(this.pigs[seat], commands[seat]);
      targets[seat] = onBoard(target) ? target : { x: this.pigs[seat].x, y: this.pigs[seat].y }; // P4
    }
    if (this.options.side_cross === "forward") this.cross(commands, targets);
    this.collide(targets);
    for (const seat of movers) {
      const pig = this.pigs[seat];
      if (same(pig, targets[seat])) continue;
      for (const other of this.seats) {
        const hulk = this.pigs[other];
        if (hulk.state === "hulk" && same(hulk, targets[seat])) hulk.state = "gone"; // P12
      }
      pig.x = targets[seat].x;
      pig.y = targets[seat].y;
    }
  }

  /** P6: side by side, on diagonals that cross. @param {Orders} commands @param {Record<string, Square>} targets */
  cross(commands, targets) {
    const movers = Object.keys(targets).filter((seat) => !same(this.pigs[seat], targets[seat]));
    /** @param {string} one @param {string} two */
    const exchange = (one, two) => same(targets[one], this.pigs[two]) && same(targets[two], this.pigs[one]);
    const diagonal = movers.filter(
      (seat) => "\\/".includes(commands[seat]) && !movers.some((other) => other !== seat && exchange(seat, other)),
    );
    const crossing = diagonal.filter((one) =>
      diagonal.some((two) => {
        const [here, there] = [this.pigs[one], this.pigs[two]];
        const beside = Math.abs(here.x - there.x) + Math.abs(here.y - there.y) === 1;
        const sameMiddle =
          here.x + targets[one].x === there.x + targets[two].x && here.y + targets[one].y === there.y + targets[two].y;
        return beside && sameMiddle;
      }),
    );
    for (const seat of crossing) {
      const ahead = led(this.pigs[seat], "^");
      targets[seat] = onBoard(ahead) ? ahead : { x: this.pigs[seat].x, y: this.pigs[seat].y };
    }
  }

  /** P5: repeated until nothing changes. @param {Record<string, Square>} targets */
  collide(targets) {
    const seats = Object.keys(targets);
    /** @param {string} seat */
    const moves = (seat) => !same(this.pigs[seat], targets[seat]);
    for (;;) {
      const stopped = seats.filter(
        (seat) =>
          moves(seat) &&
          seats.some(
            (other) =>
              other !== seat &&
              (moves(other)
                ? same(targets[other], targets[seat]) ||
                  (same(targets[other], this.pigs[seat]) && same(targets[seat], this.pigs[other]))
                : same(this.pigs[other], targets[seat])),
          ),
      );
      if (stopped.length === 0) return;
      for (const seat of stopped) targets[seat] = { x: this.pigs[seat].x, y: this.pigs[seat].y };
    }
  }

  /** @param {Orders} commands */
  turn(commands) {
    for (const [seat, command] of Object.entries(commands)) {
      const pig = this.pigs[seat];
      if (command === "TL") pig.facing = (pig.facing + 3) % 4;
      if (command === "TR") pig.facing = (pig.facing + 1) % 4;
    }
  }

  /** The hits that each pig takes; hits dealt are counted. @param {Orders} commands */
  attack(commands) {
    /** @type {Record<string, number>} */
    const hits = Object.fromEntries(this.seats.map((seat) => [seat, 0]));
    for (const [seat, command] of Object.entries(commands)) {
      const struck = command === "F" ? this.laser(seat) : command === "H" ? this.punch(seat) : [];
      for (const other of struck) hits[other] += 1;
      this.pigs[seat].dealt += struck.length;
    }
    return hits;
  }

  /** P7 @param {string} seat */
  laser(seat) {
    const pig = this.pigs[seat];
    const ahead = WAYS[pig.facing];
    const struck = [];
    for (let at = { x: pig.x + ahead.x, y: pig.y + ahead.y }; onBoard(at); at = { x: at.x + ahead.x, y: at.y + ahead.y }) {
      const other = this.seats.find((one) => this.pigs[one].state !== "gone" && same(this.pigs[one], at));
      if (!other) continue;
      if (this.pigs[other].state === "alive") struck.push(other);
      if (this.options.laser === "first") break;
    }
    return struck;
  }

  /** P8 @param {string} seat */
  punch(seat) {
    const reached = ["\\", "^", "/"].map((command) => led(this.pigs[seat], command));
    return this.stillIn().filter((other) => reached.some((square) => same(this.pigs[other], square)));
  }

  /** @param {Orders} commands @param {Record<string, number>} hits @param {boolean} isLast  The step in which R counts. */
  damage(commands, hits, isLast) {
    const before = this.stillIn();
    for (const seat of before) {
      const repaired = isLast && commands[seat] === "R" ? 1 : 0; // P10
      const pig = this.pigs[seat];
      pig.damage += hits[seat] - repaired;
      if (!this.isRace && pig.damage >= FATAL) pig.state = "hulk"; // P11
    }
    this.judge(before);
  }

  /** P11, P13, P14 @param {string[]} before  The seats that lived before this step. */
  judge(before) {
    const standing = this.stillIn();
    const fallen = before.filter((seat) => !standing.includes(seat));
    this.fell.push(fallen);
    if (this.isRace) {
      const first = standing.filter((seat) => this.pigs[seat].dealt >= RACE);
      if (first.length > 0) this.outcome = shared(this.seats, first, "five hits");
    } else if (this.options.ends === "first_down") {
      if (fallen.length === 0) return;
      const fewest = Math.min(...standing.map((seat) => this.pigs[seat].damage));
      const winners = standing.filter((seat) => this.pigs[seat].damage === fewest);
      this.outcome = shared(this.seats, standing.length > 0 ? winners : fallen, "destroyed");
    } else if (standing.length < 2) {
      this.outcome = shared(this.seats, standing.length > 0 ? standing : fallen, "destroyed");
    }
  }
}
