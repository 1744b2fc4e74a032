/** The second referee beside the page of a finished league (static/js/checked_league.js). */

import { checkLeague } from "./league.js";

addEventListener("message", async ({ data: text }) => postMessage(await checkLeague(text)));
