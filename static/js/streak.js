// The number of days in a row on which a puzzle of the day was solved, whatever zones somebody travels through. A
// `progress` has the last such day, as a number, the zone in which one was solved last, and how many there were in a
// row.
import { now as present } from "./clock.js";

/** The number of the day in a zone, as Python's date.toordinal counts; NaN where there is no such zone. */
export function dayIn(zone, now = present()) {
  try {
    const here = new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
      timeZone: zone || undefined, year: "numeric", month: "numeric", day: "numeric",
    });
    const part = Object.fromEntries(here.formatToParts(now).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(part.year, part.month - 1, part.day) / 86_400_000 + 719_163;
  } catch {
    return NaN;
  }
}

/**
 * True if `day` is one of the row, or the one after it. Eastwards a day of the calendar may pass in the air: by
 * the clock of the last zone it is the next day still.
 */
export const isOn = (progress, day, now = present()) =>
  day <= progress.day + 1 || dayIn(progress.zone, now) <= progress.day + 1;

/** The row after one of the day's puzzles was solved: no day counts twice, also westwards, where it comes again. */
export function counted(progress, day, zone, now = present()) {
  if (!day) return progress;
  if (day <= progress.day) return { ...progress, zone };
  return { ...progress, day, zone, streak: isOn(progress, day, now) ? progress.streak + 1 : 1 };
}
