// What somebody has chosen in this browser, or has come to: cookies that the site writes (robosite/people/offline.py), since
// some browsers forget after a week whatever only a script has written. Older versions of the site have left some of it
// in the browser's storage.
const YEAR = 366 * 24 * 3600;

/** The value that is kept under a name, or "". */
export function kept(name) {
  const cookie = document.cookie.match(`(?:^|; )${name}=([^;]*)`);
  return cookie ? decodeURIComponent(cookie[1]) : stored((old) => old.getItem(name), "localStorage") ?? "";
}

/** Keeps a value: at once for this browser's next page, and for good once the site has heard of it. */
export function keep(name, value) {
  const secure = location.protocol === "https:" ? ";secure" : "", age = value ? YEAR : 0;
  const text = encodeURIComponent(value), body = new URLSearchParams({ name, value: text });
  document.cookie = `${name}=${text};path=/;max-age=${age};samesite=lax${secure}`;
  stored((old) => old.removeItem(name), "localStorage");
  const headers = JSON.parse(document.body.dataset.hxHeaders);
  fetch("/me/kept/", { method: "POST", body, headers, keepalive: true }).catch(() => {});
}

/** What `does` makes of the storage of this tab, or null where there is none. */
export function stored(does, where = "sessionStorage") {
  try {
    return does(window[where]);
  } catch {
    return null;
  }
}

// ---- what is said aloud, for want of a script of its own: each would be one more request at first sight ----

const MOST = 4; // sentences

/**
 * Says words aloud, in the one polite live region of a page (#says), which no update swaps. What is new is added, so
 * that nothing is lost that has not been read out yet.
 */
export function say(words) {
  const region = document.getElementById("says"), text = words.replace(/\s+/g, " ").trim();
  if (!region || !text) return;
  region.append(Object.assign(document.createElement("div"), { textContent: text }));
  while (region.children.length > MOST) region.firstChild.remove();
}
