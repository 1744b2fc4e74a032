/**
 * A league or cup worked out again from its record (docs/record.md, "The record of a league"): lots, divisions,
 * results, standings and tie-breaks, or the bracket. Points are counted in 840ths, so that all of them are integers.
 *
 * @typedef {object} Result  The result of one match; its lists are in the order of `seats`, from seat A on.
 * @property {number[]} seats  The numbers of the places.
 * @property {number[] | null} points  In 840ths; null without a result.
 * @property {number[] | null} shares  Of the win, in 840ths.
 * @property {string | null} decided  `play`, `default`, `last day` or `nobody came`.
 * @property {boolean} [isVoid]  A moderator has closed it: it never counts.
 * @property {number[]} [left]  The places that gave up a match of more than two.
 * @property {boolean} [isEarly]  Somebody had not sealed twice: it is no win played.
 *
 * @typedef {{place: number, rank: number | null, won: number, drawn: number, lost: number, points: number,
 *   direct: number, berger: number, wins: number}} Row
 * @typedef {{round: number, tie: number, stage: string, seats: number[], result: Result}} CupMatch
 * @typedef {{division: number, row: number} | null} Came
 */

import { Float, parse } from "./json.js";
import { isScheduled, mayBeUndone, namesIn, termsOf, written } from "./league_schedule.js";
import { strengthsOf } from "./league_strength.js";
import { examineRecord } from "./record.js";
import { SEATS } from "./rules.js";
import { digest, sha256 } from "./seal.js";

const UNIT = 840; // a point: it can be divided by each number of seats, and by one less
const MOST_IN_DIVISION = { two: 10, more: 16 };
const MOVERS = 6; // of each six in a division, one goes up and one goes down
const ENOUGH_SEALS = 2;
const STAGES = ["pair", "decider", "replay"];

/** A list by a key, smallest first. @template T @param {Iterable<T>} list @param {(one: T) => any} key @returns {T[]} */
const sorted = (list, key) => [...list].sort((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0));

/** @param {Iterable<number>} numbers */
const sum = (numbers) => [...numbers].reduce((whole, one) => whole + one, 0);

/** The places in the order of the lot. @param {string} nonce @param {Iterable<number>} places */
const drawn = (nonce, places) => sorted(places, (place) => sha256(`${nonce}\n${place}`));

/** The sizes of equal divisions, larger ones first. @param {number} places @param {number} tableSeats */
function sizesOf(places, tableSeats) {
  const count = Math.max(1, Math.ceil(places / MOST_IN_DIVISION[tableSeats === 2 ? "two" : "more"]));
  return Array.from({ length: count }, (_, at) => Math.floor(places / count) + (at < places % count ? 1 : 0));
}

/**
 * The divisions of a season, each in the order of the lot; `before` has the sizes of those of the season before, if
 * there was one, and `came` each place's row in its final table.
 *
 * @param {string} nonce @param {Map<number, Came>} came @param {number} tableSeats @param {number[]} [before]
 * @returns {number[][]}
 */
export function divisionsOf(nonce, came, tableSeats, before = []) {
  const lot = drawn(nonce, came.keys());
  const line = before.length > 0 ? moved(lot, came, tableSeats, before) : cut(lot, sizesOf(lot.length, tableSeats));
  return line.map((division) => sorted(division, (place) => lot.indexOf(place)));
}

/** @param {number[]} list @param {number[]} sizes */
const cut = (list, sizes) => sizes.map((size, at) => list.slice(sum(sizes.slice(0, at)), sum(sizes.slice(0, at)) + size));

/**
 * Who moves up and down: ⌈n/6⌉ of each division. Each place has a division where it belongs; then the divisions are
 * evened out from the top, and who has earned to go up stays up.
 *
 * @param {number[]} lot @param {Map<number, Came>} came @param {number} tableSeats @param {number[]} before
 */
