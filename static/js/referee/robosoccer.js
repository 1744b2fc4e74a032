/**
 * Robosoccer by José Carlos de Diego Guerrero, from the rulings (S1 to S12).
 *
 * @import { Game, Match, Orders } from "./rules.js"
 * @typedef {{x: number, y: number}} Square  Rows from 0 at the bottom.
 * @typedef {{columns: number, rows: number, lines: Set<string>, arrows: Map<string, string>}} Board
 *   Lines by edge; arrows from an edge to the way in which robots may pass it.
 * @typedef {string[]} Pieces  A letter for each square ("" for none), as positions write them.
 */

import { FILES, Illegal, WAYS, between, demand, oneOf, shared } from "./rules.js";

/** The reconstruction of the printed board (robosoccer/board.json). */
const BUILT_IN = {
  name: "reconstruction",
  columns: 6,
  rows: 8,
  lines: ["c3c4", "d6d5", "b2b3", "e7e6", "e4f4", "b5a5", "d3d4", "c6c5", "a7b7", "f2e2"],
  arrows: ["a3a4", "f6f5", "d2d3", "c7c6", "b4b5", "e5e4", "e2e3", "b7b6", "b3c3", "e6d6", "d4e4", "c5b5", "f3a3", "a6f6"],
};
const SIZES = "SML";
const HOME_ROW_FULL = 6;

/** @type {Game} */
export const robosoccer = {
  options: { arrows: oneOf("default", "custom"), actions: oneOf("up_to_two", "two") },
  defaults: { arrows: "default", actions: "up_to_two" },
  seats: () => [2, 2],
  start: (options, seats, setup) => new Robosoccer(options, seats, boardOf(options, setup)),
};

/** @param {any} options @param {Record<string, unknown>} setup @returns {Board} */
function boardOf(options, setup) {
  const known = options.arrows === "custom" ? ["arrows", "board"] : ["board"];
  demand(Object.keys(setup).every((key) => known.includes(key)), "There is no such setup.");
  const board = "board" in setup ? readBoard(setup.board) : readBoard(plain(BUILT_IN));
  const { columns, rows, lines, small, fixed } = board;
  const signs = options.arrows === "custom" ? setup.arrows : "+".repeat(small.length);
  demand(typeof signs === "string" && /^[+-]*$/.test(signs) && signs.length === small.length, "Each small arrow needs a sign.");
  const arrows = new Map(fixed.map(([from, to]) => [edge(from, to), from + to]));
  small.forEach(([from, to], i) => arrows.set(edge(from, to), signs[i] === "+" ? from + to : to + from));
  return { columns, rows, lines: new Set(lines.map(([one, two]) => edge(one, two))), arrows };
}

/** The built-in board as a record has it. @param {typeof BUILT_IN} board */
function plain({ name, columns, rows, lines, arrows }) {
  /** @param {string} pair */
  const split = (pair) => [pair.slice(0, 2), pair.slice(2)];
  return { name, columns, rows, lines: lines.map(split), arrows: arrows.map(split) };
}

/** @param {string} one @param {string} two */
const edge = (one, two) => [one, two].sort().join();

/** @param {unknown} given */
function readBoard(given) {
  demand(typeof given === "object" && given !== null && !Array.isArray(given), "A board is an object.");
  const { columns, rows, lines, arrows, fixed_arrows: fixed = [], name, ...others } = /** @type {any} */ (given);
  demand(Object.keys(others).length === 0, "A board has no such key.");
  demand(name === undefined || typeof name === "string", "The name of a board is a text.");
  demand(between(6, 16)(columns) && between(4, 16)(rows), "A board has 6 to 16 columns and 4 to 16 rows.");
  const pairs = [lines, arrows, fixed].map((list) => readEdges(list, columns, rows));
  const marked = [...pairs[1], ...pairs[2]].map(([from, to]) => edge(from, to));
  demand(new Set(marked).size === marked.length, "Two arrows lie on one edge.");
  return { columns, rows, lines: pairs[0], small: pairs[1], fixed: pairs[2] };
}

/** @param {unknown} list @param {number} columns @param {number} rows @returns {[string, string][]} */
function readEdges(list, columns, rows) {
  demand(Array.isArray(list), "Lines and arrows are lists.");
  return list.map((pair) => {
    demand(Array.isArray(pair) && pair.length === 2, "A line or an arrow is two squares.");
    const [one, two] = pair.map((name) => {
      const square = typeof name === "string" ? squareOf(name, columns, rows) : null;
      demand(square !== null, "There is no such square.");
      return square;
    });
    const across = Math.abs(one.x - two.x);
    const beside = one.y === two.y && (across === 1 || across === columns - 1);
    demand(beside || (one.x === two.x && Math.abs(one.y - two.y) === 1), "These squares share no edge.");
    return [pair[0], pair[1]];
  });
}

