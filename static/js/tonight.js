// An evening of a league: shows the film, and the step of it, that everybody sees now. Both follow from the time
// since the first film began, by the site's clock. Readers who take the film into their own hands leave the others,
// and may come back; those who come late may begin at the beginning, at a time of their own.
import { learnt, now as present } from "./clock.js";
import { current, last, pause, prepare, show } from "./film.js";
import { say } from "./kept.js";
import { htmx } from "./line.js";

const STEP = 1.8, OPENING = 2; // seconds: of a step, and before the first one
const LATE = 15; // seconds within which all open pages ask for a new evening
const page = document.querySelector("[data-tonight]");
const given = Object.fromEntries(Object.entries(page.dataset).map(([name, value]) => [name, Number(value)]));
const now = () => present() / 1000;
const says = page.querySelector("[data-says]");
const together = page.querySelector("[data-together]");
const asked = new URLSearchParams(location.search).has("film");
const reloads = given.next - LATE * (1 + Math.random());

const evening = {
  isEarly: false, // else the evening is about to begin, with all that is here
  begins: given.begins, // of the first film for this reader; null while they watch at their own pace
  isLoading: false, // another film is being fetched
  told: "", // what it says of this, without a number
};

const stage = () => document.getElementById("stage");
const ends = (since) => since + given.films * given.slot;

function tell(words, n) {
  const text = words.replace("{n}", n);
  if (says.textContent === text) return;
  says.textContent = text;
  if (words !== evening.told) say(text); // and not each second
  evening.told = words;
}

async function load(number) {
  evening.isLoading = true;
  try {
    await htmx.ajax("GET", `${location.pathname}?film=${number}`, { target: "#stage", swap: "outerHTML" });
    for (const link of page.querySelectorAll("[data-film-number]")) {
      if (Number(link.dataset.filmNumber) === number) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    prepare(stage());
  } finally {
    evening.isLoading = false;
  }
}

/** Brings the stage to where the film is now. */
function follow() {
  const { begins } = evening, since = now() - begins;
  if (since < 0) return tell(says.dataset.waits, Math.ceil(-since));
  const number = Math.min(Math.floor(since / given.slot) + 1, given.films);
  if (Number(stage().dataset.number) !== number) return evening.isLoading || load(number);
  const film = stage(), steps = last(film), within = since - (number - 1) * given.slot;
  const pace = Math.min(STEP, (given.slot - OPENING) / (steps + 1));
  const step = Math.max(0, Math.min(steps, Math.floor((within - OPENING) / pace) + 1));
  if (step !== current(film)) show(film, step, { cut: step !== current(film) + 1 });
  tell(now() >= ends(begins) ? says.dataset.done : begins === given.begins ? says.dataset.runs : says.dataset.alone);
}

function look() {
  if (evening.isEarly && now() >= reloads) return location.replace(location.pathname);
  if (given.films) together.hidden = evening.begins === given.begins || now() >= ends(given.begins);
  if (given.films && evening.begins) follow();
}

/** The reader takes the film into their own hands. */
function leave() {
  evening.begins = null;
  tell(says.dataset.alone);
}

if (given.films) {
  page.addEventListener("click", (event) => {
    const at = (selector) => event.target.closest(selector);
    const link = at("[data-film-number]");
    if (link) {
      event.preventDefault();
      leave();
      load(Number(link.dataset.filmNumber));
    } else if (at("#stage :is([data-back], [data-play], [data-forward], [data-tick])")) leave();
    else if (at("[data-together], [data-from-start]")) {
      pause(stage());
      evening.begins = at("[data-together]") ? given.begins : now();
      look();
    }
  });
  page.addEventListener("keydown", ({ key, target }) => {
    if (/^(Arrow|Home|End| )/.test(key) && target.closest("#stage")) leave();
  });
}

// all pages have the same time only once they know the site's
learnt().then(() => {
  evening.isEarly = now() < reloads;
  if (given.films) page.querySelector("[data-follow]").hidden = false;
  if (given.films && (asked || now() >= ends(given.begins))) leave();
  look();
  setInterval(look, 250);
});