function moved(lot, came, tableSeats, before) {
  const rows = sorted(lot.filter((place) => came.get(place)), (place) => rowOf(came, place));
  const rank = [...rows, ...lot.filter((place) => !came.get(place))];
  const last = sizesOf(lot.length, tableSeats).length - 1;
  const risen = new Set();
  /** @type {number[][]} */
  const divisions = Array.from({ length: last + 1 }, () => []);
  for (const place of rank) {
    const from = came.get(place);
    const at = from ? from.division - 1 : last;
    const here = rows.filter((other) => came.get(other)?.division === from?.division);
    const movers = Math.ceil(before[at] / MOVERS);
    const goesUp = from && at > 0 && here.indexOf(place) < movers;
    const goesDown = from && !goesUp && at + 1 < before.length && from.row > before[at] - movers;
    const belongs = Math.min(goesUp ? at - 1 : goesDown ? at + 1 : at, last);
    if (goesUp && belongs === at - 1) risen.add(place);
    divisions[belongs].push(place);
  }
  evenOut(divisions, rank, risen, lot.length);
  return divisions;
}

/** @param {Map<number, Came>} came @param {number} place */
const rowOf = (came, place) => (came.get(place)?.division ?? 0) * 1000 + (came.get(place)?.row ?? 0);

/** @param {number[][]} divisions @param {number[]} rank @param {Set<number>} risen @param {number} places */
function evenOut(divisions, rank, risen, places) {
  const count = divisions.length;
  const fullest = sorted(divisions.keys(), (at) => -divisions[at].length).slice(0, places % count);
  const best = (/** @type {number[]} */ list) => sorted(list, (place) => rank.indexOf(place));
  for (let at = 0; at + 1 < count; at++) {
    const size = Math.floor(places / count) + (fullest.includes(at) ? 1 : 0);
    while (divisions[at].length > size) {
      const down = best(divisions[at].filter((place) => !risen.has(place))).at(-1) ?? best(divisions[at])[size];
      divisions[at] = divisions[at].filter((place) => place !== down);
      divisions[at + 1].push(down);
      risen.delete(down);
    }
    while (divisions[at].length < size) {
      const [up] = best(divisions.slice(at + 1).flat());
      const below = /** @type {number[]} */ (divisions.slice(at + 1).find((division) => division.includes(up)));
      below.splice(below.indexOf(up), 1);
      divisions[at].push(up);
    }
  }
}

/**
 * The rows of a division's final table, in order of rank; those who withdrew come last.
 *
 * @param {number[]} places @param {Result[]} results @param {number[]} gone  The places that were left.
 * @returns {Row[]}
 */
export function tableOf(places, results, gone) {
  const withdrawn = withdrawnOf(places, results, gone);
  const ranked = places.filter((place) => !withdrawn.has(place));
  const counting = countingOf(results, withdrawn);
  const rows = ranked.map((place) => rowAt(place, counting));
  const ofTwo = results.every(({ seats }) => seats.length === 2);
  const tied = ofTwo ? isLevel : (/** @type {Row} */ one, /** @type {Row} */ other) => isLevel(one, other) && one.wins === other.wins;
  for (const row of rows) breakTies(row, rows.filter((other) => other !== row && tied(row, other)), rows, counting, ofTwo);
  const key = (/** @type {Row} */ { points, direct, berger, wins }) => (ofTwo ? [points, direct, berger, wins] : [points, wins, direct]);
  for (const row of rows) row.rank = 1 + rows.filter((other) => isAhead(key(other), key(row))).length;
  return [...sorted(rows, (row) => row.rank), ...places.filter((place) => withdrawn.has(place)).map((place) => rowAt(place, []))];
}

/** @param {number[]} places @param {Result[]} results @param {number[]} gone */
const withdrawnOf = (places, results, gone) =>
  new Set(gone.filter((place) => places.includes(place) && isWithdrawn(place, results)));

/** @param {Result[]} results @param {Set<number>} withdrawn */
const countingOf = (results, withdrawn) =>
  results.filter(({ seats, decided, isVoid }) => {
    return decided && !isVoid && seats.filter((place) => !withdrawn.has(place)).length > 1;
  });

/** The strengths by what was played between those who stayed. @param {Result[]} results @param {Set<number>} withdrawn */
function strengthsIn(results, withdrawn) {
  const played = countingOf(results, withdrawn).filter(({ decided }) => decided === "play").map(({ seats, shares, left }) => {
    const here = seats.map((place, i) => /** @type {[number, number]} */ ([place, (shares?.[i] ?? 0) / UNIT]));
    return here.filter(([place]) => !left?.includes(place) && !withdrawn.has(place));
  });
  return strengthsOf(played.filter((shares) => shares.length > 1 && shares.some(([, share]) => share > 0)));
}

