// Pushes to this browser: subscribing, and renewing what the browser or its push service has dropped. That
// happens by itself while the browser still may show notifications, else by a tap on one button.
const KEPT = "push"; // under which this browser remembers its subscription: its address, and the site's key
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

/** Remembers a subscription that the site has been told. */
export function remember({ endpoint }, key) {
  try {
    localStorage.setItem(KEPT, JSON.stringify({ endpoint, key }));
  } catch {
    // no storage: nothing is renewed by itself
  }
}

/** Gets the buttons of this page ready, renews by itself what was dropped, and clears what was pushed for it. */
export async function look() {
  if (!canPush) return;
  clear().catch(() => {});
  for (const button of document.querySelectorAll("[data-push-renew]")) {
    button.hidden = false;
    button.addEventListener("click", () => renewByTap(button).catch(() => (location.href = "/notices/")));
  }
  if (Notification.permission === "granted") await renewByItself().catch(() => {});
}

async function renewByTap(button) {
  const { pushRenew: renews, push: key } = button.dataset;
  await drop();
  const subscription = await subscribe(key);
  if (!(await tell(subscription, { renews }))) throw new Error("not taken");
  remember(subscription, key);
  location.reload();
}

async function renewByItself() {
  const kept = JSON.parse(localStorage.getItem(KEPT)) ?? {};
  const worker = await navigator.serviceWorker.getRegistration();
  const present = await worker?.pushManager.getSubscription();
  const was = kept.endpoint ?? present?.endpoint;
  if (!was) return;
  const gone = document.querySelector(`[data-push-gone="${await hash(was)}"]`);
  const key = gone?.querySelector("[data-push]")?.dataset.push ?? kept.key;
  if (!key || (!gone && present?.endpoint === was)) return;
  if (gone && sessionStorage.getItem(KEPT)) return; // once is enough, if its push service goes on like that
  if (gone) await drop();
  const subscription = (!gone && present) || (await subscribe(key));
  if (!(await tell(subscription, { was }))) return;
  remember(subscription, key);
  if (!gone) return;
  sessionStorage.setItem(KEPT, was);
  if (gone.matches("p")) gone.remove();
  else location.reload();
}

/** Whoever looks at a page needs no notification any more that leads to it. */
async function clear() {
  const worker = await navigator.serviceWorker.getRegistration();
  const shown = (await worker?.getNotifications()) ?? [];
  for (const one of shown) if (one.data === location.pathname) one.close();
}

async function drop() {
  const worker = await navigator.serviceWorker.getRegistration();
  await (await worker?.pushManager.getSubscription())?.unsubscribe();
}

/** Whether the site has taken the subscription; one that belongs to nobody here is forgotten. */
async function tell(subscription, more) {
  const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value;
  if (!token) return false;
  const given = { kind: "push", subscription: JSON.stringify(subscription), csrfmiddlewaretoken: token };
  const body = new URLSearchParams({ ...given, ...more });
  const answer = await fetch(ADD, { method: "POST", body, redirect: "manual", signal: AbortSignal.timeout(20_000) });
  if (answer.status === 404) localStorage.removeItem(KEPT);
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
