/**
 * The second referee: the four games once more, from docs/rulings.md and docs/record.md alone.
 *
 * It runs in a page, in a worker and in Node, decides nothing, and knows no drawing, plan or bot.
 */

export { check, replay } from "./record.js";