/** @param {string} name @param {number} columns @param {number} rows @returns {Square | null} */
function squareOf(name, columns, rows) {
  if (!/^[a-p][1-9][0-9]?$/.test(name)) return null;
  const square = { x: FILES.indexOf(name[0]), y: Number(name.slice(1)) - 1 };
  return square.x < columns && square.y < rows ? square : null;
}

/** @param {Square} square */
const nameOf = ({ x, y }) => `${FILES[x]}${y + 1}`;

/** @implements {Match} */
class Robosoccer {
  /** @param {any} options @param {string[]} seats @param {Board} board */
  constructor(options, seats, board) {
    this.isOfTwo = options.actions === "two";
    this.seats = seats;
    this.outcome = null;
    this.board = board;
    /** @type {Pieces} */
    this.pieces = Array(board.columns * board.rows).fill("");
    this.mover = "A";
    this.turns = 0;
    /** S12 @type {Map<string, number>} */
    this.seen = new Map();
  }

  position() {
    const { columns, rows } = this.board;
    const lines = [];
    for (let y = rows - 1; y >= 0; y--) {
      const row = this.pieces.slice(y * columns, (y + 1) * columns);
      lines.push(row.map((piece) => piece || ".").join("").replace(/\.+/g, (run) => `${run.length}`));
    }
    return `${lines.join("/")} ${this.mover === "A" ? "w" : "b"}`;
  }

  stillIn() {
    return this.seats;
  }

  toAct() {
    return [this.mover];
  }

  /** Nobody leaves a match of two that goes on. */
  leave() {}

  // S1: four turns of setup

  get isSetup() {
    return this.turns < 4;
  }

  /** @param {string} seat */
  homeRow(seat) {
    return seat === "A" ? 0 : this.board.rows - 1;
  }

  /** White's pieces are capitals. @param {string} seat @param {string} piece */
  as(seat, piece) {
    return seat === "A" ? piece.toUpperCase() : piece.toLowerCase();
  }

  /** @param {string} seat @param {string} order */
  check(seat, order) {
    if (this.turns < 2) {
      const robots = [...order].sort().join("").replace(/\./g, "");
      demand(order.length === this.board.columns && /^[.LMS]+$/.test(order) && robots === "LLMMSS", "Line up two robots of each size.");
    } else if (this.isSetup) {
      const square = squareOf(order, this.board.columns, this.board.rows);
      const second = seat === "A" ? 1 : this.board.rows - 2;
      demand(square !== null && square.y === second, "The ball starts on the second row.");
    } else {
      this.checkTurn(seat, order);
    }
  }

  /** @param {Orders} orders */
  play(orders) {
    const [[seat, order]] = Object.entries(orders);
    if (this.turns < 2) {
      [...order].forEach((robot, x) => {
        if (robot !== ".") this.pieces[this.homeRow(seat) * this.board.columns + x] = this.as(seat, robot);
      });
    } else if (this.isSetup) {
      this.pieces[this.index(/** @type {Square} */ (this.square(order)))] = this.as(seat, "O");
    } else {
      for (const action of order.split(" ")) this.pieces = this.after(this.pieces, seat, action);
    }
    this.turns += 1;
    this.mover = seat === "A" || this.turns === 4 ? "B" : "A"; // after the setup B starts
    if (!this.isSetup) this.judge(seat);
    return [this.position()];
  }

  /** @param {string} seat  Whoever has just moved. */
  judge(seat) {
    if (this.hasScored(this.pieces, seat)) {
      this.outcome = shared(this.seats, [seat], "goal"); // S8
      return;
    }
    const position = this.position();
    const times = (this.seen.get(position) ?? 0) + 1;
    this.seen.set(position, times);
    if (times === 3) {
      this.outcome = shared(this.seats, this.seats, "repetition"); // S12, before S11
    } else if (!this.hasTurn(this.mover)) {
      const other = this.mover === "A" ? "B" : "A";
      this.outcome = shared(this.seats, [other], "no legal turn"); // S11
    }
  }

  // Turns: S7 to S11

