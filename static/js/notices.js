// Asks the browser whether it takes pushes, and hands its address to the form.
const form = document.querySelector("[data-push]");
const button = form?.querySelector("button");

if (form && "serviceWorker" in navigator && "PushManager" in window && "Notification" in window) {
  button.hidden = false;
  form.querySelector("[data-push-no]").hidden = true;
  button.addEventListener("click", (event) => {
    event.preventDefault();
    subscribe().catch(() => (form.querySelector("[data-push-denied]").hidden = false));
  });
}

async function subscribe() {
  if ((await Notification.requestPermission()) !== "granted") throw new Error("denied");
  if (!(await navigator.serviceWorker.getRegistration())) await navigator.serviceWorker.register("/sw.js");
  const worker = await navigator.serviceWorker.ready;
  const key = bytes(form.dataset.push);
  const old = await worker.pushManager.getSubscription();
  if (old && !same(old.options.applicationServerKey, key)) await old.unsubscribe();
  const wanted = { userVisibleOnly: true, applicationServerKey: key };
  const subscription = await worker.pushManager.subscribe(wanted);
  form.elements.subscription.value = JSON.stringify(subscription);
  form.submit();
}

const bytes = (text) => {
  const plain = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(plain, (sign) => sign.charCodeAt(0));
};
const same = (one, other) => one && String(new Uint8Array(one)) === String(other);