/** @param {Row} one @param {Row} other */
const isLevel = (one, other) => one.points === other.points;

/** @param {number[]} one @param {number[]} other */
function isAhead(one, other) {
  const at = one.findIndex((value, i) => value !== other[i]);
  return at >= 0 && one[at] > other[at];
}

/** FIDE General Regulations 6.6: fewer than half of its matches were played to their end. @param {number} place @param {Result[]} results */
function isWithdrawn(place, results) {
  const own = results.filter(({ seats }) => seats.includes(place));
  const whole = own.filter(({ decided, isVoid, left }) => {
    return !left?.includes(place) && (decided === "play" || (decided === null && !isVoid));
  });
  return 2 * whole.length < own.length;
}

/** @param {number} place @param {Result[]} results  Those that count. @returns {Row} */
function rowAt(place, results) {
  const own = results.filter(({ seats }) => seats.includes(place));
  const of = (/** @type {Result} */ { seats }, /** @type {number[] | null} */ list) => list?.[seats.indexOf(place)] ?? 0;
  const shares = own.map((result) => of(result, result.shares));
  const played = own.filter((result) => result.decided === "play" && !result.isEarly);
  return {
    place,
    rank: null,
    won: shares.filter((share) => share === UNIT).length,
    drawn: shares.filter((share) => share > 0 && share < UNIT).length,
    lost: shares.filter((share) => share === 0).length,
    points: sum(own.map((result) => of(result, result.points))),
    direct: 0,
    berger: 0,
    wins: played.filter((result) => of(result, result.shares) === UNIT).length,
  };
}

/**
 * Direct encounter (of more than two: the shares in matches with anybody who is tied), and Sonneborn–Berger.
 *
 * @param {Row} row @param {Row[]} tied @param {Row[]} rows @param {Result[]} results @param {boolean} ofTwo
 */
function breakTies(row, tied, rows, results, ofTwo) {
  for (const { seats, shares } of results.filter((result) => result.seats.includes(row.place))) {
    const own = shares?.[seats.indexOf(row.place)] ?? 0;
    if (tied.some(({ place }) => seats.includes(place))) row.direct += own;
    if (!ofTwo) continue;
    const other = rows.find(({ place }) => place !== row.place && seats.includes(place));
    row.berger += own * (other?.points ?? 0);
  }
}

/**
 * The bracket of a cup: who is out, who has won, and the matches that belong to it, each as `round tie stage A-B`.
 *
 * @param {string} nonce @param {number[]} places @param {CupMatch[]} matches
 */
export function cupOf(nonce, places, matches) {
  const seeds = drawn(nonce, places);
  const rounds = Math.max(1, Math.ceil(Math.log2(places.length)));
  const results = new Map(matches.map((one) => [nameOf(one.round, one.tie, one.stage, one.seats), one.result]));
  const reached = new Map(seeds.map((place) => [place, 1]));
  /** @type {Set<number>} */
  const out = new Set();
  /** @type {string[]} */
  const wanted = [];

  /** The winner of a part of the bracket: 0 is nobody, null not known yet. @param {number} round @param {number} best @param {number} tie @returns {number | null} */
  function winner(round, best, tie) {
    if (round === 0) return seeds[best - 1] ?? 0;
    const low = 2 ** (rounds - round + 1) + 1 - best;
    const order = isTurned(best, rounds - round) ? [low, best] : [best, low];
    const [top, bottom] = order.map((seed, i) => winner(round - 1, seed, 2 * tie - 1 + i));
    if (top === null || bottom === null) return null;
    const pair = sorted([top, bottom].filter(Boolean), (place) => seeds.indexOf(place));
    const through = pair.length < 2 ? (pair[0] ?? 0) : throughTie(nonce, round, tie, pair, results, wanted);
    if (through) reached.set(through, round + 1);
    if (through !== null) for (const place of pair) if (place !== through) out.add(place);
    return through;
  }

  const champion = winner(rounds, 1, 1);
  const rankOf = (/** @type {number} */ place) => {
    const at = reached.get(place) ?? 1;
    if (out.has(place)) return 2 ** (rounds - at) + 1;
    return 1 + seeds.filter((other) => !out.has(other) && (reached.get(other) ?? 1) > at).length;
  };
  const line = sorted(seeds, (place) => (out.has(place) ? 1000 : 0) - (reached.get(place) ?? 1));
  return { champion, wanted, ranks: line.map((place) => ({ place, rank: rankOf(place) })) };
}

