// Times as the site writes them (people/zones.py: date_and_time): in the zone of the device, where the site did not
// know it yet, and what is left until then, in the last minutes second by second.
import { learnt, now } from "./clock.js";

const MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR;

const MONTHS = { "Apr.": "April", sept: "sep" }; // that browsers abbreviate otherwise than the site

const clock = {
  timer: 0, // of the next time at which they are looked at
};

/** Writes those times of this page anew that are not true here, or not any more. */
function localTimes() {
  for (const element of document.querySelectorAll("time[data-time]")) place(element);
  learnt().then(countDown);
}

function countDown() {
  let soon = false;
  for (const element of document.querySelectorAll("time[data-left]")) {
    const seconds = Math.ceil((Date.parse(element.dateTime) - now()) / 1000);
    const says = left(seconds, element.dataset.left.split("|"), "brief" in element.dataset);
    if (seconds > 0 && seconds < 3 * MINUTE) {
      soon = true;
      element.setAttribute("aria-live", "off"); // a screen reader does not read out each second
    }
    if (element.textContent !== says) element.textContent = says;
  }
  clearTimeout(clock.timer);
  clock.timer = setTimeout(countDown, soon ? 1000 : 30_000);
}

function place(element) {
  const time = new Date(element.dateTime);
  const clock = `${time.getHours()}`.padStart(2, "0") + ":" + `${time.getMinutes()}`.padStart(2, "0");
  if (element.textContent.includes(clock)) return;
  const { lang } = document.documentElement;
  const { weekday, day, month } = written(time, lang, { weekday: "short", day: "numeric", month: "short" });
  const on = `${weekday}${lang === "de" ? "," : ""} ${day}${lang === "de" ? "." : ""} ${MONTHS[month] ?? month}`;
  const zone = element.dataset.time ? { timeZoneName: "short" } : {};
  const { timeZoneName = "" } = written(time, lang, { hour: "numeric", ...zone });
  element.textContent = `${on}, ${clock} ${timeZoneName}`.trim();
}

/** The parts of a time in a language, by their names. */
function written(time, lang, options) {
  const parts = new Intl.DateTimeFormat(lang, options).formatToParts(time);
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

/** A time that is left, in seconds, in the site's words: as `time_left` of robosite/web/sentences.py. */
function left(seconds, [frame, d, h, min, isUp, s], brief) {
  if (seconds <= 0) return isUp;
  const times = units(seconds, d, h, min, s).filter(([, n]) => n).map(([words, n]) => words.replace("{n}", n));
  const says = brief ? times[0] : frame.replace("{time}", times.join(" "));
  return says.replaceAll(" ", "\u00a0");
}

/** The units that tell this number of seconds, never less than there are, each with its number. */
function units(seconds, d, h, min, s) {
  const days = Math.ceil(seconds / DAY), hours = Math.ceil(seconds / HOUR), minutes = Math.ceil(seconds / MINUTE);
  if (seconds >= 10 * DAY) return [[d, days]];
  if (seconds > 2 * DAY - HOUR) return [[d, Math.floor(hours / 24)], [h, hours % 24]];
  if (seconds > 12 * HOUR - MINUTE) return [[h, hours]];
  if (seconds > 2 * MINUTE - 1) return [[h, Math.floor(minutes / 60)], [min, minutes % 60]];
  return [[min, Math.floor(seconds / MINUTE)], [s, seconds % MINUTE]];
}

localTimes();
for (const name of ["htmx:afterSettle", "visibilitychange"]) document.addEventListener(name, localTimes);
