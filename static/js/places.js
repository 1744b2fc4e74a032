// My games while somebody's hands are on the page: an entry that has become urgent, or less so, keeps its place and
// changes its look, since a thumb may be on its way to another one. Entries that come are the last of theirs, and an
// invitation to somebody for whom nothing waits stands above all. Once the hands rest, the list is sorted again.
import { renew } from "./games.js";
import { untilRest } from "./hands.js";

const REST = 5_000; // milliseconds without a hand

const sorting = { timer: 0 }; // until the list is sorted again
const rest = () => untilRest(REST);

const entries = (root) => [...root.querySelectorAll(".games.mine > li")];
// An invitation that comes is an entry of its own, in place of that of the match before.
const nameOf = (entry) => entry.querySelector("a").href + (entry.querySelector("button") ? "#invites" : "");

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const before = document.getElementById("mine");
  if (detail.target !== before || !before) return;
  if (rest() <= 0 && !before.contains(document.activeElement)) return;
  sortSoon();
  const page = new DOMParser().parseFromString(detail.serverResponse, "text/html");
  const mine = page.getElementById("mine");
  if (!mine) return;
  keepSections(before, mine);
  detail.serverResponse = mine.outerHTML;
});

/** Asks for the list once more as soon as hands and focus have left it. */
function sortSoon() {
  clearTimeout(sorting.timer);
  sorting.timer = setTimeout(() => {
    const mine = document.getElementById("mine");
    if (rest() > 0 || mine.contains(document.activeElement)) sortSoon();
    else renew();
  }, Math.max(rest(), 500));
}

/** Gives the entries of the new list the sections and places that they had; those that have come stay in their own. */
function keepSections(before, mine) {
  const sections = [...mine.querySelectorAll(".games.mine")], old = [...before.querySelectorAll(".games.mine")];
  if (!sections.length || !old.length) return;
  const all = new Map(entries(mine).map((entry) => [nameOf(entry), entry]));
  const known = new Set(entries(before).map(nameOf)), start = mine.ownerDocument.createComment("");
  const titleOf = (section) => section.previousElementSibling.textContent;
  const comes = sections[0].querySelector("button") && !old.some((one) => titleOf(one) === titleOf(sections[0]));
  if (comes) sections[0].after(start);
  else titled(sections[0])[0].before(start);
  for (const section of old) {
    const [title, list] = titled(section).map((one, at) => mine.ownerDocument.importNode(one, at === 0));
    list.append(...[...section.children].map((entry) => all.get(nameOf(entry))).filter(Boolean));
    const same = sections.find((one) => titleOf(one) === title.textContent);
    list.append(...[...(same?.children ?? [])].filter((entry) => !known.has(nameOf(entry))));
    if (list.children.length) start.before(title, list);
  }
  for (const section of sections.filter(({ children }) => !children.length)) {
    for (const one of titled(section)) one.remove();
  }
  start.remove();
}

const titled = (section) => [section.previousElementSibling, section];