/** Is the better seed the lower one of its tie? The bracket of eight reads 1-8 5-4 3-6 7-2. @param {number} best @param {number} deep */
function isTurned(best, deep) {
  let line = [1];
  for (let size = 2; size <= 2 ** deep; size *= 2) {
    line = line.flatMap((seed, i) => (i % 2 ? [size + 1 - seed, seed] : [seed, size + 1 - seed]));
  }
  return line.indexOf(best) % 2 === 1;
}

/** @param {number} round @param {number} tie @param {string} stage @param {number[]} seats */
const nameOf = (round, tie, stage, seats) => `${round} ${tie} ${stage} ${seats.join("-")}`;

/**
 * Who goes through: the pair of matches, a decider with seats by lot, a replay with seats changed, the better seed.
 *
 * @param {string} nonce @param {number} round @param {number} tie @param {number[]} pair  The better seed first.
 * @param {Map<string, Result>} results @param {string[]} wanted  Gets the names of the matches.
 * @returns {number | null}
 */
function throughTie(nonce, round, tie, pair, results, wanted) {
  const lot = drawn(`${nonce}\n${round}`, pair);
  const steps = [[pair, [...pair].reverse()], [lot], [[...lot].reverse()]];
  for (const [at, step] of steps.entries()) {
    const names = step.map((seats) => nameOf(round, tie, STAGES[at], seats));
    wanted.push(...names);
    const found = names.map((name) => results.get(name)).filter((one) => one && (one.decided || one.isVoid));
    if (found.length < step.length) return null;
    if (found.every((one) => one?.points && !one.points.some(Boolean))) return 0;
    const points = pair.map((place) => sum(found.map((one) => one?.points?.[one.seats.indexOf(place)] ?? 0)));
    if (points[0] !== points[1]) return pair[points[0] > points[1] ? 0 : 1];
    if (found.some((one) => one?.decided === "last day")) break;
  }
  return pair[0];
}

/** The points of a match by the order of being put out: 2 for the first, 0 for the last. @param {number[][]} order @returns {Map<number, number>} */
function pointsByFinish(order) {
  const last = sum(order.map((group) => group.length)) - 1;
  const points = new Map();
  let at = 0;
  for (const group of order) {
    for (const place of group) points.set(place, (UNIT * (2 * (last - at) - (group.length - 1))) / last);
    at += group.length;
  }
  return points;
}

/**
 * The result of a match; of more than two, those in `left` have no share and are last.
 *
 * @param {number[]} seats @param {number[]} shares  Of 1. @param {string} decided @param {number[]} left
 * @param {number[][] | null} order  The order of being put out, first to last, where that is what gives points.
 * @returns {Result}
 */
export function atTable(seats, shares, decided, left, order) {
  const own = seats.map((place, i) => (left.includes(place) ? 0 : shares[i]));
  const won = sum(own);
  const scale = left.length > 0 && won > 0 ? 1 / won : 1;
  const exact = own.map((share) => Math.round(share * scale * UNIT));
  const result = { seats, shares: exact, decided, left };
  const top = seats.length > 2 ? seats.length : 1;
  if (!order || won === 0) return { ...result, points: exact.map((share) => share * top) };
  let groups = order.map((group) => group.filter((place) => !left.includes(place)));
  if (sum(groups.map((group) => group.length)) + left.length < seats.length) {
    const first = seats.filter((_, i) => exact[i] > 0);
    groups = [first, seats.filter((place) => !left.includes(place) && !first.includes(place))];
  }
  const points = pointsByFinish([...groups, left]);
  return { ...result, points: seats.map((place) => points.get(place) ?? 0) };
}

// ---- the record ----

/**
 * Works a league's record out again. The faults are of a kind: `digest`, `lot`, `numbers`, `schedule`, `match`,
 * `bracket`, `table`, or `format`, for a record that cannot be read. `rows` are those of the divisions, one after the other, as a page has them.
 *
 * @param {string} text
 */
