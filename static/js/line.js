// The line between page and site. A request that brings nothing for a while is given up, one that was lost is sent
// again, and the page says how its line is (components/trouble.html). Whatever is sent again counts once: a tap names
// the plan beside which it was pressed, a message has a mark, the other forms say how it is to be. A page hears of
// news over a socket; a match's page also asks for the match's version whenever something may have been missed.
// The events between scripts are listed in docs/scripts.md.

import { say as sayAloud } from "./kept.js";

/** What scripts stand on: where it has not come none of them runs, and the page works by its links and forms. */
export const { htmx } = window;
if (!htmx) throw new Error("htmx has not come");

const PATIENCE = 8000; // milliseconds in which nothing comes
const OPENING = 10_000; // until a socket is open
const SILENCE = 30_000; // an open socket says something every twenty seconds (robosite/matches/live/push.py)
export const CALM = 3000; // milliseconds in which something is wrong before the page says so

const line = {
  requests: 0, // of htmx under way, without those of the talk: a tap does not wait for them
  waiting: [], // callbacks for the end of all these requests
  leaving: false, // an answer sent the page elsewhere: what it asks now could send it elsewhere again
  lost: new WeakMap(), // element whose request was lost -> { tries, timer }
  typed: [], // fields of a form into which somebody typed while the form was being sent
  versionUrl: "", // of the match that this page keeps up with
  hear: null, // what is called with news of the match
  connect: null, // opens the match's socket if it is closed
  failures: 0, // how often in a row that socket could not be opened
  isAway: false, // the last request of the match's page was lost
  retry: 0, // timer of the next question for the version
  note: "", // what the page says of its line: "away", "late", or nothing
  noteTimer: 0,
};

// ---- requests of htmx ----

/** True if the site may not have taken the request: there is no answer, or that of something on the way. */
export const isLost = (xhr) => !xhr?.status || xhr.status === 429 || xhr.status >= 500;

/** Milliseconds until it is tried again: longer each time, or as long as the site says. */
export function delay(tries, xhr) {
  const seconds = Number(xhr?.getResponseHeader("Retry-After")) || Math.min(15, 2 ** tries);
  return seconds * (700 + 300 * Math.random());
}

/** The signal that ends a fetch from which nothing comes. (Safari 15 has no AbortSignal.timeout.) */
export function within(milliseconds) {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), milliseconds);
  return controller.signal;
}
export const patience = () => within(PATIENCE);

/** Settles when no request is under way: two at once would each swap what the other is about to. */
export const idle = () => (line.requests ? new Promise((done) => line.waiting.push(done)) : Promise.resolve());

/** True while the page should ask for nothing: a request is under way, or another page comes. */
export const isBusy = () => line.requests > 0 || line.leaving;

document.addEventListener("htmx:beforeSend", ({ detail: { elt, target, xhr } }) => {
  clearTimeout(line.lost.get(elt)?.timer);
  abortWhenQuiet(xhr);
  // The request itself is listened to: htmx tells nobody of its end when the element that asked has gone from the
  // page meanwhile.
  const counts = target?.closest("#talk, #talk-new") ? 0 : 1;
  line.requests += counts;
  xhr.addEventListener("loadend", () => {
    line.requests -= counts;
    if (xhr.getResponseHeader("HX-Redirect")) leave();
    if (!isLost(xhr)) isBack();
    const date = xhr.getResponseHeader("Date");
    if (date) import("./clock.js").then(({ set }) => set(date), () => {});
    wakeNext();
    if (line.hear) setTimeout(line.hear, 50, { ended: true });
  });
});

function abortWhenQuiet(xhr) {
  let timer = 0;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => xhr.abort(), PATIENCE);
  };
  xhr.addEventListener("progress", wait);
  xhr.addEventListener("readystatechange", wait);
  xhr.upload.addEventListener("progress", wait);
  xhr.addEventListener("loadend", () => clearTimeout(timer));
  wait();
}

