// What somebody has typed and not sent: this tab has it again when its page comes again, since phones forget pages that
// nobody looks at. It is for whoever has typed it, at this address, in this field, and is gone once it is sent.
import { stored } from "./kept.js";

const PREFIX = "words ", SENT = "sent words";
const FIELDS = "form[method=post] :is(textarea, input:not([type]), input[type=text], input[type=url], input[type=email])";
const { guest } = document.body.dataset;

/** The name of a field's words; `data-words` says more, or "no" where nothing is kept. */
const keyOf = (path, { name, dataset }) => `${PREFIX}${guest} ${path} ${name} ${dataset.words ?? ""}`;
const pathOf = ({ form }) => new URL(form.getAttribute("action"), location.href).pathname;
const fields = () => [...document.querySelectorAll(FIELDS)].filter((one) => one.name && one.dataset.words !== "no");

/** Keeps what a field holds. */
function keep(target) {
  if (!target.matches?.(FIELDS) || target.dataset.words === "no") return;
  const { value, defaultValue: was } = target, key = keyOf(pathOf(target), target);
  stored((storage) => (value === was ? storage.removeItem(key) : storage.setItem(key, JSON.stringify({ value, was }))));
}
addEventListener("input", ({ target }) => keep(target));

/** Puts the words back, unless the site has others there by now. */
function restore() {
  for (const field of fields()) {
    const { value, was } = stored((storage) => JSON.parse(storage.getItem(keyOf(pathOf(field), field)))) ?? {};
    if (value === undefined || field.value !== field.defaultValue) continue;
    if (field.value && field.value !== was) continue;
    field.value = value;
    const folded = field.closest("details:not([open])");
    if (folded) folded.open = true;
  }
}

const isSame = (sent, value) => sent?.replaceAll("\r", "") === value.replaceAll("\r", "");

/** Forgets what a form has sent, but not what was typed since. */
function forget(path, sent) {
  stored((storage) => {
    for (const key of Object.keys(storage)) {
      const [name] = key.startsWith(`${PREFIX}${guest} ${path} `) ? key.split(" ").slice(-2) : [];
      if (name && isSame(sent.get(name), JSON.parse(storage.getItem(key)).value)) storage.removeItem(key);
    }
  });
}

document.addEventListener("htmx:beforeSwap", ({ detail: { xhr, requestConfig } }) => {
  const { verb, path, formData } = requestConfig;
  if (verb === "post" && xhr.status < 400) forget(new URL(path, location.href).pathname, formData);
});
document.addEventListener("htmx:afterSwap", restore);

// A form that brings another page has been sent once that is there; one whose answer was lost is seen again.
addEventListener("submit", ({ target, defaultPrevented }) => {
  if (defaultPrevented || target.method !== "post") return;
  const sent = [pathOf({ form: target }), [...new FormData(target)].filter(([, value]) => typeof value === "string")];
  stored((storage) => storage.setItem(SENT, JSON.stringify(sent)));
});

stored((storage) => {
  const [path, sent] = JSON.parse(storage.getItem(SENT)) ?? [];
  storage.removeItem(SENT);
  const [{ type, responseStatus = 200 } = {}] = performance.getEntriesByType("navigation");
  if (path && type === "navigate" && responseStatus < 400) forget(path, new Map(sent));
  // what was typed before this script came
  for (const field of fields()) if (field.value !== field.defaultValue) keep(field);
  // nobody is shown what somebody else has typed
  for (const key of Object.keys(storage)) {
    if (key.startsWith(PREFIX) && !key.startsWith(`${PREFIX}${guest} `)) storage.removeItem(key);
  }
});
restore();
