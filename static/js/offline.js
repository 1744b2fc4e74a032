// For guests who have asked for it at "You": this browser keeps their boards, and sends what they wrote
// offline. The worker (/sw.js?keep) keeps and erases; here the page says so, and keeps drafts beside the
// boards. A draft is sent as a draft: nothing is sealed here.
const DRAFTS = "drafts"; // the worker's name for them: it erases them with the boards
const root = document.documentElement;
const owner = () => document.cookie.match(/(?:^|; )offline=(\w+)/)?.[1];
const here = location.pathname;
const seat = () => document.querySelector("#live[data-seat]:not([data-seat=''])");

if (owner()) navigator.serviceWorker?.register("/sw.js?keep").catch(() => {});

const words = caches.match("/offline/").then(async (page) => {
  const parsed = new DOMParser().parseFromString(page ? await page.text() : "", "text/html");
  const said = parsed.querySelector("#offline-words")?.content.querySelectorAll("[data-says]") ?? [];
  const plain = (one) => one.textContent.replace(/\s+/g, " ").trim();
  return Object.fromEntries([...said].map((one) => [one.dataset.says, plain(one)]));
});

const SHOWN = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };
const moment = (time) => new Date(time).toLocaleString(root.lang, SHOWN);
const make = (name, given) => Object.assign(document.createElement(name), given);

/** Says it above the board, in place of what was said there. */
async function say(what, { time = Date.now(), text = "", path = here } = {}) {
  const sentence = (await words)[what];
  if (!sentence) return;
  let note = document.getElementById("offline");
  if (!note) {
    note = make("p", { id: "offline", className: "panel notice", role: "status" });
    document.getElementById("main").prepend(note);
  }
  note.dataset.says = what;
  note.textContent = sentence.replace("{time}", moment(time)).replace("{text}", text);
  if (path === here) return;
  note.append(" ", make("a", { href: path, textContent: (await words).board }));
}

// What was last seen is what is kept: the page as it came, and again after updates, once their film has
// played.
let later = 0;
let changed = !navigator.serviceWorker?.controller;
function keep() {
  clearTimeout(later);
  later = setTimeout(() => {
    if (!seat() || !navigator.onLine || "kept" in root.dataset || !owner()) return;
    if (document.querySelector("[data-fresh]")) return;
    const files = performance.getEntriesByType("resource").map((one) => new URL(one.name).pathname);
    const message = { keep: changed && here, files: files.filter((one) => one.startsWith("/static/")) };
    navigator.serviceWorker?.ready.then((worker) => worker.active.postMessage(message));
    changed = false;
  }, 1500);
}

// A plan that was typed and did not arrive waits here, on a board that may be kept.
document.addEventListener("htmx:sendError", async ({ detail }) => {
  const { typed, turn, taken_back } = detail.requestConfig.parameters;
  if (!typed || !seat() || !owner() || !(await isKept())) return;
  const draft = { typed, turn, taken_back, owner: owner(), at: Date.now() };
  await (await caches.open(DRAFTS)).put(`/draft${here}`, new Response(JSON.stringify(draft)));
  say("draft", { text: typed });
});

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

let sending = false;
async function send() {
  if (sending || !owner()) return;
  sending = true;
  try {
    for (const [name, draft] of await drafts()) if (draft.owner === owner()) await sendOne(name, draft);
  } catch {
    // no network yet
  }
  sending = false;
}

async function sendOne(name, { typed, turn, taken_back }) {
  const path = name.slice("/draft".length);
  const token = JSON.parse(document.body.getAttribute("hx-headers") ?? "{}")["X-CSRFToken"];
  if (!token) return;
  const body = new URLSearchParams({ typed, turn, taken_back: taken_back ?? "0", use: "1" });
  const headers = { "X-CSRFToken": token };
  const answer = await fetch(`${path}plan/`, { method: "POST", body, headers, redirect: "manual" });
  if (answer.status === 429 || answer.status >= 500) return;
  await (await caches.open(DRAFTS)).delete(name);
  await say(answer.type === "opaqueredirect" ? "sent" : "refused", { text: typed, path });
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
  const waiting = (await drafts()).find(([name]) => name === `/draft${here}`)?.[1];
  if (waiting) return say("draft", { time: waiting.at, text: waiting.typed });
  await say("kept", { time: Number(root.dataset.kept) });
  const typed = document.querySelector("#plan details:has([name=typed])");
  if (!typed) return;
  typed.open = true;
  document.getElementById("offline").append(` ${(await words).write}`);
}

document.addEventListener("htmx:afterSettle", () => {
  changed = true;
  keep();
});
document.addEventListener("film:step", () => changed && keep());
window.addEventListener("online", async () => {
  delete root.dataset.kept; // the page asks for what is new by itself (live.js)
  document.querySelector("#offline[data-says=kept]")?.remove();
  await send();
  keep();
});
start();
