// Shows whatever is pushed, even if it cannot be read: a browser takes the permission away from a site whose
// pushes show nothing. A newer push about the same match takes the place of the one before.
const SOMETHING = {
  title: "Robosite",
  body: "{% filter escapejs %}{% trans %}Something has happened at your tables.{% endtrans %}{% endfilter %}",
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
const OFFLINE = "{{ url("offline") }}", LANGUAGE = "{{ url("language") }}";
const ERASES = /^\/(me\/(leave|forget)|back|s)\//;
const PARTS = [
  {% for sheet in style_sheets() %}"{{ static(sheet) }}",
  {% endfor %}"{{ static("js/theme.js") }}", "{{ static("js/site.js") }}", "{{ static("js/film.js") }}",
  "{{ static("js/offline.js") }}", "{{ static("js/row.js") }}", "{{ static("img/favicon.svg") }}",
];
let erased = 0; // how often: an answer that was asked for before that comes too late to be kept

self.addEventListener("install", (event) => {
  self.skipWaiting();
  if (KEEPS) event.waitUntil(caches.open(SHELL).then((cache) => cache.addAll([OFFLINE, ...PARTS])));
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
  });
}

async function page(event, url) {
  const since = erased;
  if (event.request.method !== "GET" && ERASES.test(url.pathname)) await erase();
  let answer;
  try {
    answer = await fetch(event.request);
  } catch {
    return (event.request.method === "GET" && (await kept(url))) || caches.match(OFFLINE);
  }
  const copy = said(answer)[1] === "keep" ? answer.clone() : answer;
  event.waitUntil(look(copy, url, since, event.request.method === "GET"));
  // what is said offline is said in the language that was chosen last
  if (url.pathname === LANGUAGE) event.waitUntil(caches.open(SHELL).then((cache) => cache.add(OFFLINE)));
  return answer;
}

const said = (answer) => (answer.headers.get("Robosite-Offline") ?? "").split(" ");

/** Erases, or keeps, as the answer says; errors and redirects say nothing. */
async function look(answer, { pathname }, since, get) {
  if (answer.type !== "basic" || answer.redirected || answer.status === 429 || answer.status >= 500) return;
  if (since !== erased) return;
  const [tag, does] = said(answer);
  const owner = (await (await (await caches.open(DRAFTS)).match("/owner"))?.text()) ?? "";
  if (tag !== owner) await erase();
  if (!tag) return;
  const now = erased;
  if (tag !== owner) await (await caches.open(DRAFTS)).put("/owner", new Response(tag));
  const boards = await caches.open(BOARDS);
  if (does === "never") return forgetMatch(boards, pathname);
  if (!get) return;
  if (does !== "keep" || answer.status !== 200) return void (await boards.delete(pathname));
  const headers = new Headers(answer.headers), text = await answer.text();
  for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name);
  headers.set("Kept-At", Date.now());
  if (now !== erased) return;
  await boards.delete(pathname);
  await boards.put(pathname, new Response(text, { headers }));
  await bound(boards, MOST_BOARDS);
}

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
  if (!found || Date.now() - at > LONGEST) return null;
  const text = (await found.text()).replace("<html ", `<html data-kept="${at}" `);
  return new Response(text, { headers: found.headers });
}

async function keep({ keep: path, files }) {
  const since = erased;
  if (path) {
    const answer = await fetch(path, { headers: { Purpose: "prefetch" } });
    await look(answer, new URL(path, self.location), since, true);
  }
  const cache = await caches.open(FILES);
  for (const one of files) if (!(await caches.match(one))) await cache.add(one).catch(() => {});
  await bound(cache, MOST_FILES);
}

// A name with a hash in it means the same for ever.
async function file(request) {
  const hashed = /\.[0-9a-f]{12}\./.test(request.url);
  const found = await caches.match(request);
  if (found && hashed) return found;
  try {
    const answer = await fetch(request);
    if (answer.ok) {
      const cache = await caches.open(FILES);
      await cache.put(request, answer.clone());
      await bound(cache, MOST_FILES);
    }
    return answer;
  } catch {
    return found ?? Response.error();
  }
}
