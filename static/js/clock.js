// The time by the site's clock, since that of a device may be hours wrong. Each answer of the site says when it was sent,
// and what is learnt from one is kept for this tab: a page may come from a cache, with an old answer.
import { stored } from "./kept.js";

const KEY = "clock ahead";
const CLOSE = 1500; // milliseconds: answers name whole seconds, and take their time
const PATIENCE = 3000; // milliseconds after which the page goes on with what it knows

const clock = {
  ahead: Number(stored((storage) => storage.getItem(KEY))), // milliseconds by which the site's clock is ahead of the device's
  asked: null, // the promise of the answer that was asked for last
};

/** The present time, in milliseconds. */
export const now = () => Date.now() + clock.ahead;

/** Sets the clock by the `Date` of an answer that has just come. */
export function set(date) {
  const ahead = Date.parse(date) + 500 - Date.now();
  if (!(Math.abs(ahead - clock.ahead) > CLOSE)) return;
  clock.ahead = Math.abs(ahead) > CLOSE ? ahead : 0;
  stored((storage) => storage.setItem(KEY, clock.ahead));
}

async function ask() {
  try {
    set((await fetch("/healthz", { method: "HEAD", cache: "no-store" })).headers.get("Date"));
  } catch {
    // There is no network: the clock stays as it is.
  }
}

/** Settles once the clock has been set on this page, or cannot be for now. */
export function learnt() {
  clock.asked ??= ask();
  return Promise.race([clock.asked, new Promise((done) => setTimeout(done, PATIENCE))]);
}

// somebody who looks at the page again may have set the device's clock meanwhile
document.addEventListener("visibilitychange", () => document.hidden || (clock.asked = ask()));
