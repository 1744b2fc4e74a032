// The page of a match's talk: the socket says that there is a new message, and the list fetches it (`said`).
import "./heard.js";
import { htmx, noteLine, listen } from "./line.js";

const ask = () => htmx.trigger(document.body, "said");

listen(document.querySelector("[data-socket]").dataset.socket, {
  hear({ said, games }) {
    if (said) ask();
    if (games) import("./games.js").then(({ soon }) => soon());
  },
  opened(failures) {
    noteLine("");
    if (failures) ask();
  },
  closed: (failures) => failures > 1 && noteLine("late"),
});
