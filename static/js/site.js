// The script of every page: copying, sharing, films, forms that are under way, and the scripts that
// only some pages or guests need. It has no state. Without it, everything still works.
import { prepare } from "./film.js";
import { kept, stored, say as sayAloud } from "./kept.js";

// Copying needs https or localhost; otherwise the text is selected and the person told how to go on.
async function copy(button) {
  const source = document.querySelector(button.dataset.copy);
  const { only } = button.dataset;
  const text = only ? new URL(only, location.href).href : source.value ?? source.textContent.trim();
  try {
    await navigator.clipboard.writeText(text);
    say(button, button.dataset.copied ?? document.body.dataset.copied);
  } catch {
    if (source.select) source.select();
    else getSelection().selectAllChildren(source);
    say(button, document.body.dataset.selected);
  }
}

function say(button, words) {
  let note = button.parentElement.querySelector("[data-said]");
  if (!note) {
    note = document.createElement("span");
    note.dataset.said = "";
    note.className = "said";
    button.after(note);
  }
  note.textContent = words;
  sayAloud(words);
  setTimeout(() => note.remove(), 6000);
}

function share(button) {
  const url = new URL(button.dataset.url || location.href, location.href).href;
  const { title = document.title, text } = button.dataset;
  navigator.share({ url, title, text }).catch(() => {});
}

/**
 * Get `root` ready: the buttons that need JavaScript appear, films stop at the frame that is shown, and what the page, or
 * a part of it, has come to say ([data-news]) is said aloud.
 */
export function wake(root = document) {
  for (const one of [root, ...root.querySelectorAll("[data-news]")]) {
    if (!one.matches?.("[data-news]")) continue;
    one.removeAttribute("data-news");
    setTimeout(() => sayAloud(one.innerText), 500); // with what parts its paragraphs
  }
  for (const button of root.querySelectorAll("[data-copy]")) {
    button.hidden = "unshared" in button.dataset && !!navigator.share;
    if ("main" in button.dataset && !navigator.share) button.className = "primary";
  }
  for (const button of root.querySelectorAll("[data-share]")) button.hidden = !navigator.share;
  prepare(root);
}

document.addEventListener("click", (event) => {
  press(event);
  sharePicture(event);
});

function press(event) {
  const button = event.target.closest?.("[data-copy], [data-share], [data-hear]");
  if (!button) return;
  if ("hear" in button.dataset) return import("./senses.js").then(({ turn }) => turn(), () => {});
  if ("copy" in button.dataset) copy(button);
  else share(button);
}

// Links to pictures (<a data-picture href=".../3.2.png">) follow the film; where a browser can share files, a
// PNG or GIF is shared.
document.addEventListener("film:step", ({ target, detail }) => {
  const page = target.closest(".page") ?? document;
  for (const link of page.querySelectorAll("a[data-picture]")) {
    link.href = link.getAttribute("href").replace(/\.\d+\.(png|svg)/, `.${detail.number}.$1`);
  }
});

// A new tab, or a file, for whoever asks for that; and where the script does not come.
function sharePicture(event) {
  const link = event.target.closest?.("a[data-picture][data-name]");
  if (!link || !navigator.canShare && !link.dataset.saved || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  import("./picture.js").then(({ give }) => give(link), () => location.assign(link.href));
}

// A form that is under way is not sent twice: until its page is seen again, or the answer takes very long. The
// server knows it by its token (people/sent_forms.py). Back on a page that was asked for anew, a form that has
// made something is that same form still.
const TOKEN = "[name=csrfmiddlewaretoken]", LONG = 10_000;

// On the window: by then every other script has said whether it sends the form itself.
addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (event.defaultPrevented || form.method !== "post") return;
  if (form.hasAttribute("aria-busy")) return event.preventDefault();
  form.setAttribute("aria-busy", "true");
  submitter?.toggleAttribute("data-sent", true);
  submitter?.setAttribute("aria-disabled", "true");
  setTimeout(mayBeSent, LONG, form);
  if ("makes" in form.dataset) {
    history.replaceState({ ...history.state, form: form.querySelector(TOKEN).value }, "");
  }
  if (submitter?.matches(":focus-visible")) stored((storage) => storage.setItem("sent by key", "1"));
});

