// What has happened at the table, said aloud once, in the words that the page has for it: who has sat down, sealed, offered
// or written, and what is to be done now. A turn that is shown as a film is heard first.

import { say } from "./kept.js";

const news = {
  before: null, // what the page said before an update
  letters: "", // how many messages were new
  isDue: false, // an update has come, and its film is still to be heard
};

const live = () => document.getElementById("live");
const all = (selector) => [...(live()?.querySelectorAll(selector) ?? [])];
const plain = (text) => text?.replace(/\s+/g, " ").trim() ?? "";
const textOf = (one) => plain(one?.innerText);
/** Also while the film's last step is still to be read, and its turn stands in place of the status. */
const statusNow = () => plain(document.querySelector("#status > .turn-now")?.textContent);
const badgeOf = (player) => textOf(player.querySelector(".badge"));

/** What the page says now. */
const look = () => ({
  turn: live()?.dataset.turn,
  status: statusNow() || textOf(document.getElementById("status")),
  lines: all("header :is(h2, .notice:not(section))").map(textOf),
  players: new Map(all("#players li").map((one) => [textOf(one.querySelector(".who")), badgeOf(one)])),
  own: textOf(all("#players li").find((one) => one.querySelector(".you"))?.querySelector(".is-sealed")),
});

function tell() {
  const { before } = news, now = look();
  Object.assign(news, { before: null, isDue: false });
  if (!before || !live()) return;
  const lines = now.lines.filter((one) => one && !before.lines.includes(one));
  const isNext = now.turn !== before.turn, isOver = "over" in live().dataset;
  const isNew = isNext || now.status !== before.status;
  const others = [...now.players].filter(([who, state]) => before.players.get(who) !== state);
  const seen = others.filter(([who]) => (isNew ? !before.players.has(who) : who && now.own !== now.players.get(who)));
  const people = isNext ? [] : seen.map(([who, state]) => `${who}: ${state}.`);
  const own = now.own && now.own !== before.own ? [`${now.own[0].toUpperCase()}${now.own.slice(1)}.`] : [];
  const turn = isNext && !isOver ? [`${textOf(all(".turn-now")[0]).split(" · ")[0]}.`] : [];
  const status = isNew && !(isOver && isNext) ? [now.status] : [];
  say([...lines, ...people, ...own, ...turn, ...status].join(" "));
}

/** Messages that are not on the page: how many are new. Those that are, heard.js says. */
function tellLetters() {
  const count = document.querySelector("#talk-new .count"), now = count?.textContent.trim() ?? "";
  if (now && now !== news.letters && !document.getElementById("said")) say(count.closest("a").textContent);
  news.letters = now;
}

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.id === "live") news.before ??= look(); // of a seal, too, whose answer is more than the planner
});
document.addEventListener("htmx:afterSettle", ({ target }) => {
  if (target.id === "live") news.isDue = true;
  tellLetters();
  setTimeout(tellIfSeen); // a film begins after this, in the same moment
});
document.addEventListener("film:step", ({ target }) => target.id === "film" && setTimeout(tellIfSeen));

function tellIfSeen() {
  const film = document.getElementById("film");
  if (news.isDue && (!film || film.matches(".at-last:not([data-waits])"))) tell();
}
