/** What a league's record says of its matches beside their results: the schedule, terms, names, and its own digest. */

import { Float } from "./json.js";
import { SEATS, between } from "./rules.js";

const MOST_LEGS = 10;

/** The rounds of n: the Berger tables (FIDE Handbook C.05, Annex 1), in which all but the last go on by half of them. @param {number} n */
function berger(n) {
  const even = n + (n % 2);
  return Array.from({ length: even - 1 }, (_, round) => {
    const here = (/** @type {number} */ number) => (number === even ? even : ((number - 1 + (round * even) / 2) % (even - 1)) + 1);
    const pairs = Array.from({ length: even / 2 }, (_, at) => [here(at + 1), here(even - at)]);
    if (round % 2) pairs[0].reverse();
    return pairs.filter((pair) => Math.max(...pair) <= n);
  });
}

/** Is it the schedule of these divisions? At tables of more: does nobody sit twice in a round, or elsewhere? @param {any} league @param {number[][]} divisions */
export function isScheduled({ schedule, legs, table_seats: tableSeats = 2 }, divisions) {
  const given = schedule.map((/** @type {any} */ one) => [one.division, one.round, ...SEATS.map((letter) => one.seats[letter]).filter(Boolean)]);
  if (tableSeats > 2) {
    const sits = given.flatMap((/** @type {number[]} */ [division, round, ...seats]) => seats.map((place) => `${round} ${divisions[division - 1]?.includes(place) && place}`));
    const isOwn = !sits.some((/** @type {string} */ one) => one.endsWith("false"));
    return isOwn && new Set(sits).size === tableSeats * schedule.length;
  }
  const expected = divisions.flatMap((places, division) => {
    const rounds = Array.from({ length: between(1, MOST_LEGS)(legs) ? legs : 0 }, (_, leg) =>
      berger(places.length).map((pairs) => pairs.map((pair) => (leg % 2 ? [pair[1], pair[0]] : pair)))).flat();
    return rounds.flatMap((pairs, round) => pairs.map((pair) => [division + 1, round + 1, ...pair.map((at) => places[at - 1])]));
  });
  return given.join(" ") === expected.join(" ");
}

/** What a match must have of its league. @param {any} of @param {any} names */
export const termsOf = ({ game, rules, options }, names) => written([game, rules, options, names]);

/** @param {any} league @param {any} pairing @param {string[]} letters */
export const namesIn = ({ places }, { seats }, letters) =>
  Object.fromEntries(letters.map((letter) => [letter, places.find((/** @type {any} */ one) => one.place === seats[letter])?.name]));

/** Without a match: whoever gave it up has left the league, and nobody had to on the last day. @param {any} league @param {string} decided @param {number[]} left @param {number[]} stay */
export function mayBeUndone({ places }, decided, left, stay) {
  const haveLeft = left.every((place) => places.some((/** @type {any} */ one) => one.place === place && one.left !== null));
  return haveLeft && (decided === "default" ? stay.length < 2 : stay.length > 1 && (left.length === 0 || stay.length + left.length > 2));
}

/** A value as the digest has it: sorted keys, no spaces, fractions as Python writes them. @param {any} value @returns {string} */
export function written(value) {
  if (value instanceof Float) return writtenNumber(value.value);
  if (Array.isArray(value)) return `[${value.map(written).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${written(value[key])}`).join()}}`;
}

/** @param {number} value */
function writtenNumber(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) return value.toExponential().replace(/-(\d)$/, "-0$1");
  if (Object.is(value, -0)) return "-0.0";
  return Number.isInteger(value) ? value.toFixed(1) : `${value}`;
}