  /** @param {string} seat @param {string} order */
  checkTurn(seat, order) {
    const actions = order.split(" ");
    demand(actions.length <= 2, "A turn is one or two actions.");
    let pieces = this.pieces;
    for (const [i, action] of actions.entries()) {
      demand(i === 0 || !this.hasScored(pieces, seat), "The first action has won: the turn ends there."); // S8
      pieces = this.after(pieces, seat, action);
    }
    this.checkEnd(pieces, seat, actions.length);
  }

  /** S7 to S10 @param {Pieces} pieces @param {string} seat @param {number} actions */
  checkEnd(pieces, seat, actions) {
    if (this.hasScored(pieces, seat)) return;
    demand(actions === 2 || !this.isOfTwo, "A turn is two actions."); // S7
    /** @param {Pieces} all */
    const own = (all) => all.map((piece) => (this.isOf(seat, piece) ? piece : "."));
    demand(own(pieces).join("") !== own(this.pieces).join(""), "Your pieces stand as they stood."); // S9
    const home = this.homeRow(seat) * this.board.columns;
    const row = pieces.slice(home, home + this.board.columns);
    demand(row.filter((piece) => this.isOf(seat, piece)).length < HOME_ROW_FULL, "Your home row is full."); // S10
  }

  /** S11 @param {string} seat */
  hasTurn(seat) {
    for (const first of this.actions(this.pieces, seat)) {
      const once = this.after(this.pieces, seat, first);
      if (this.isLegalEnd(once, seat, 1)) return true;
      for (const second of this.actions(once, seat)) if (this.isLegalEnd(this.after(once, seat, second), seat, 2)) return true;
    }
    return false;
  }

  /** @param {Pieces} pieces @param {string} seat @param {number} actions */
  isLegalEnd(pieces, seat, actions) {
    try {
      this.checkEnd(pieces, seat, actions);
    } catch (error) {
      if (error instanceof Illegal) return false;
      throw error;
    }
    return true;
  }

  /** Every action that is possible; mostly the first one is enough. @param {Pieces} pieces @param {string} seat */
  *actions(pieces, seat) {
    for (const from of pieces.keys()) {
      if (!this.isOf(seat, pieces[from]) || pieces[from] === this.as(seat, "O")) continue;
      const here = { x: from % this.board.columns, y: Math.floor(from / this.board.columns) };
      for (const to of this.targets(here, pieces, seat)) {
        for (const sign of "->^=") {
          const action = nameOf(here) + sign + nameOf(to);
          if (this.isPossible(pieces, seat, action)) yield action;
        }
      }
    }
  }

  /** The squares one or two steps away, and the ball's. @param {Square} here @param {Pieces} pieces @param {string} seat */
  targets(here, pieces, seat) {
    const steps = WAYS.flatMap((way) => {
      const next = this.next(here, way);
      return [next, next && this.next(next, way)];
    });
    const ball = pieces.indexOf(this.as(seat, "O"));
    steps.push({ x: ball % this.board.columns, y: Math.floor(ball / this.board.columns) });
    return steps.filter((square) => square !== null);
  }

  /** @param {Pieces} pieces @param {string} seat @param {string} action */
  isPossible(pieces, seat, action) {
    try {
      this.after(pieces, seat, action);
    } catch (error) {
      if (error instanceof Illegal) return false;
      throw error;
    }
    return true;
  }

  // One action

  /** The pieces after an action; throws `Illegal`. @param {Pieces} pieces @param {string} seat @param {string} action */
  after(pieces, seat, action) {
    const parts = /^([a-p][1-9][0-9]?)([->^=])([a-p][1-9][0-9]?)$/.exec(action);
    const from = parts && this.square(parts[1]);
    const to = parts && this.square(parts[3]);
    demand(parts !== null && from !== null && to !== null, "An action is two squares with a sign between them.");
    const robot = pieces[this.index(from)];
    demand(this.isOf(seat, robot) && robot !== this.as(seat, "O"), "None of your robots stands there.");
    switch (parts[2]) {
      case "-":
        return this.moved(pieces, from, to);
      case ">":
        return this.pushed(pieces, seat, from, to);
      case "^":
        return this.jumped(pieces, seat, from, to);
      default:
        return this.switched(pieces, seat, from, to);
    }
  }

  /** S3 @param {Pieces} pieces @param {Square} from @param {Square} to */
  moved(pieces, from, to) {
    demand(this.isOpen(from, to), "The way is closed.");
    demand(this.isEmpty(pieces, to), "The square is not empty.");
    return this.carried(pieces, from, to);
  }

