/** The second referee beside a match's page (static/js/checked.js): replays each file that it is sent. */

import { Differs, digest, examine } from "./record.js";

/** The result in one line, as `robosite/matches/records.py: digest_of` writes it. @param {import("./rules.js").Outcome | null} outcome */
const lineOf = (outcome) =>
  outcome ? [outcome.reason, ...Object.keys(outcome.scores).sort().map((seat) => `${seat}=${outcome.scores[seat].toFixed(6)}`)].join(" ") : "";

addEventListener("message", async ({ data: text }) => {
  const { positions, outcome, record, fault } = await examine(text);
  const position = positions.at(-1) ?? "";
  postMessage({
    position,
    shows: (await digest(`${position}\n${lineOf(outcome)}`)).slice(0, 32),
    turns: /** @type {any} */ (record)?.turns?.length ?? 0,
    seals: /** @type {any} */ (record)?.seals ?? [],
    isKnown: !fault || fault instanceof Differs || fault.turn !== null, // else it is of a game, or of rules, from elsewhere
    fault: fault && { turn: fault.turn, seat: fault.seat, message: fault.message },
  });
});