/** Lets the next one go on that waits for `idle`, and after it, unless it asks for something, the one after. */
function wakeNext() {
  if (line.requests || !line.waiting.length) return;
  line.waiting.shift()();
  setTimeout(wakeNext);
}

/** The browser goes elsewhere, unless the line is lost on the way. */
function leave() {
  line.leaving = true;
  setTimeout(() => (line.leaving = false), 10_000);
}

for (const name of ["sendError", "sendAbort", "timeout", "responseError"]) {
  document.addEventListener(`htmx:${name}`, ({ detail }) => isLost(detail.xhr) && lose(detail));
}

function lose(request) {
  // the page's scripts send again what these asked for
  if (!request.elt.matches("body, main")) sendAgain(request);
  if (line.hear) askLater();
}

/** Says in a form that its request was lost, and repeats it as it was: it may have arrived. So it is with a link. */
function sendAgain({ elt, xhr, requestConfig: { verb, path, formData } }) {
  const tries = (line.lost.get(elt)?.tries ?? 0) + 1;
  const send = () => {
    const source = elt.isConnected ? elt : elt.id && document.getElementById(elt.id); // an update has drawn it anew
    if (source) htmx.ajax(verb, path, { source, values: formData }).catch(() => {});
  };
  line.lost.set(elt, { tries, timer: setTimeout(send, delay(tries - 1, xhr)) });
  if (elt.matches("form") && !elt.querySelector(".unsent")) say(elt);
}

function say(form) {
  const note = sentence("form"), button = form.querySelector(".actions, button");
  if (!note || !button) return;
  (button.matches(".actions") ? button : form.firstElementChild).before(note);
  note.scrollIntoView({ block: "nearest" });
}

document.addEventListener("htmx:afterOnLoad", ({ detail: { elt, xhr } }) => {
  if (isLost(xhr)) return;
  line.lost.delete(elt);
  elt.querySelector(":scope > .unsent")?.remove();
});

// Words typed into a form while it was being sent are not lost when the answer puts a new form in its place.
document.addEventListener("htmx:beforeSwap", ({ detail: { requestConfig } }) => {
  const { elt, verb, formData } = requestConfig;
  const fields = verb === "post" && elt.matches("form") ? [...elt.querySelectorAll("textarea, input[maxlength]")] : [];
  line.typed = fields.filter(({ id, name, value }) => id && formData.has(name) && formData.get(name) !== value);
});
document.addEventListener("htmx:afterSwap", () => {
  for (const { id, value } of line.typed) {
    const field = document.getElementById(id);
    if (field) field.value = value;
  }
  line.typed = [];
});

// ---- what the page says of its line ----

/** A sentence of the page's template. */
export const sentence = (says) =>
  document.getElementById("trouble")?.content.querySelector(`[data-says=${says}]`).cloneNode(true);

/** Says above the page how its line is: "away", "late", or "" where all is well. */
export function noteLine(now) {
  const note = document.getElementById("line");
  if (now === line.note || !note) return;
  line.note = now;
  clearTimeout(line.noteTimer);
  if (!now) return note.replaceChildren();
  line.noteTimer = setTimeout(() => {
    note.replaceChildren(...sentence(now).childNodes);
    sayAloud(note.textContent);
  }, note.textContent ? 0 : CALM);
}

const noteMatch = () => noteLine(line.isAway ? "away" : line.failures > 1 ? "late" : "");

// ---- sockets ----

/**
 * Keeps a socket open. `hear` gets its messages; `opened` and `closed` how often it could not be opened before.
 * Returns a function that opens it if it is closed; its `close` closes it if it is open.
 */
