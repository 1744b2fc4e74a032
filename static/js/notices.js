// Pushes on the page of notices: a browser that can take them gets its button; in others a hint says why not, and
// which one can.
import { canPush, remember, subscribe } from "./push.js";

const form = document.querySelector("form[data-push]");
const apple = /iPhone|iPad|iPod/.test(navigator.userAgent)
  || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);
const installed = navigator.standalone === true || matchMedia("(display-mode: standalone)").matches;

/** Shows one of the hints, or none. */
function hint(name) {
  for (const one of form.querySelectorAll("[data-push-hint]")) one.hidden = one.dataset.pushHint !== name;
}

/** Says how to allow notifications again. */
const denied = () => hint(apple && installed ? "denied-app" : "denied");

if (form) {
  const button = form.querySelector("button");
  button.hidden = !canPush;
  if (!canPush) hint(!apple ? "no" : installed ? "old" : "install");
  else if (Notification.permission === "denied") denied();
  else hint("");
  button.addEventListener("click", (event) => {
    event.preventDefault();
    add().catch(denied);
  });
}

async function add() {
  const subscription = await subscribe(form.dataset.push);
  form.elements.subscription.value = JSON.stringify(subscription);
  remember(subscription, form.dataset.push);
  form.submit();
}
