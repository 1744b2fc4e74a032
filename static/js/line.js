// The line to the site: what brings nothing for a while is given up, what did not arrive is sent again, and the
// page says how it stands (components/trouble.html). All that is sent again counts once: a tap names the plan
// beside which it was pressed, a message has a mark, the other forms say how it is to be.
const PATIENCE = 8000; // milliseconds in which nothing comes
const OPENING = 10_000; // until a socket is open
const SILENCE = 30_000; // an open socket says something every twenty seconds (robosite/matches/live/push.py)
const CALM = 3000; // so long something is wrong before it is said above the page

const FAILURES = ["sendError", "sendAbort", "timeout", "responseError"].map((name) => `htmx:${name}`);

/** Whether it is not known that the site has taken the request: no answer, or that of something on the way. */
export const isLost = (xhr) => !xhr?.status || xhr.status === 429 || xhr.status >= 500;

/** Calls `does` for every request of htmx that was lost. */
export function onLost(does) {
  for (const name of FAILURES) document.addEventListener(name, ({ detail }) => isLost(detail.xhr) && does(detail));
}

/** Milliseconds until it is tried again: longer each time, or as long as the site says. */
export function delay(tries, xhr) {
  const seconds = Number(xhr?.getResponseHeader("Retry-After")) || Math.min(15, 2 ** tries);
  return seconds * (700 + 300 * Math.random());
}

/** The signal that ends a fetch from which nothing comes. */
export const patience = () => AbortSignal.timeout(PATIENCE);

document.addEventListener("htmx:beforeSend", ({ detail: { xhr } }) => {
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
});

/** A sentence of the page's template. */
export const sentence = (says) =>
  document.getElementById("trouble")?.content.querySelector(`[data-says=${says}]`).cloneNode(true);

// A form or a link whose request was lost says so and tries again, with what was sent: it may have arrived.
const lost = new WeakMap(); // element -> { tries, timer }

onLost(({ elt, xhr, requestConfig: { verb, path, formData } }) => {
  if (elt.matches("body, main")) return; // the page's scripts see to these themselves
  const tries = (lost.get(elt)?.tries ?? 0) + 1;
  const send = () => {
    const source = elt.isConnected ? elt : elt.id && document.getElementById(elt.id); // an update has drawn it anew
    if (source) htmx.ajax(verb, path, { source, values: formData }).catch(() => {});
  };
  lost.set(elt, { tries, timer: setTimeout(send, delay(tries - 1, xhr)) });
  if (elt.matches("form") && !elt.querySelector(".unsent")) say(elt);
});

function say(form) {
  const note = sentence("form"), button = form.querySelector(".actions, button");
  if (!note || !button) return;
  (button.matches(".actions") ? button : form.firstElementChild).before(note);
  note.scrollIntoView({ block: "nearest" });
}

document.addEventListener("htmx:beforeSend", ({ detail: { elt } }) => clearTimeout(lost.get(elt)?.timer));
document.addEventListener("htmx:afterOnLoad", ({ detail: { elt, xhr } }) => {
  if (isLost(xhr)) return;
  lost.delete(elt);
  elt.querySelector(":scope > .unsent")?.remove();
});

// What was typed into a form while it was being sent is not lost when the answer puts a new form in its place.
let typed = [];
document.addEventListener("htmx:beforeSwap", ({ detail: { requestConfig } }) => {
  const { elt, verb, formData } = requestConfig;
  const fields = verb === "post" && elt.matches("form") ? [...elt.querySelectorAll("textarea, input[maxlength]")] : [];
  typed = fields.filter(({ id, name, value }) => id && formData.has(name) && formData.get(name) !== value);
});
document.addEventListener("htmx:afterSwap", () => {
  for (const { id, value } of typed) {
    const field = document.getElementById(id);
    if (field) field.value = value;
  }
  typed = [];
});

let state = "", timer = 0;

/** Says above the page how its line is: "away", "late", or "" where all is well. */
export function lineIs(now) {
  const note = document.getElementById("line");
  if (now === state || !note) return;
  state = now;
  clearTimeout(timer);
  if (!now) return note.replaceChildren();
  timer = setTimeout(() => note.replaceChildren(...sentence(now).childNodes), note.textContent ? 0 : CALM);
}

/**
 * Keeps a socket open. `hear` gets what it says; `opened` and `closed` how often it was tried in vain. Returns a
 * function that opens it if it is closed; its `close` closes it if it is open.
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
    // nothing comes any more, and nobody says so: it is let go, without waiting for its end
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
    mine.addEventListener("open", () => {
      if (socket !== mine) return;
      const vain = failures;
      failures = 0;
      waits();
      opened?.(vain);
    });
    mine.addEventListener("message", ({ data }) => {
      if (socket !== mine) return;
      waits();
      hear(JSON.parse(data));
    });
    mine.addEventListener("close", gone);
  }

  connect();
  connect.close = () => socket?.readyState === WebSocket.OPEN && socket.close();
  return connect;
}
