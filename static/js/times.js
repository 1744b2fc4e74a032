// Times as the site writes them (people/template_functions.py): in the zone of the device, where the site did not
// know it yet, and what is left until then, minute by minute.
const MINUTE = 60_000;

/** Writes those times of this page anew that are not true here, or not any more. */
function localTimes() {
  for (const element of document.querySelectorAll("time[data-time]")) place(element);
  for (const element of document.querySelectorAll("time[data-left]")) {
    const says = left(Date.parse(element.dateTime) - Date.now(), element.dataset.left.split("|"));
    if (element.textContent !== says) element.textContent = says;
  }
}

function place(element) {
  const time = new Date(element.dateTime);
  const clock = `${time.getHours()}`.padStart(2, "0") + ":" + `${time.getMinutes()}`.padStart(2, "0");
  if (element.textContent.includes(clock)) return;
  const { lang } = document.documentElement;
  const day = time.toLocaleDateString(lang, { weekday: "short", day: "numeric", month: "short" });
  const zone = element.dataset.time ? { timeZoneName: "short" } : {};
  const parts = new Intl.DateTimeFormat(lang, { hour: "numeric", ...zone }).formatToParts(time);
  const named = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  element.textContent = `${day}, ${clock} ${named}`.trim();
}

/** A time that is left, in milliseconds, in the site's words: as `time_left` of robosite/web/sentences.py. */
function left(milliseconds, [frame, d, h, min, isUp]) {
  if (milliseconds <= 0) return isUp;
  const minutes = Math.floor(milliseconds / MINUTE);
  const hours = Math.floor(minutes / 60), days = Math.floor(hours / 24);
  const inDays = [[d, days], [h, days < 10 ? hours % 24 : 0]];
  const counts = days >= 2 ? inDays : [[h, hours], [min, hours < 2 ? minutes % 60 : 0]];
  const told = counts.filter(([, n]) => n);
  if (!told.length) told.push([min, 0]);
  const time = told.map(([words, n]) => words.replace("{n}", n)).join(" ");
  return frame.replace("{time}", time).replaceAll(" ", "\u00a0");
}

localTimes();
document.addEventListener("htmx:afterSettle", localTimes);
setInterval(localTimes, MINUTE / 2);
