/**
 * A match as text (RECORD.md): read, replayed, and its seals opened.
 *
 * @import { Game, Match, Outcome } from "./rules.js"
 * @typedef {{turn: number | null, seat: string | null, message: string}} Wrong
 * @typedef {{positions: string[], outcome: Outcome | null, error?: Wrong}} Replay
 * @typedef {Record<string, unknown>} Json
 * @typedef {{positions: string[], outcome: Outcome | null, record: Json | null, fault: Fault | null, unfit?: Fault[]}} Found
 */

import { Float, parse } from "./json.js";
import { pigs } from "./pigs.js";
import { robble } from "./robble.js";
import { robosoccer } from "./robosoccer.js";
import { roboxing } from "./roboxing.js";
import { Differs, Fault, Illegal, SEATS, playTurn } from "./rules.js";
import { digest, sealed } from "./seal.js";

export { Differs, digest };

/** @type {Record<string, Game>} */
export const GAMES = { pigs, roboxing, robosoccer, robble };
const FORMAT = "robosite/1";
const RULES = 1;
const HEX64 = /^[0-9a-fA-F]{64}$/;
const NEAR = 1e-9;

/** @param {unknown} value @returns {value is Json} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Float);

/** @param {boolean} right @param {string} message @returns {asserts right} */
function expect(right, message) {
  if (!right) throw new Fault(message);
}

/** The match that a record begins with; throws `Fault`. @param {Json} record @returns {Match} */
export function begin(record) {
  for (const key of ["format", "game", "seats", "turns"]) expect(Object.hasOwn(record, key), `The record has no “${key}”.`);
  expect(record.format === FORMAT, `The format is not ${FORMAT}.`);
  expect(typeof record.game === "string" && Object.hasOwn(GAMES, record.game), "There is no such game.");
  expect(!Object.hasOwn(record, "rules") || record.rules === RULES, "These rules are of an unknown version.");
  const game = GAMES[record.game];
  const options = optionsOf(game, record.options);
  const seats = record.seats;
  const [fewest, most] = game.seats(options);
  const fits = Array.isArray(seats) && seats.length >= fewest && seats.length <= most;
  expect(fits && seats.every((seat, i) => seat === SEATS[i]), "These are not the seats of such a match.");
  expect(Array.isArray(record.turns), "The turns are no list.");
  const setup = record.setup === undefined ? {} : record.setup;
  expect(isObject(setup), "The setup is no object.");
  try {
    return game.start(options, seats, setup);
  } catch (error) {
    if (error instanceof Illegal) throw new Fault(error.message);
    throw error;
  }
}

/** @param {Game} game @param {unknown} given */
function optionsOf(game, given) {
  const options = given === undefined ? {} : given;
  expect(isObject(options), "The options are no object.");
  for (const [key, value] of Object.entries(options)) {
    expect(Object.hasOwn(game.options, key), `There is no option “${key}”.`);
    expect(game.options[key](value), `The option “${key}” has no such value.`);
  }
  return { ...game.defaults, ...options };
}

/**
 * Replays a record; of its seals it looks at the shape alone. Never throws.
 *
 * @param {string} text @returns {Replay}
 */
export function replay(text) {
  const found = replayed(text);
  caught(found, () => Array.from(sealsOf(/** @type {Json} */ (found.record))));
  return shown(found);
}

/**
 * Replays a record and opens its seals. Never throws.
 *
 * @param {string} text @returns {Promise<Replay>}
 */
export async function check(text) {
  return shown(await examine(text));
}

/** @param {Found} found @returns {Replay} */
function shown({ positions, outcome, fault }) {
  if (!fault) return { positions, outcome };
  const { turn, seat, message } = fault;
  return { positions, outcome, error: { turn, seat, message } };
}

/**
 * What `check` finds, with the record that was read, and the fault itself.
 *
 * @param {string} text
 */
export const examine = (text) => opened(replayed(text));

/**
 * The same of a record that was read before, as a league's has them, with the seats in the order of being put out, first
 * to last: those who share a win, or were put out in one step, are one group.
 *
 * @param {Json} record
 */
