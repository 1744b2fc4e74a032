// The form in which a match is made. All options of a variant have a page of their own, which goes on with what the
// form has already, and so has another game; the name stays in this tab (words.js) and out of the address, and so do each
// game's variant and number of players until one comes back to it.
import { stored } from "./kept.js";

const TAKEN_ALONG = [
  ...["with", "here", "bot", "deadline", "hour", "days", "reserve", "late", "weekends", "zone"],
  ...["watched", "series", "kept"],
];
const name = document.querySelector("form [name=name]");

document.addEventListener("click", (event) => {
  // the list of other games lies over the form: a tap beside it closes it
  const list = document.querySelector(".which-game[open]");
  if (list && !list.contains(event.target)) list.open = false;
  const again = event.target.closest?.("a.again, .which-game a");
  if (!again) return;
  const given = new FormData(name.form);
  const address = new URL(again.href);
  const kept = [...TAKEN_ALONG.map((one) => [one, given.get(one)]), ...Object.entries(variantAndSeats(again, given))];
  for (const [one, value] of kept) if (value) address.searchParams.set(one, value);
  again.href = address;
});

/** What goes on with a link: the seats to the options of a variant, what was chosen there last to another game. */
function variantAndSeats(link, given) {
  if (link.matches(".again")) return { seats: given.get(`seats-${given.get("preset")}`) };
  return chosenBefore(link.pathname);
}

const chosenBefore = (path) => JSON.parse(stored((storage) => storage.getItem(path)) ?? "{}");

addEventListener("pagehide", () => {
  const given = new FormData(name.form), preset = given.get("preset");
  const choice = JSON.stringify({ preset, seats: given.get(`seats-${preset}`) });
  if (preset && preset !== "mix") stored((storage) => storage.setItem(location.pathname, choice));
});

// The options chosen in the details stand in one line above them.
const rest = document.querySelector("details.rest");
rest?.addEventListener("change", () => {
  const set = [...rest.querySelectorAll("[data-says]:checked")].map((one) => one.dataset.says).filter(Boolean);
  rest.querySelector("[data-set]").textContent = set.join(" · ");
});

// Each variant asks for the number of players: another one goes on with the number that was chosen before, if it can.
const chosenVariant = () => document.querySelector("[name=preset]:checked");

document.addEventListener("change", ({ target }) => {
  if (target.name?.startsWith("seats-")) {
    const [, variant, value] = target.value.match(/(.+)-(\d+)$/) ?? [];
    if (variant) {
      target.value = [...target.options].find((one) => one.defaultSelected)?.value ?? target.options[0].value;
      return chooseVariant(variant, value);
    }
    spread(target.name, target.value);
  }
  offerPair();
});

function spread(from, value) {
  for (const one of document.querySelectorAll('select[name^="seats-"]')) {
    if (one.name !== from && [...one.options].some((option) => option.value === value)) one.value = value;
  }
}

/** Chooses the variant that a number of players is meant for. */
function chooseVariant(key, value) {
  const variant = document.querySelector(`[name=preset][value="${CSS.escape(key)}"]`);
  variant.closest("details").open = true;
  variant.checked = true;
  spread("", value);
  variant.focus({ preventScroll: true });
  variant.dispatchEvent(new Event("change", { bubbles: true }));
}

/** A pair of matches is for two players: with more, it is not offered. */
function offerPair() {
  const pair = document.querySelector("[name=series][value=pair]");
  if (!pair) return;
  const numbers = [...document.querySelectorAll('select[name^="seats-"]')];
  const asked = numbers.find((one) => one.getClientRects().length); // of the chosen variant
  const answer = pair.closest(".answer");
  answer.hidden = Boolean(asked) && asked.value !== "2";
  // as if somebody had chosen it: the line above says so
  if (answer.hidden && pair.checked) pair.form.querySelector('[name=series][value=""]').click();
}

// Whoever comes back without an answer in the address finds the variant as it was left in this tab.
const before = new URLSearchParams(location.search).has("preset") ? {} : chosenBefore(location.pathname);
const left = before.preset && document.querySelector(`[name=preset][value="${CSS.escape(before.preset)}"]`);
if (left) left.checked = true;
if (left && before.seats) spread("", before.seats);

const variant = document.querySelector("[name=preset]:checked, [name=preset][type=hidden]")?.value;
const seats = document.querySelector(`select[name="seats-${variant}"]`);
if (seats) spread(seats.name, seats.value);
offerPair();

// The zone of this browser for a new table, where the server did not know it yet and nobody has chosen one.
const zones = document.getElementById("zone");
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
const showZone = () => (document.querySelector("[data-here]").textContent = zones.value);

if (zones && "zone" in zones.dataset && here) {
  if (![...zones.options].some((option) => option.value === here)) zones.add(new Option(here));
  zones.value = here;
  showZone();
}
zones?.addEventListener("change", showZone);

// A page that comes back has its answers again: the one that is chosen is to be seen.
addEventListener("pageshow", () => {
  const fold = chosenVariant()?.closest("details");
  if (fold) fold.open = true;
});

// A choice in a fold belongs to the group above it, so the Tab key alone would pass it by.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Tab" || event.shiftKey || !event.target.matches("details.others[open] > summary")) return;
  const first = event.target.parentElement.querySelector("input[type=radio]");
  if (first) event.preventDefault();
  first?.focus();
});
