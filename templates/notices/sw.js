// Shows whatever is pushed, even if it cannot be read: a browser takes the permission away from a site whose
// pushes show nothing. A newer push about the same match takes the place of the one before.
const SOMETHING = {
  title: "Robosite",
  body: "{% filter escapejs %}{% trans %}Something has happened in your matches.{% endtrans %}{% endfilter %}",
};

self.addEventListener("push", (event) => event.waitUntil(show(read(event.data))));

/** What a push says; {} for one that says nothing that can be read. */
function read(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return {};
  }
}

async function show(given) {
  const told = Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value === "string"));
  const { title, body } = told.title ? { body: "", ...told } : SOMETHING;
  const tag = told.tag || "robosite"; // without a tag, a browser refuses to show one again aloud
  const icon = "{{ static("img/icon-192.png") }}";
  await self.registration.showNotification(title, { body, tag, icon, renotify: true, data: told.url });
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

async function open(path) {
  let url = new URL("{{ url("my-games") }}", self.location.origin);
  try {
    url = new URL(path, url);
  } catch {
    // no address: on to the reader's matches
  }
  if (url.origin !== self.location.origin) return;
  const pages = await self.clients.matchAll({ type: "window" });
  const page = pages.find((one) => new URL(one.url).pathname === url.pathname);
  await (page ? page.focus() : self.clients.openWindow(url.href));
}

// A browser that has changed its subscription says so (static/js/push.js does what is left out here).
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));

async function renew({ oldSubscription: old, newSubscription }) {
  if (!old) return;
  const page = await (await fetch("{{ url("notices") }}")).text();
  const token = page.match(/name="csrfmiddlewaretoken" value="(\w+)"/)?.[1];
  const { userVisibleOnly = true, applicationServerKey } = old.options ?? {};
  const wanted = { userVisibleOnly, applicationServerKey };
  const subscription = newSubscription ?? (await self.registration.pushManager.subscribe(wanted));
  const given = { kind: "push", subscription: JSON.stringify(subscription), csrfmiddlewaretoken: token ?? "" };
  const body = new URLSearchParams({ ...given, was: old.endpoint });
  await fetch("{{ url("add-channel") }}", { method: "POST", body, redirect: "manual" });
}

// With ?keep, for a guest who has asked for it (static/js/offline.js): the boards last seen, where there is
// no network. An answer says whose it is and whether it may be kept (robosite/people/offline.py).
const KEEPS = new URL(self.location).searchParams.has("keep");
const VERSION = "{{ version }}";
const SHELL = `shell-${VERSION}`, BOARDS = `boards-${VERSION}`, FILES = `files-${VERSION}`;
const DRAFTS = "drafts"; // and whose all of it is
const MOST_BOARDS = 12, MOST_FILES = 150, LONGEST = 7 * 24 * 3600 * 1000;
const PATIENCE = 3000; // milliseconds, where there is something kept to show in its place
function limited() { // what nobody waits for ends at some time, too
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 30_000);
  return { signal: controller.signal };
}
const OFFLINE = "{{ url("offline") }}", LANGUAGE = "{{ url("language") }}";
const ERASES = /^\/(me\/(leave|forget)|back|s)\//;
const PARTS = [
  {% for sheet in style_sheets() %}"{{ static(sheet) }}",
  {% endfor %}"{{ static("js/theme.js") }}", "{{ static("js/site.js") }}", "{{ static("js/film.js") }}",
  "{{ static("js/offline.js") }}", "{{ static("js/offline_row.js") }}", "{{ static("js/row.js") }}",
  "{{ static("img/favicon.svg") }}",
];
let hung = 0; // when a page was asked for in vain last
let erased = 0; // how often: an answer that was asked for before that comes too late to be kept

self.addEventListener("install", (event) => {
  self.skipWaiting();
  if (KEEPS) event.waitUntil(Promise.all([OFFLINE, ...PARTS].map((path) => add(SHELL, path))));
});

// What another version kept goes, and all of it where nothing is to be kept any more.
self.addEventListener("activate", (event) => event.waitUntil(begin()));

async function begin() {
  const own = KEEPS ? [SHELL, BOARDS, FILES, DRAFTS] : [];
  for (const name of await caches.keys()) if (!own.includes(name)) await caches.delete(name);
  if (KEEPS) await self.clients.claim();
}

if (KEEPS) {
  self.addEventListener("fetch", (event) => {
    const { request } = event, url = new URL(request.url);
    if (url.origin !== self.location.origin) return;
    if (request.mode === "navigate") event.respondWith(page(event, url));
    else if (request.method === "GET" && url.pathname.startsWith("/static/")) {
      event.respondWith(file(request));
    }
  });
  self.addEventListener("message", (event) => {
    if (event.data?.files) event.waitUntil(keep(event.data));
    if (event.data?.guest !== undefined) event.waitUntil(eraseOfOthers(event.data.guest));
  });
}

async function page(event, url) {
  const since = erased, { request } = event, get = request.method === "GET";
  if (!get && ERASES.test(url.pathname)) await erase();
  const found = get && (await kept(url));
  const asked = ask(request, Boolean(found));
  const came = asked.then(({ copy }) => look(copy, url, since, get));
  event.waitUntil(came.catch(() => {}));
  // what is said offline is said in the language that was chosen last
  if (url.pathname === LANGUAGE) event.waitUntil(came.then(() => add(SHELL, OFFLINE)).catch(() => {}));
  if (!found) return asked.then(({ answer }) => answer).catch(() => caches.match(OFFLINE));
  const { answer } = await Promise.race([asked.catch(() => ({})), later({})]);
  if (answer?.status < 500) return answer;
  hung = Date.now();
  event.waitUntil(came.then((stored) => stored && tell(event.resultingClientId)).catch(() => {}));
  return found;
}

