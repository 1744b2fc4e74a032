/** The second referee beside a match's page (static/js/checked.js): replays each file that it is sent. */

import { digest, examine } from "./record.js";

/** The result in one line, as `robosite/matches/records.py: digest_of` writes it. @param {import("./rules.js").Outcome | null} outcome */
const lineOf = (outcome) =>
  outcome ? [outcome.reason, ...Object.keys(outcome.scores).sort().map((seat) => `${seat}=${outcome.scores[seat].toFixed(6)}`)].join(" ") : "";

/** Each order with what the file has of its seal, which may be nothing: turn by turn, by seat. @param {any} record */
const sealsOf = ({ turns, seals }) =>
  turns.map((/** @type {any} */ orders, /** @type {number} */ turn) => {
    const owed = Object.keys(orders).filter((seat) => !["resign", "draw"].includes(orders[seat]));
    return Object.fromEntries(owed.map((seat) => [seat, { ...seals?.[turn]?.[seat], order: orders[seat] }]));
  });

addEventListener("message", async ({ data: text }) => {
  const { positions, outcome, record, fault } = await examine(text);
  const position = positions.at(-1) ?? "";
  const isKnown = positions.length > 0; // else it is of a game, or of rules, from elsewhere
  postMessage({
    position,
    shows: (await digest(`${position}\n${lineOf(outcome)}`)).slice(0, 32),
    turns: /** @type {any} */ (record)?.turns?.length ?? 0,
    seals: isKnown && !fault ? sealsOf(record) : [],
    isKnown,
    fault: fault && { turn: fault.turn, seat: fault.seat, message: fault.message },
  });
});