export async function examineRecord(record) {
  /** @type {Found} */
  const found = { positions: [], outcome: null, record: null, fault: null };
  /** @type {Match | undefined} */
  let match;
  caught(found, () => (match = play(record, found)));
  const won = (/** @type {string} */ seat) => Number(found.outcome?.scores[seat]) > 0;
  const groups = [...(match?.fell ?? []), match?.seats.filter(won) ?? []];
  const finish = groups.map((group, at) => group.filter((seat) => at === groups.length - 1 || !won(seat))).reverse();
  return { ...(await opened(found)), finish: finish.filter((group) => group.length > 0) };
}

/** @param {Found} found */
async function opened(found) {
  if (found.fault || !found.record) return found;
  try {
    found.unfit = await unopened(found.record);
    found.fault = found.unfit[0] ?? null;
  } catch (error) {
    found.fault = faultOf(error);
  }
  return found;
}

/** @param {unknown} error */
const faultOf = (error) => (error instanceof Fault ? error : new Fault(String(/** @type {any} */ (error)?.message ?? error)));

/** Does something unless a fault was found, and keeps what it throws. @param {Found} found @param {() => void} act */
function caught(found, act) {
  if (found.fault) return;
  try {
    act();
  } catch (error) {
    found.fault = faultOf(error);
  }
}

/** Everything but the seals. @param {string} text */
function replayed(text) {
  /** @type {Found} */
  const found = { positions: [], outcome: null, record: null, fault: null };
  caught(found, () => {
    const value = parse(text.replace(/^\uFEFF/, ""));
    expect(isObject(value), "A record is an object.");
    play(value, found);
  });
  return found;
}

/** @param {Json} record @param {Found} found  Gets what is found on the way. */
function play(record, found) {
  found.record = record;
  const match = begin(record);
  found.positions.push(match.position());
  for (const [number, turn] of /** @type {unknown[]} */ (record.turns).entries()) {
    found.positions.push(...playTurn(match, turn, number));
    found.outcome = match.outcome;
  }
  checkResult(record, match);
  return match;
}

/** @param {Json} record @param {Match} match */
function checkResult(record, match) {
  if (!Object.hasOwn(record, "result")) return;
  if (!isSame(record.result, match)) throw new Differs("The result is another one.");
}

/** @param {unknown} result @param {Match} match */
function isSame(result, { outcome, seats }) {
  if (outcome === null || !isObject(result)) return result === outcome;
  const { scores, reason } = result;
  if (Object.keys(result).length !== 2 || reason !== outcome.reason || !isObject(scores)) return false;
  const isNear = seats.every((seat) => {
    const score = scores[seat] instanceof Float ? scores[seat].value : scores[seat];
    return typeof score === "number" && Math.abs(score - outcome.scores[seat]) <= NEAR;
  });
  return isNear && Object.keys(scores).length === seats.length;
}

/** The texts of the seals, turn by turn, with what each should hash to; throws `Fault` for a wrong shape. @param {Json} record */
function* sealsOf(record) {
  if (!Object.hasOwn(record, "seals")) return;
  const { seals, match } = record;
  const turns = /** @type {Record<string, string>[]} */ (record.turns);
  expect(typeof match === "string", "Seals need the key of their match.");
  expect(Array.isArray(seals) && seals.length === turns.length, "There are not as many seals as turns.");
  for (const [turn, orders] of turns.entries()) {
    const of = seals[turn];
    const owed = Object.keys(orders).filter((seat) => !["resign", "draw"].includes(orders[seat])).sort();
    expect(isObject(of) && Object.keys(of).sort().join() === owed.join(), "Each order has a seal, and no other has.");
    const isWhole = Object.values(of).every((seal) => isObject(seal) && [seal.seal, seal.nonce].every(isHash));
    expect(isWhole, "A seal and its nonce are 64 hex digits.");
    for (const seat of owed) {
      const { seal, nonce } = /** @type {{seal: string, nonce: string}} */ (of[seat]);
      yield { turn, seat, seal, text: sealed(match, turn, seat, nonce, orders[seat]) };
    }
  }
}

/** @param {unknown} text */
const isHash = (text) => typeof text === "string" && HEX64.test(text);

/** The faults of the seals; opens them. @param {Json} record */
async function unopened(record) {
  const unfit = [];
  for (const { turn, seat, seal, text } of sealsOf(record)) {
    if ((await digest(text)) !== seal) unfit.push(new Differs("This seal does not open.", turn, seat));
  }
  return unfit;
}
