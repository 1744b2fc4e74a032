// For guests who have asked for it at "You": this browser keeps their boards, and sends what they planned
// offline. The worker (/sw.js?keep) keeps and erases; here the page says so, and keeps drafts beside the
// boards. A draft is sent as a draft: nothing is sealed here. The events between scripts are listed in
// docs/scripts.md.
import { say as sayAloud } from "./kept.js";
import { now } from "./clock.js";
import { bar, order, tap, write } from "./offline_row.js";
import { isRow } from "./row.js";
import { within } from "./line.js";

const DRAFTS = "drafts"; // the worker's name for them: it erases them with the boards
const root = document.documentElement;
const owner = () => document.cookie.match(/(?:^|; )offline=(\w+)/)?.[1];
const here = location.pathname;
const seat = () => document.querySelector("#live[data-seat]:not([data-seat=''])");

const offline = {
  timer: 0, // until the page is kept
  isChanged: !navigator.serviceWorker?.controller, // the page is newer than the board that is kept
  mayKeep: false, // whether this board may be kept
  draft: null, // what was planned on this page and has not been sent
  taps: Promise.resolve(), // the last tap that is being carried out
  isSending: false, // drafts
};

if (owner()) navigator.serviceWorker?.register("/sw.js?keep").catch(() => {});

const words = caches.match("/offline/").then(async (page) => {
  const parsed = new DOMParser().parseFromString(page ? await page.text() : "", "text/html");
  const sentences = parsed.querySelector("#offline-words")?.content.querySelectorAll("[data-says]") ?? [];
  const plain = (one) => one.textContent.replace(/\s+/g, " ").trim();
  return Object.fromEntries([...sentences].map((one) => [one.dataset.says, plain(one)]));
});

const SHOWN = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };
const moment = (time) => new Date(time).toLocaleString(root.lang, SHOWN);
const make = (name, given) => Object.assign(document.createElement(name), given);

/** Says it above the board, in place of what was said there. */
async function say(what, { time = now(), text = "", path = here } = {}) {
  const sentence = (await words)[what];
  if (!sentence) return;
  let note = document.getElementById("offline");
  if (!note) {
    note = make("p", { id: "offline", className: "panel notice", role: "status" });
    document.getElementById("main").prepend(note);
  }
  const textContent = sentence.replace("{time}", moment(time)).replace("{text}", () => text);
  if (note.dataset.says === what && note.textContent === textContent) return; // nothing to read out once more
  note.dataset.says = what;
  note.textContent = textContent;
  if (path === here) return;
  note.append(" ", make("a", { href: path, textContent: (await words).board }));
}

// The page is kept as it came, and again after updates, once their film has played.
function keep() {
  clearTimeout(offline.timer);
  offline.timer = setTimeout(() => {
    if (!seat() || !navigator.onLine || "kept" in root.dataset || !owner()) return;
    if (document.querySelector("[data-fresh='']")) return;
    const files = performance.getEntriesByType("resource").map((one) => new URL(one.name).pathname);
    const message = { keep: offline.isChanged && here, files: files.filter((one) => one.startsWith("/static/")) };
    navigator.serviceWorker?.ready.then((worker) => worker.active.postMessage(message));
    offline.isChanged = false;
  }, 1500);
}

// A plan that was typed or tapped and did not arrive waits here, on a board that may be kept.
document.addEventListener("htmx:sendError", async ({ detail }) => {
  const { typed, choose, then } = detail.requestConfig.parameters;
  if (!(typed || choose) || !seat() || !owner()) return;
  offline.mayKeep = await isKept();
  if (!offline.mayKeep) return;
  if (!typed && !isRow()) return offerText();
  document.dispatchEvent(new Event("plan:kept"));
  for (const one of typed ? [] : [choose, then ?? []].flat()) await tapHere({ choose: one });
  if (!typed) return;
  await store(typed);
  say("draft", { text: typed });
});

async function store(typed) {
  const { turn, taken_back } = document.getElementById("plan").elements;
  const given = { typed, turn: turn.value, taken_back: taken_back?.value };
  offline.draft = { ...given, owner: owner(), at: now() };
  await (await caches.open(DRAFTS)).put(`/draft${here}`, new Response(JSON.stringify(offline.draft)));
}

// Taps on a row of commands are carried out here while there is no network, and until what was tapped
// without one has been sent.
document.addEventListener("plan:tap", (event) => {
  const { choose, seal } = event.detail;
  const away = !navigator.onLine || "kept" in root.dataset || offline.draft;
  if (!away || !(choose || seal) || event.detail.typed || !offline.mayKeep || !owner() || !isRow()) return;
  event.preventDefault();
  offline.taps = offline.taps.then(() => tapHere(event.detail)).catch(() => {});
});

async function tapHere({ choose }) {
  const sentences = await words;
  if (!choose) {
    bar(sentences.seal);
    return document.querySelector("#plan button[name=seal]").click(); // which says why it cannot be used
  }
  sayAloud(tap(choose, sentences));
  await store(order());
  await say("tapped");
  if (navigator.onLine) send();
}

/** Writes the draft that waits for this turn into the slots again. */
async function restore() {
  const { turn, taken_back } = document.getElementById("plan")?.elements ?? {}, { draft } = offline;
  if (!draft || draft.turn !== turn?.value || draft.taken_back !== taken_back?.value || !isRow()) return;
  write(draft.typed, await words);
}