  /** S5 @param {Pieces} pieces @param {string} seat @param {Square} from @param {Square} to */
  pushed(pieces, seat, from, to) {
    const behind = this.straight(from, to);
    demand(behind !== null && this.isOpen(from, to) && this.isOpen(to, behind), "The way is closed.");
    demand(this.isEmpty(pieces, behind), "The square behind is not empty.");
    const [pusher, other] = [pieces[this.index(from)], pieces[this.index(to)]];
    demand(this.isEnemyRobot(seat, other) && size(other) <= size(pusher), "There is no robot to push.");
    return this.carried(this.carried(pieces, to, behind), from, to);
  }

  /** S6 @param {Pieces} pieces @param {string} seat @param {Square} from @param {Square} to */
  jumped(pieces, seat, from, to) {
    for (const way of WAYS) {
      const over = this.next(from, way);
      const landing = over && this.next(over, way);
      if (!over || !landing || nameOf(landing) !== nameOf(to)) continue;
      demand(this.isOpen(from, over) && this.isOpen(over, to), "The way is closed.");
      demand(this.isEmpty(pieces, to), "The square is not empty.");
      const [jumper, other] = [pieces[this.index(from)], pieces[this.index(over)]];
      demand(this.isEnemyRobot(seat, other) && size(other) > size(jumper), "There is no robot to jump over.");
      return this.carried(pieces, from, to);
    }
    throw new Illegal("A jump goes two squares straight on.");
  }

  /** S4 @param {Pieces} pieces @param {string} seat @param {Square} from @param {Square} to */
  switched(pieces, seat, from, to) {
    const ball = this.as(seat, "O");
    demand(pieces[this.index(to)] === ball, "Your ball is not there.");
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    demand(dx !== 0 && (dy === 0 || Math.abs(dx) === Math.abs(dy)), "They stand in no row and on no diagonal.");
    for (let step = 1; step < Math.abs(dx); step++) {
      const between = { x: from.x + step * Math.sign(dx), y: from.y + step * Math.sign(dy) };
      demand(this.isEmpty(pieces, between), "A piece stands between them.");
    }
    const after = [...pieces];
    after[this.index(to)] = pieces[this.index(from)];
    after[this.index(from)] = ball;
    return after;
  }

  /** @param {Pieces} pieces @param {Square} from @param {Square} to */
  carried(pieces, from, to) {
    const after = [...pieces];
    after[this.index(to)] = pieces[this.index(from)];
    after[this.index(from)] = "";
    return after;
  }

  // The board: S2

  /** @param {string} name */
  square(name) {
    return squareOf(name, this.board.columns, this.board.rows);
  }

  /** @param {Square} square */
  index({ x, y }) {
    return y * this.board.columns + x;
  }

  /** The next square that way: around the cylinder, not off the top or bottom. @param {Square} square @param {Square} way @returns {Square | null} */
  next({ x, y }, way) {
    const to = { x: (x + way.x + this.board.columns) % this.board.columns, y: y + way.y };
    return to.y >= 0 && to.y < this.board.rows ? to : null;
  }

  /** The square behind the second of two neighbours. @param {Square} from @param {Square} to */
  straight(from, to) {
    for (const way of WAYS) {
      const next = this.next(from, way);
      if (next && nameOf(next) === nameOf(to)) return this.next(to, way);
    }
    return null;
  }

  /** May a robot pass from a square to its neighbour? @param {Square} from @param {Square} to */
  isOpen(from, to) {
    if (!WAYS.some((way) => this.index(this.next(from, way) ?? { x: -1, y: -1 }) === this.index(to))) return false;
    const between = edge(nameOf(from), nameOf(to));
    if (this.board.lines.has(between)) return false;
    const arrow = this.board.arrows.get(between);
    return arrow === undefined || arrow === nameOf(from) + nameOf(to);
  }

  /** @param {Pieces} pieces @param {Square} square */
  isEmpty(pieces, square) {
    return pieces[this.index(square)] === "";
  }

  /** @param {string} seat @param {string} piece */
  isOf(seat, piece) {
    return piece !== "" && piece === this.as(seat, piece);
  }

  /** @param {string} seat @param {string} piece */
  isEnemyRobot(seat, piece) {
    return piece !== "" && !this.isOf(seat, piece) && piece.toUpperCase() !== "O";
  }

  /** S8 @param {Pieces} pieces @param {string} seat */
  hasScored(pieces, seat) {
    const goal = this.homeRow(seat === "A" ? "B" : "A") * this.board.columns;
    return pieces.slice(goal, goal + this.board.columns).includes(this.as(seat, "O"));
  }
}

/** @param {string} robot */
const size = (robot) => SIZES.indexOf(robot.toUpperCase());