export async function checkLeague(text) {
  /** @type {{kind: string, what: string}[]} */
  const faults = [];
  try {
    const league = /** @type {any} */ (parse(text));
    if (league.format !== "robosite-league/1") return { faults: [{ kind: "format", what: "" }], rows: [] };
    if (league.lot !== sha256(league.nonce)) faults.push({ kind: "lot", what: "" });
    const divisions = divisionsIn(league);
    const order = divisions.flat();
    for (const { place, number, name } of league.places) {
      if (order[number - 1] !== place) faults.push({ kind: "numbers", what: name });
    }
    const { digest: given, ...rest } = league;
    if (given !== (await digest(written(rest)))) faults.push({ kind: "digest", what: "" });
    if (league.competition !== "cup" && !isScheduled(league, divisions)) faults.push({ kind: "schedule", what: "" });
    const results = await resultsIn(league, faults);
    const rows = league.competition === "cup" ? cupRows(league, results, faults) : tableRows(league, divisions, results);
    for (const { place, left, name } of league.places) {
      const as = league.competition !== "cup" && isWithdrawn(place, results) ? "withdrawn" : "defaulted";
      if (left !== null && left !== as) faults.push({ kind: "table", what: name });
    }
    const names = new Map(league.places.map((/** @type {any} */ one) => [one.place, one.name]));
    compare(league, rows.flat(), names, faults);
    return { faults, rows: rows.flat().map((row) => ({ name: names.get(row.place), rank: row.rank, points: row.points / UNIT })) };
  } catch (error) {
    return { faults: [{ kind: "format", what: String(error) }], rows: [] };
  }
}

/** @param {any} league */
function divisionsIn({ nonce, places, table_seats: seats = 2, previous }) {
  return divisionsOf(nonce, new Map(places.map((/** @type {any} */ one) => [one.place, one.came ?? null])), seats, previous?.sizes);
}

/** @param {any} league @param {{kind: string, what: string}[]} faults @returns {Promise<Result[]>} */
async function resultsIn(league, faults) {
  const records = new Map(league.matches.map((/** @type {any} */ record) => [record.match, record]));
  const results = [];
  const owed = league.schedule.map((/** @type {any} */ one) => one.match).filter((/** @type {any} */ match) => records.has(match));
  if (owed.join() !== league.matches.map((/** @type {any} */ one) => one.match).join()) faults.push({ kind: "schedule", what: "" });
  for (const pairing of league.schedule) results.push(await resultOf(league, pairing, records.get(pairing.match), faults));
  return results;
}

/** @param {any} league @param {any} pairing @param {any} record @param {{kind: string, what: string}[]} faults @returns {Promise<Result>} */
async function resultOf(league, pairing, record, faults) {
  const { decided, match } = pairing;
  const letters = SEATS.filter((letter) => Object.hasOwn(pairing.seats, letter));
  const seats = letters.map((letter) => pairing.seats[letter]);
  const left = [...(pairing.forfeit ?? "")].map((letter) => pairing.seats[letter]);
  const stay = seats.filter((place) => !left.includes(place));
  const found = record && (await examineRecord(record));
  const isPlayed = ["play", "default", "last day"].includes(decided);
  const isUndone = match === null && isPlayed && decided !== "play";
  const isOwn = !record || termsOf(league, namesIn(league, pairing, letters)) === termsOf(record, record.names);
  const isGivenUp = seats.length === 2 && pairing.forfeit !== null && !isUndone;
  if (found?.fault || !isOwn || isGivenUp || Boolean(found?.outcome) !== (isPlayed && !isUndone)) faults.push({ kind: "match", what: match ?? "" });
  if (isUndone && !mayBeUndone(league, decided, left, stay)) faults.push({ kind: "schedule", what: "" });
  if (decided === "nobody came") return atTable(seats, seats.map(() => 0), decided, left, null);
  if (isUndone) return atTable(seats, seats.map((place) => (stay.includes(place) ? 1 / stay.length : 0)), decided, left, league.scoring === "places" ? [stay] : null);
  if (!isPlayed || !found?.outcome) return { seats, points: null, shares: null, decided: null, isVoid: true };
  const order = league.scoring === "places" ? found.finish.map((/** @type {string[]} */ group) => group.map((letter) => pairing.seats[letter])) : null;
  const shares = letters.map((letter) => found.outcome.scores[letter]);
  return { ...atTable(seats, shares, decided, left, order), isEarly: isEarly(record) };
}

