/**
 * Robble by Luis Bolaños Mures, from the rulings (B1 to B4).
 *
 * @import { Game, Match, Orders } from "./rules.js"
 */

import { FILES, between, demand, oneOf, shared } from "./rules.js";

const OTHER = { b: "w", w: "b" };
const DIRECTIONS = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
];

/** @type {Game} */
export const robble = {
  options: { size: between(5, 9), pie: oneOf(true, false) },
  defaults: { size: 7, pie: true },
  seats: () => [2, 2],
  start(options, seats, setup) {
    demand(Object.keys(setup).length === 0, "Nothing is decided before a match of Robble.");
    return new Robble(options, seats);
  },
};

/** @implements {Match} */
class Robble {
  /** @param {any} options @param {string[]} seats */
  constructor(options, seats) {
    this.size = options.size;
    this.pie = options.pie;
    this.seats = seats;
    this.outcome = null;
    /** The stones, rows from the bottom: "b", "w" or "". @type {string[]} */
    this.stones = Array(this.size ** 2).fill("");
    /** @type {"b" | "w"} */
    this.mover = "b";
    /** B2: seat A is Black at first. @type {Record<"b" | "w", string>} */
    this.plays = { b: "A", w: "B" };
    this.turns = 0;
    /** B4: how often each position has stood on the board; the empty start is its first time. */
    this.seen = new Map([[this.position(), 1]]);
  }

  position() {
    const rows = [];
    for (let rank = this.size - 1; rank >= 0; rank--) {
      const row = this.stones.slice(rank * this.size, (rank + 1) * this.size);
      rows.push(row.map((stone) => stone || ".").join("").replace(/\.+/g, (run) => `${run.length}`));
    }
    return `${rows.join("/")} ${this.mover}`;
  }

  stillIn() {
    return this.seats;
  }

  toAct() {
    return [this.plays[this.mover]];
  }

  /** Nobody leaves a match of two that goes on. */
  leave() {}

  /** The index of a square, or -1. @param {number} x @param {number} y */
  at(x, y) {
    return x >= 0 && x < this.size && y >= 0 && y < this.size ? y * this.size + x : -1;
  }

  /** @param {string} _ @param {string} order */
  check(_, order) {
    if (order === "swap") {
      demand(this.pie && this.turns === 1, "Only White’s first turn may be a swap."); // B2
      return;
    }
    demand(/^[a-i][1-9]$/.test(order), "An order is a square.");
    const square = this.at(FILES.indexOf(order[0]), Number(order[1]) - 1);
    demand(square >= 0, "There is no such square.");
    demand(this.stones[square] === "", "There is a stone already.");
  }

  /** @param {Orders} orders */
  play(orders) {
    const [order] = Object.values(orders);
    this.turns += 1;
    if (order === "swap") {
      this.plays = { b: this.plays.w, w: this.plays.b };
    } else {
      this.place(FILES.indexOf(order[0]), Number(order[1]) - 1);
      this.mover = /** @type {"b" | "w"} */ (OTHER[this.mover]);
      this.judge();
    }
    return [this.position()];
  }

  /** B1 @param {number} x @param {number} y */
  place(x, y) {
    const before = [...this.stones];
    this.stones[this.at(x, y)] = this.mover;
    for (const [dx, dy] of DIRECTIONS) {
      const near = this.at(x + dx, y + dy);
      if (near < 0 || before[near] === "") continue;
      const behind = this.at(x + 2 * dx, y + 2 * dy);
      if (behind >= 0 && before[behind] !== "") {
        this.stones[near] = OTHER[/** @type {"b" | "w"} */ (before[near])];
      } else {
        this.stones[near] = "";
        if (behind >= 0) this.stones[behind] = before[near];
      }
    }
  }

  judge() {
    if (this.stones.every((stone) => stone !== "")) {
      this.outcome = this.scored(); // B4: a full board is scored first
      return;
    }
    const position = this.position();
    const times = (this.seen.get(position) ?? 0) + 1;
    this.seen.set(position, times);
    if (times === 3) this.outcome = shared(this.seats, this.seats, "repetition");
  }

  /** B3 */
  scored() {
    const black = this.groups("b");
    const white = this.groups("w");
    for (const size of [...black]) {
      const pair = white.indexOf(size);
      if (pair < 0) continue;
      white.splice(pair, 1);
      black.splice(black.indexOf(size), 1);
    }
    if (black.length === 0 && white.length === 0) {
      // The mover has changed already: whoever placed last loses.
      return shared(this.seats, [this.plays[this.mover]], "cancelled");
    }
    const winner = Math.max(0, ...black) > Math.max(0, ...white) ? "b" : "w";
    return shared(this.seats, [this.plays[winner]], "largest group");
  }

  /** The sizes of a colour's groups. @param {string} colour */
  groups(colour) {
    const seen = new Set();
    const sizes = [];
    for (let first = 0; first < this.stones.length; first++) {
      if (this.stones[first] !== colour || seen.has(first)) continue;
      const group = [first];
      seen.add(first);
      for (const square of group) {
        for (const [dx, dy] of DIRECTIONS) {
          const near = this.at((square % this.size) + dx, Math.floor(square / this.size) + dy);
          if (near < 0 || this.stones[near] !== colour || seen.has(near)) continue;
          seen.add(near);
          group.push(near);
        }
      }
      sizes.push(group.length);
    }
    return sizes;
  }
}
