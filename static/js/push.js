// Pushes to this browser: subscribing, and renewing what the browser or its push service has dropped. That
// happens by itself while the browser still may show notifications, else by a tap on one button.
import { keep, kept } from "./kept.js";
import { within } from "./line.js";

const SUBSCRIPTION = "push"; // the name under which this browser remembers its own: { endpoint, key of the site, bound }
const ADD = "/notices/add/";

export const canPush = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

/** The browser's subscription for this key, after asking its user; it throws where they do not allow it. */
export async function subscribe(key) {
  if ((await Notification.requestPermission()) !== "granted") throw new Error("denied");
  if (!(await navigator.serviceWorker.getRegistration())) await navigator.serviceWorker.register("/sw.js");
  const worker = await navigator.serviceWorker.ready;
  const applicationServerKey = bytes(key);
  const old = await worker.pushManager.getSubscription();
  if (old && !same(old.options.applicationServerKey, applicationServerKey)) await old.unsubscribe();
  return worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}

/** Remembers a subscription that the site knows, and has bound to this browser's session. */
export function remember({ endpoint }, key) {
  keep(SUBSCRIPTION, JSON.stringify({ endpoint, key, bound: true }));
}

/** Gets the buttons of this page ready, renews by itself what was dropped, and clears what was pushed for it. */
export async function look() {
  if (!canPush) return;
  clear().catch(() => {});
  for (const button of document.querySelectorAll("[data-push-renew]")) {
    button.hidden = false;
    button.addEventListener("click", () => renewByTap(button).catch(() => (location.href = "/notices/")));
  }
  for (const form of document.querySelectorAll("form[data-leaves]")) {
    form.addEventListener("submit", () => leave().catch(() => {}));
  }
  if (Notification.permission === "granted") await renewByItself().catch(() => {});
}

async function renewByTap(button) {
  const { pushRenew: renews, push: key } = button.dataset;
  await drop();
  const subscription = await subscribe(key);
  if (!(await send(subscription, { renews }))) throw new Error("not taken");
  remember(subscription, key);
  location.reload();
}

async function renewByItself() {
  const remembered = JSON.parse(kept(SUBSCRIPTION) || "{}");
  const worker = await navigator.serviceWorker.getRegistration();
  const present = await worker?.pushManager.getSubscription();
  const old = remembered.endpoint ?? present?.endpoint;
  if (!old) return;
  const notice = document.querySelector(`[data-push-gone="${await hash(old)}"]`); // the push service has dropped it
  const key = notice?.querySelector("[data-push]")?.dataset.push ?? remembered.key;
  if (!key || (!notice && present?.endpoint === old && remembered.bound)) return;
  if (notice && sessionStorage.getItem(SUBSCRIPTION)) return; // once is enough, if its push service goes on like that
  if (notice) await drop();
  const subscription = (!notice && present) || (await subscribe(key));
  if (!(await send(subscription, { was: old }))) return;
  remember(subscription, key);
  if (!notice) return;
  sessionStorage.setItem(SUBSCRIPTION, old);
  if (notice.matches("p")) notice.remove();
  else location.reload();
}

/** Closes the notifications that lead to this page: its reader needs them no more. */
async function clear() {
  const worker = await navigator.serviceWorker.getRegistration();
  const shown = (await worker?.getNotifications()) ?? [];
  for (const one of shown) if (one.data === location.pathname) one.close();
}

/** Whoever comes next reads nothing that was pushed, and gets no pushes; the site itself sends no more either. */
async function leave() {
  const worker = await navigator.serviceWorker.getRegistration();
  for (const one of (await worker?.getNotifications()) ?? []) one.close();
  await drop();
}

async function drop() {
  const worker = await navigator.serviceWorker.getRegistration();
  await (await worker?.pushManager.getSubscription())?.unsubscribe();
}

/** Sends the subscription; true if the site has taken it. One that belongs to nobody here is forgotten. */
async function send(subscription, more) {
  const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value;
  if (!token) return false;
  const given = { kind: "push", subscription: JSON.stringify(subscription), csrfmiddlewaretoken: token };
  const body = new URLSearchParams({ ...given, ...more });
  const answer = await fetch(ADD, { method: "POST", body, redirect: "manual", signal: within(20_000) });
  if (answer.status === 404) keep(SUBSCRIPTION, "");
  return answer.type === "opaqueredirect";
}

async function hash(text) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const bytes = (text) => {
  const plain = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(plain, (sign) => sign.charCodeAt(0));
};
const same = (one, other) => one && String(new Uint8Array(one)) === String(other);