/** What the network answers, and a copy to look at; `whole`: once all of it has come. */
async function ask(request, whole) {
  const answer = await fetch(request), copy = answer.clone();
  if (!whole || answer.type !== "basic") return { answer, copy };
  const { status, statusText } = answer;
  const body = [204, 205, 304].includes(status) ? null : await answer.blob();
  return { answer: new Response(body, { status, statusText, headers: plain(answer) }), copy };
}

const later = (what) => new Promise((done) => setTimeout(done, PATIENCE, what));

/** The page that shows a kept board hears that the present one has come after all. */
async function tell(id) {
  (await self.clients.get(id))?.postMessage({ fresh: true });
}

/** The headers of an answer whose body has been read. */
function plain(answer) {
  const headers = new Headers(answer.headers);
  for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name);
  return headers;
}

const said = (answer) => (answer.headers.get("Robosite-Offline") ?? "").split(" ");

/** Erases, or keeps, as the answer says, and tells whether it has kept it. Errors and redirects say nothing,
 * and neither does a network that answers in the site's place. */
async function look(answer, { pathname }, since, get) {
  if (answer.type !== "basic" || answer.redirected || answer.status === 429 || answer.status >= 500) return;
  const [tag, does] = said(answer);
  if (!tag || since !== erased) return;
  const isOther = tag !== (await owner());
  if (isOther) await erase();
  if (tag === "{{ nobody }}") return;
  const now = erased;
  if (isOther) await (await caches.open(DRAFTS)).put("/owner", new Response(tag));
  const boards = await caches.open(BOARDS);
  if (does === "never") return void (await forgetMatch(boards, pathname));
  if (!get) return;
  if (does !== "keep" || answer.status !== 200) return void (await boards.delete(pathname));
  const headers = plain(answer), text = await answer.text();
  headers.set("Kept-At", Date.parse(headers.get("Date")) || Date.now());
  headers.set("Kept-By-Device", Date.now()); // whose clock may be wrong, but counts days
  if (now !== erased) return;
  await boards.delete(pathname);
  await boards.put(pathname, new Response(text, { headers }));
  await bound(boards, MOST_BOARDS);
  return true;
}

const owner = async () => (await (await (await caches.open(DRAFTS)).match("/owner"))?.text()) ?? "";

/** A page is `guest`'s: nothing of anybody else stays, though the wish of theirs was lost. */
const eraseOfOthers = async (guest) => (await owner()) === guest || erase();

async function erase() {
  erased += 1;
  for (const name of [BOARDS, DRAFTS]) await caches.delete(name);
}

/** Several people play it at this browser: none of them is shown what another one saw. */
async function forgetMatch(boards, pathname) {
  const match = pathname.split("/", 3).join("/") + "/";
  const drafts = await caches.open(DRAFTS);
  for (const [cache, prefix] of [[boards, match], [drafts, `/draft${match}`]]) {
    for (const { url } of await cache.keys()) {
      if (new URL(url).pathname.startsWith(prefix)) await cache.delete(url);
    }
  }
}

async function bound(cache, most) {
  const all = await cache.keys();
  for (const one of all.slice(0, Math.max(0, all.length - most))) await cache.delete(one);
}

/** The board as it was last seen, marked with when. */
async function kept({ pathname }) {
  const found = await (await caches.open(BOARDS)).match(pathname);
  const at = Number(found?.headers.get("Kept-At"));
  if (!found || Date.now() - Number(found.headers.get("Kept-By-Device") ?? at) > LONGEST) return null;
  const text = (await found.text()).replace("<html ", `<html data-kept="${at}" `);
  return new Response(text, { headers: found.headers });
}

async function keep({ keep: path, files }) {
  const since = erased;
  if (path) {
    const answer = await fetch(path, { headers: { Purpose: "prefetch" }, cache: "no-store", ...limited() });
    await look(answer, new URL(path, self.location), since, true);
  }
  for (const one of files) if (!(await caches.match(one))) await add(FILES, one).catch(() => {});
  await bound(await caches.open(FILES), MOST_FILES);
}

/** A file of the site, or the page on being offline, and not what a network shows in its place. */
const isOurs = (answer) => {
  const { pathname } = new URL(answer.url);
  if (!answer.ok || answer.redirected) return false;
  if (!pathname.startsWith("/static/")) return Boolean(said(answer)[0]);
  return !(answer.headers.get("Content-Type") ?? "").startsWith("text/html");
};

async function add(name, path) {
  const answer = await fetch(path, limited());
  if (!isOurs(answer)) throw new TypeError(path);
  await (await caches.open(name)).put(path, answer);
}

// A name with a hash in it means the same for ever.
async function file(request) {
  const hashed = /\.[0-9a-f]{12}\./.test(request.url);
  const found = await caches.match(request);
  if (found && hashed) return found;
  const asked = fetch(request).then(async (answer) => {
    if (!isOurs(answer)) return found ?? answer;
    const cache = await caches.open(FILES);
    await cache.put(request, answer.clone());
    await bound(cache, MOST_FILES);
    return answer;
  });
  const answer = asked.catch(() => found ?? Response.error());
  if (!found) return answer;
  return Date.now() - hung < 60_000 ? found : Promise.race([answer, later(found)]);
}