export function listen(path, { hear, opened, closed }) {
  let socket = null, failures = 0, timer = 0;

  function connect() {
    clearTimeout(timer);
    if (socket?.readyState <= WebSocket.OPEN) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const mine = (socket = new WebSocket(`${scheme}//${location.host}${path}`));
    let quiet = setTimeout(end, OPENING);
    const waits = () => {
      clearTimeout(quiet);
      quiet = setTimeout(end, SILENCE);
    };
    // nothing comes any more, and nobody says so: it is given up, without waiting for its end
    function end() {
      mine.close();
      gone();
    }
    function gone({ code } = {}) {
      clearTimeout(quiet);
      if (socket !== mine) return;
      socket = null;
      // the seat is not this browser's any more: the page says so
      if (code === 4403) return location.reload();
      // 4429: its place went to a page that had none, so this one asks now and then
      failures += code === 4429 ? 5 : 1;
      closed?.(failures);
      clearTimeout(timer);
      timer = setTimeout(connect, Math.min(30, 2 ** failures) * (500 + 500 * Math.random()));
    }
    const on = (name, does) => mine.addEventListener(name, (event) => socket === mine && does(event));
    on("open", () => {
      const before = failures;
      failures = 0;
      waits();
      opened?.(before);
    });
    on("message", ({ data }) => {
      waits();
      hear(JSON.parse(data));
    });
    mine.addEventListener("close", gone);
  }

  connect();
  connect.close = () => socket?.readyState === WebSocket.OPEN && socket.close();
  return connect;
}

// ---- a match's page ----

/**
 * Keeps a match's page up with the match, by its socket and by questions for its version; a lesson has neither.
 * `hear` gets all news in one shape, whichever way they came: messages of the socket, the answers of the version
 * ({ version, waiting }), { said, missed } once something may have been missed, { ended } after each request.
 */
export function keepUp(socket, versionUrl, hear) {
  Object.assign(line, { versionUrl, hear });
  for (const name of ["visibilitychange", "online", "pageshow"]) {
    // a page that has just been loaded is true, and its socket says the version as it opens
    addEventListener(name, ({ persisted }) => persisted !== false && look());
  }
  if (!socket) return;
  // between two tries the version is asked for, at the latest every half minute
  line.connect = listen(socket, {
    hear(message) {
      if (message.games) ask(); // another match, so the number of those that wait
      hear(message);
    },
    opened(failures) {
      line.failures = 0;
      noteMatch();
      if (failures) hear({ said: true, missed: true });
    },
    closed(failures) {
      line.failures = failures;
      hear({ here: "" });
      noteMatch();
      if (failures > 2) ask();
    },
  });
  addEventListener("pagehide", line.connect.close); // browsers keep no page in memory that has an open socket
  // a page that the browser fetched before it was asked for (web/views.py) counts as seen only now, and may be old
  if (performance.getEntriesByType("navigation")[0]?.deliveryType !== "navigational-prefetch") return;
  fetch(location.href, { cache: "no-store", signal: patience() }).catch(() => {});
  ask();
}

/** Asks for the match's version, and again a little later if no answer comes, perhaps since the site is busy. */
async function ask() {
  if (!line.versionUrl) return;
  try {
    const answer = await fetch(line.versionUrl, { headers: { Accept: "application/json" }, signal: patience() });
    if (answer.status < 500) isBack();
    if (answer.ok) line.hear(await answer.json());
    else if (answer.status >= 500) askLater();
  } catch {
    askLater();
  }
}

function askLater() {
  line.isAway = true;
  noteMatch();
  clearTimeout(line.retry);
  line.retry = setTimeout(ask, 2000 + 4000 * Math.random());
}

/** An answer came again: what was said meanwhile may have been missed. */
function isBack() {
  if (!line.isAway) return;
  line.isAway = false;
  noteMatch();
  line.hear({ said: true });
}

/** A phone that wakes up, or a page that comes back from the browser's memory, looks at once. */
function look() {
  if (document.visibilityState !== "visible" || !line.versionUrl) return;
  line.leaving = false;
  ask();
  line.connect();
}
