// Prints what ical.js, the parser of Thunderbird's calendar, reads in the calendar that is given.
import { readFileSync } from "node:fs";
import ICAL from "ical.js";

const calendar = new ICAL.Component(ICAL.parse(readFileSync(0, "utf-8")));
const events = calendar.getAllSubcomponents("vevent").map((one) => new ICAL.Event(one));
const name = calendar.getFirstPropertyValue("x-wr-calname");
const read = events.map((event) => ({
  uid: event.uid,
  summary: event.summary,
  begins: event.startDate.toJSDate().toISOString(),
  ends: event.endDate.toJSDate().toISOString(),
  properties: event.component.getAllProperties().map((one) => one.name),
}));
console.log(JSON.stringify({ name, events: read }));
