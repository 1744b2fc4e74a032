// A picture to share (<a data-picture data-name>): it is given to the device's own sheet for sharing where there is one,
// and is saved else. A line beside the link says what happens, where the link has words for it. Without this, the link
// saves it.
import { say as sayAloud } from "./kept.js";
import { within } from "./line.js";

const LONG = 30_000; // milliseconds after which a picture is given up

/** Shares the picture to which a link leads, or saves it. */
export async function give(link) {
  const kind = link.href.match(/\.(\w+)$/)[1], type = `image/${kind}`, { comes, saved, lost } = link.dataset;
  say(link, comes);
  let file;
  try {
    const answer = await fetch(link.href, { signal: within(LONG) });
    if (!answer.ok) throw new Error(answer.status);
    file = new File([await answer.blob()], `${link.dataset.name}.${kind}`, { type });
  } catch {
    return say(link, lost);
  }
  if (await isShared(file)) return say(link);
  save(file);
  say(link, saved);
}

/** True if the sheet for sharing was there, also if somebody has closed it. */
async function isShared(file) {
  if (!navigator.canShare?.({ files: [file] })) return false;
  try {
    await navigator.share({ files: [file], title: document.title });
    return true;
  } catch (fault) {
    return fault.name === "AbortError";
  }
}

function save(file) {
  const address = URL.createObjectURL(file);
  Object.assign(document.createElement("a"), { href: address, download: file.name }).click();
  setTimeout(() => URL.revokeObjectURL(address), LONG);
}

function say(link, words = "") {
  const note = link.parentElement.querySelector("[data-said]");
  if (note) note.textContent = words;
  sayAloud(words);
}