/** Had somebody who played the last turn not sealed twice? @param {any} record */
function isEarly(record) {
  const gone = record.turns.slice(0, -1).flatMap((/** @type {any} */ turn) => Object.keys(turn).filter((seat) => turn[seat] === "resign"));
  const here = record.seats.filter((/** @type {string} */ seat) => !gone.includes(seat));
  const sealed = (/** @type {string} */ seat) => (record.seals ?? []).filter((/** @type {any} */ turn) => Object.hasOwn(turn, seat)).length;
  return here.some((/** @type {string} */ seat) => sealed(seat) < ENOUGH_SEALS);
}

/** A row of a league that is over: no rank is left but its own. @param {Row} row @param {Map<number, {elo: number, error: number}>} strengths */
const withStrength = (row, strengths) => ({ ...row, reach: row.rank && [row.rank, row.rank], strength: strengths.get(row.place) ?? null });

/** @param {any} league @param {number[][]} divisions @param {Result[]} results */
function tableRows({ places }, divisions, results) {
  const gone = places.filter((/** @type {any} */ one) => one.left !== null).map((/** @type {any} */ one) => one.place);
  return divisions.map((division) => {
    const own = results.filter(({ seats }) => division.includes(seats[0]));
    const strengths = strengthsIn(own, withdrawnOf(division, own, gone));
    return tableOf(division, own, gone).map((row) => withStrength(row, strengths));
  });
}

/** @param {any} league @param {Result[]} results @param {{kind: string, what: string}[]} faults */
function cupRows({ nonce, places, schedule }, results, faults) {
  const given = schedule.map((/** @type {any} */ one, /** @type {number} */ at) => ({ ...one, seats: [one.seats.A, one.seats.B], result: results[at] }));
  const found = cupOf(nonce, places.map((/** @type {any} */ one) => one.place), given);
  const names = given.map((/** @type {any} */ one) => nameOf(one.round, one.tie, one.stage, one.seats));
  const isClosed = results.some(({ isVoid }) => isVoid);
  const isWhole = names.length === found.wanted.length || isClosed;
  if (!isWhole || !names.every((/** @type {string} */ name) => found.wanted.includes(name))) faults.push({ kind: "bracket", what: "" });
  const decided = results.filter((one) => one.decided);
  const strengths = strengthsIn(results, new Set());
  return [found.ranks.map(({ place, rank }) => withStrength({ ...rowAt(place, decided), rank }, strengths))];
}

/** What the record's own table says otherwise. @param {any} league @param {ReturnType<typeof withStrength>[]} rows @param {Map<number, string>} names @param {{kind: string, what: string}[]} faults */
function compare(league, rows, names, faults) {
  const given = league.table.divisions.flatMap((/** @type {any} */ division) => division.rows);
  const isOfPeople = !league.places.some((/** @type {any} */ place) => place.bot); // the strengths of bots are fixed elsewhere
  const isClosed = league.schedule.some((/** @type {any} */ one) => one.decided === null); // other ranks were left then
  for (const [at, row] of rows.entries()) {
    const { rank, won, drawn: shared, lost, wins } = row;
    const own = { place: row.place, name: names.get(row.place), played: won + shared + lost, counts: rank !== null };
    const exact = { ...own, rank, won, drawn: shared, lost, wins };
    const near = { points: row.points / UNIT, direct: row.direct / UNIT, sonneborn_berger: row.berger / UNIT ** 2 };
    const isSame =
      (isClosed || written(given[at]?.reach) === written(row.reach)) &&
      (!isOfPeople || isNear(given[at]?.strength, row.strength)) &&
      Object.entries(exact).every(([key, value]) => given[at]?.[key] === value) &&
      Object.entries(near).every(([key, value]) => Math.abs(numberOf(given[at]?.[key]) - value) < 1e-6);
    if (!isSame) faults.push({ kind: "table", what: given[at]?.name ?? "" });
  }
  if (given.length !== rows.length) faults.push({ kind: "table", what: "" });
}

/** Strengths have one decimal place. @param {any} given @param {any} own */
const isNear = (given, own) =>
  given && own ? ["elo", "error"].every((key) => Math.abs(numberOf(given[key]) - own[key]) < 0.06) : given === own;

/** @param {unknown} value */
const numberOf = (value) => (value instanceof Float ? value.value : Number(value));
