/**
 * What the four games share: faults, seats, and the ways in which players end a match together (G1, G2).
 *
 * @typedef {Record<string, string>} Orders  An order for each seat that acts.
 * @typedef {{scores: Record<string, number>, reason: string}} Outcome
 *
 * @typedef {object} Match  A match in progress.
 * @property {string[]} seats
 * @property {Outcome | null} outcome
 * @property {() => string} position
 * @property {() => string[]} stillIn  Seats that are neither out nor resigned.
 * @property {string[][]} [fell]  The seats that were put out, those of one step together; games of two need none.
 * @property {() => string[]} toAct
 * @property {(seat: string, order: string) => void} check  Throws `Illegal`.
 * @property {(seat: string) => void} leave  Ruling G1, before the turn is played.
 * @property {(orders: Orders) => string[]} play  The positions to which the turn leads.
 *
 * @typedef {object} Game
 * @property {Record<string, (value: unknown) => boolean>} options  The test of each option's value.
 * @property {Record<string, unknown>} defaults
 * @property {(options: any) => [number, number]} seats  Fewest and most players.
 * @property {(options: any, seats: string[], setup: Record<string, unknown>) => Match} start  Throws `Illegal`.
 */

export const SEATS = [..."ABCDEFGH"];
export const FILES = "abcdefghijklmnop";
/** Steps to the north, east, south and west. */
export const WAYS = [
  { x: 0, y: 1 },
  { x: 1, y: 0 },
  { x: 0, y: -1 },
  { x: -1, y: 0 },
];

/** A rule or the format is broken; the message is a sentence. It is no `Error`: a stack costs more than most rules do. */
export class Illegal {
  /** @param {string} message */
  constructor(message) {
    this.message = message;
  }
}

/** A fault of a whole record: of which turn, and of whose order. */
export class Fault extends Error {
  /** @param {string} message @param {number | null} turn @param {string | null} seat */
  constructor(message, turn = null, seat = null) {
    super(message);
    this.turn = turn;
    this.seat = seat;
  }
}

/** The turns are legal, but the record says something else of them. */
export class Differs extends Fault {}

/** @param {boolean} right @param {string} message @returns {asserts right} */
export function demand(right, message) {
  if (!right) throw new Illegal(message);
}

/** @param {unknown[]} values @returns {(value: unknown) => boolean} */
export const oneOf = (...values) => (value) => values.includes(value);

/** @param {number} least @param {number} most @returns {(value: unknown) => boolean} */
export const between = (least, most) => (value) =>
  typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;

/** An equal share of the point for each winner. @param {string[]} seats @param {string[]} winners @param {string} reason */
export function shared(seats, winners, reason) {
  const scores = Object.fromEntries(seats.map((seat) => [seat, winners.includes(seat) ? 1 / winners.length : 0]));
  return { scores, reason };
}

/**
 * Plays one turn of a record, and returns the positions to which it leads.
 *
 * @param {Match} match @param {unknown} turn @param {number} number
 */
export function playTurn(match, turn, number) {
  if (match.outcome) throw new Fault("The match was over before this turn.", number);
  if (typeof turn !== "object" || turn === null || Array.isArray(turn)) throw new Fault("A turn is an object.", number);
  const orders = /** @type {Record<string, unknown>} */ (turn);
  const stranger = Object.keys(orders).find((key) => !match.seats.includes(key));
  if (stranger !== undefined) throw new Fault(`There is no seat ${stranger} here.`, number);
  const stillIn = match.stillIn();
  const ended = endedByAll(match, orders, stillIn, number);
  if (ended) {
    match.outcome = ended;
    return [];
  }
  const resigning = stillIn.filter((seat) => orders[seat] === "resign");
  checkOrders(match, orders, resigning, number);
  for (const seat of resigning) match.leave(seat);
  if (resigning.length > 0) match.fell?.push(resigning);
  const given = match.toAct().map((seat) => [seat, /** @type {string} */ (orders[seat])]);
  return match.play(Object.fromEntries(given));
}

/**
 * G1: at most one seat is left in. G2: everybody still in gives `draw`.
 *
 * @param {Match} match @param {Record<string, unknown>} orders @param {string[]} stillIn @param {number} number
 */
function endedByAll(match, orders, stillIn, number) {
  const given = match.seats.filter((seat) => Object.hasOwn(orders, seat));
  const drawing = given.filter((seat) => orders[seat] === "draw");
  const out = given.find((seat) => !stillIn.includes(seat));
  if (drawing.length > 0) {
    if (!stillIn.every((seat) => orders[seat] === "draw")) throw new Fault("Not everybody still in offers a draw.", number);
    if (out) throw new Fault(`${out} is out.`, number, out);
    return shared(match.seats, stillIn, "agreed");
  }
  const resigning = stillIn.filter((seat) => orders[seat] === "resign");
  const left = stillIn.filter((seat) => !resigning.includes(seat));
  if (resigning.length === 0 || left.length > 1) return null;
  if (out) throw new Fault(`${out} is out.`, number, out);
  if (given.length > resigning.length) throw new Fault("These resignations end the match: no other order counts.", number);
  return shared(match.seats, left.length > 0 ? left : resigning, "resigned");
}

/**
 * Each order of the turn, in the order of the seats.
 *
 * @param {Match} match @param {Record<string, unknown>} orders @param {string[]} resigning @param {number} number
 */
function checkOrders(match, orders, resigning, number) {
  const toAct = match.toAct();
  for (const seat of match.seats) {
    const order = orders[seat];
    if (resigning.includes(seat)) continue;
    if (!toAct.includes(seat)) {
      if (Object.hasOwn(orders, seat)) throw new Fault(`${seat} gives no order in this turn.`, number, seat);
      continue;
    }
    if (typeof order !== "string") throw new Fault(`The order of ${seat} is missing.`, number, seat);
    try {
      match.check(seat, order);
    } catch (error) {
      if (error instanceof Illegal) throw new Fault(error.message, number, seat);
      throw error;
    }
  }
}