async function offerText() {
  const typed = document.querySelector("#plan [name=typed]")?.closest("details");
  if (typed) typed.open = true;
  await say("write");
}

async function isKept() {
  for (const name of await caches.keys()) {
    if (name.startsWith("boards-") && (await (await caches.open(name)).match(here))) return true;
  }
  return false;
}

async function drafts() {
  if (!(await caches.has(DRAFTS))) return [];
  const cache = await caches.open(DRAFTS), found = [];
  for (const { url } of await cache.keys()) {
    const { pathname } = new URL(url);
    if (pathname.startsWith("/draft/")) found.push([pathname, await (await cache.match(url)).json()]);
  }
  return found;
}

async function send() {
  if (offline.isSending || !owner()) return;
  offline.isSending = true;
  try {
    for (const [name, draft] of await drafts()) if (draft.owner === owner()) await sendOne(name, draft);
  } catch {
    // no network yet
  }
  offline.isSending = false;
}

async function sendOne(name, draft) {
  const { typed, turn, taken_back } = draft;
  const path = name.slice("/draft".length);
  const token = JSON.parse(document.body.getAttribute("data-hx-headers") ?? "{}")["X-CSRFToken"];
  if (!token) return;
  const body = new URLSearchParams({ typed, turn, taken_back: taken_back ?? "0", use: "1" });
  const headers = { "X-CSRFToken": token };
  const answer = await fetch(`${path}plan/`, { method: "POST", body, headers, signal: within(20_000) });
  // a network that asks for a password may answer in the site's place
  const whose = answer.headers.get("Robosite-Offline")?.split(" ")[0];
  if (whose !== owner() || answer.status === 429 || answer.status >= 500) return;
  const cache = await caches.open(DRAFTS), now = await (await cache.match(name))?.json();
  if (now && now.at !== draft.at) return sendOne(name, now); // there were taps meanwhile
  await cache.delete(name);
  if (path === here) offline.draft = null;
  await say(answer.redirected ? "sent" : "refused", { text: typed, path });
  if (path === here) document.dispatchEvent(new Event("live:changed"));
}

// Where there is no network, the list of boards that are kept.
async function list(section) {
  const all = [];
  for (const name of await caches.keys()) {
    if (!name.startsWith("boards-")) continue;
    const cache = await caches.open(name);
    for (const { url } of await cache.keys()) all.push([url, await cache.match(url)]);
  }
  for (const [url, page] of all.reverse()) {
    const title = new DOMParser().parseFromString(await page.text(), "text/html").title;
    const link = make("a", { href: new URL(url).pathname }), item = make("li");
    const textContent = title.replace(/\s+/g, " ").trim().replace(/ · Robosite$/, "");
    const name = make("strong", { textContent });
    link.append(name, moment(Number(page.headers.get("Kept-At"))));
    item.append(link);
    section.querySelector("ul").append(item);
  }
  section.hidden = !all.length;
}

async function start() {
  for (const section of document.querySelectorAll("[data-kept-boards]")) await list(section);
  if (!("kept" in root.dataset)) {
    keep();
    return send();
  }
  offline.mayKeep = true;
  probe();
  if (isRow()) bar((await words).seal);
  const draft = (await drafts()).find(([name]) => name === `/draft${here}`)?.[1];
  offline.draft = draft;
  if (draft) {
    await restore();
    await say("draft", { time: draft.at, text: draft.typed });
    if (navigator.onLine) await send(); // the network may have come back before anybody here listened
    return;
  }
  await say(navigator.onLine ? "away" : "kept", { time: Number(root.dataset.kept) });
  const typed = document.querySelector("#plan [name=typed]")?.closest("details");
  if (!typed) return;
  if (!isRow()) typed.open = true;
  document.getElementById("offline").append(` ${(await words)[isRow() ? "tap" : "write"]}`);
}

// A kept board gives way to the present one as soon as that has come, and what is half typed stays.
function probe() {
  setTimeout(async () => {
    if (!("kept" in root.dataset)) return;
    const { versionUrl } = seat()?.dataset ?? {}, signal = within(8000);
    const answer = navigator.onLine && versionUrl && (await fetch(versionUrl, { signal }).catch(() => null));
    if (answer && answer.headers.has("Robosite-Offline")) await comesBack();
    probe();
  }, 4000 + 2000 * Math.random());
}

async function comesBack() {
  await send();
  if (seat()) document.dispatchEvent(new Event("live:changed"));
}

navigator.serviceWorker?.addEventListener("message", ({ data }) => data?.fresh && comesBack());

document.addEventListener("htmx:afterSettle", ({ target }) => {
  if (target.id === "live" && "kept" in root.dataset) {
    delete root.dataset.kept;
    if (document.querySelector("#offline:is([data-says=kept], [data-says=away], [data-says=write])")) say("fresh");
  }
  offline.isChanged = true;
  restore();
  keep();
});
window.addEventListener("offline", async () => (offline.mayKeep = Boolean(seat()) && (await isKept())));
document.addEventListener("film:step", () => offline.isChanged && keep());
window.addEventListener("online", async () => {
  await comesBack();
  keep();
});
start();
