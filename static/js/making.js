// The form in which a match is made. All options of a variant have a page of their own, which goes on with what the
// form has already; the name stays in this tab and out of the address.
const TAKEN_ALONG = [
  ...["with", "here", "bot", "deadline", "hour", "days", "reserve", "late", "weekends", "zone"],
  ...["open", "watched", "series"],
];
const NAME = "name of a new match";
const name = document.querySelector("form [name=name]");

document.addEventListener("click", (event) => {
  // the list of other games lies over the form: a tap beside it closes it
  const list = document.querySelector(".which-game[open]");
  if (list && !list.contains(event.target)) list.open = false;
  const again = event.target.closest?.("a.again, .which-game a");
  if (!again) return;
  const given = new FormData(name.form), address = new URL(again.href);
  for (const one of TAKEN_ALONG) if (given.get(one)) address.searchParams.set(one, given.get(one));
  const seats = again.matches(".again") && given.get(`seats-${given.get("preset")}`);
  if (seats) address.searchParams.set("seats", seats);
  again.href = address;
  remember(name.value);
});

if (name && !name.value) name.value = remembered();

function remember(value) {
  try {
    sessionStorage.setItem(NAME, value);
  } catch {
    // No storage: it is typed once more.
  }
}

function remembered() {
  try {
    return sessionStorage.getItem(NAME) ?? "";
  } catch {
    return "";
  }
}

// The options chosen in the details stand in one line above them.
const rest = document.querySelector("details.rest");
rest?.addEventListener("toggle", () => rest.open && rest.scrollIntoView());
rest?.addEventListener("change", () => {
  const set = [...rest.querySelectorAll("[data-says]:checked")].map((one) => one.dataset.says).filter(Boolean);
  rest.querySelector("[data-set]").textContent = set.join(" · ");
});

// Each variant asks for the number of players: another one goes on with the number that was chosen before, if it can.
// It stands below the list of variants, and comes into sight when one of them is chosen.
document.addEventListener("change", ({ target }) => {
  if (target.name?.startsWith("seats-")) spread(target);
  if (target.name !== "preset") return;
  const asked = [...document.querySelectorAll(`[name="seats-${target.value}"]`)].find((one) => one.checkVisibility?.());
  asked?.closest("fieldset, .field, div")?.scrollIntoView({ block: "nearest" });
});

function spread({ name, value }) {
  const others = document.querySelectorAll(`[name^="seats-"][type=radio][value="${CSS.escape(value)}"]`);
  for (const one of others) if (one.name !== name) one.checked = true;
}

const variant = document.querySelector("[name=preset]:checked, [name=preset][type=hidden]")?.value;
const seats = document.querySelector(`[name="seats-${variant}"]:checked`);
if (seats) spread(seats);

// A page that comes back has its answers again: the one that is chosen is to be seen.
addEventListener("pageshow", () => {
  const fold = document.querySelector("[name=preset]:checked")?.closest("details");
  if (fold) fold.open = true;
});