// Whoever has sent a form by keys goes on at the heading of the page that answers, or of what came of it
// ([data-outcome]), as how a match ended; one that goes on has its own ways.
function goOnByKeys() {
  const sent = stored((storage) => storage.getItem("sent by key")), outcome = document.querySelector("[data-outcome]");
  const heading = outcome ?? (document.querySelector("[autofocus], .to-turn") ? null : document.querySelector("main h1"));
  stored((storage) => storage.removeItem("sent by key"));
  if (!sent || !heading || location.hash || document.activeElement !== document.body) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

function mayBeSent(form) {
  form.removeAttribute("aria-busy");
  for (const button of form.querySelectorAll("[data-sent]")) {
    button.removeAttribute("data-sent");
    button.removeAttribute("aria-disabled");
  }
}

for (const name of ["htmx:load", "htmx:afterSwap"]) {
  document.addEventListener(name, (event) => wake(event.target.querySelectorAll ? event.target : document));
}
// Browsers that go back show a page as it was left; one that lists what waits is asked for again, unless it is My games
// as it stood, which asks for itself (games.js).
addEventListener("pageshow", ({ persisted }) => {
  const back = persisted || performance.getEntriesByType("navigation")[0]?.type === "back_forward";
  const { form, reloaded, ...state } = history.state ?? {};
  for (const sent of document.querySelectorAll("form[aria-busy]")) mayBeSent(sent);
  if (form && (back || reloaded)) {
    for (const token of document.querySelectorAll(`[data-makes] ${TOKEN}`)) token.value = form;
  }
  if (reloaded) history.replaceState({ ...state, form }, "");
  if (back && document.querySelector(persisted ? ".greeting" : ".games.mine, .greeting")) {
    if (form) history.replaceState({ ...state, form, reloaded: true }, "");
    location.reload();
  }
  if (persisted && isSecret) location.reload();
});
// A page with a secret that comes back from the browser's memory may be behind another player's curtain by now, or
// somebody else may be at the browser: nothing of it is seen before it has been asked for again.
const isSecret = "secret" in document.body.dataset;
if (isSecret) addEventListener("pagehide", (event) => (document.body.hidden = event.persisted));
// Pages that the server sends next show times in this zone.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const secure = location.protocol === "https:" ? ";secure" : "";
if (zone && kept("zone") !== zone) document.cookie = `zone=${zone};path=/;max-age=31536000;samesite=lax${secure}`;
wake();
goOnByKeys();
if (document.querySelector("time")) import("./times.js").catch(() => {});
// Sounds and vibration are for those who have asked for them (settings.js, senses.js).
if (kept("sounds") || kept("vibration")) import("./senses.js").catch(() => {});
// A browser that takes pushes looks after its subscription (push.js).
if (kept("push") || document.querySelector("[data-push-renew]")) {
  import("./push.js").then(({ look }) => look(), () => {});
}
// So are boards that are kept for when there is no network (offline.js).
if (kept("offline")) import("./offline.js").catch(() => {});
const { guest } = document.body.dataset;
// the page names whose it is, so that nobody has another one's boards (sw.js)
if (guest !== undefined) navigator.serviceWorker?.controller?.postMessage({ guest });
// What was typed and not sent is there again (words.js): at once if anything is kept, else the script comes a little later.
if (guest !== undefined) {
  const words = () => import("./words.js").catch(() => {});
  if (stored(Object.keys)?.some((key) => /^(sent )?words\b/.test(key))) words();
  else for (const type of ["focusin", "load"]) addEventListener(type, () => setTimeout(words, type === "load" ? 2000 : 0));
}
// An app on the home screen shows how many matches wait; games.js keeps the number right while the page is open.
const waits = document.querySelector(".waiting");
navigator.setAppBadge?.(parseInt(waits?.textContent) || 0).catch(() => {});
if (waits) setTimeout(() => import("./games.js").catch(() => {}), 3000);

// A first page has its styles in it (robosite/web/first_sight.py); the next one leads to them.
addEventListener("load", () => setTimeout(fetchFiles, 1000));
function fetchFiles() {
  for (const { dataset } of document.querySelectorAll("head [data-file]")) {
    fetch(dataset.file, { priority: "low" }).catch(() => {});
  }
}
