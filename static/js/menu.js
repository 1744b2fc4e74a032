// The menu of a match (⋯), which live.js loads with the first tap on it: it is fetched each time that it is opened, so
// that it says what is true then. On its own page only what needs a script is made ready here.
import { remember } from "./film.js";
import { keep, kept } from "./kept.js";
import { htmx } from "./line.js";

const menu = document.getElementById("menu");
const says = document.getElementById("says"), main = document.getElementById("main");

/** Opens the menu whose link was tapped. */
export async function open(link) {
  await htmx.ajax("GET", link.href, { source: menu, target: menu, swap: "innerHTML" });
  const styles = menu.querySelector("link");
  if (!styles) return location.assign(link.href);
  if (!styles.sheet) await new Promise((done) => (styles.onload = styles.onerror = done));
  if (!menu.open) menu.showModal();
  menu.append(says); // what lies behind a dialog is not heard
}

function wake(root) {
  for (const settings of root.querySelectorAll("[data-film-settings]")) settings.hidden = false;
  remember(root);
  const box = root.querySelector("[data-page-keys]"); // whether the planner's keys work without its focus (keys.js)
  if (!box) return;
  box.checked = kept("keys") !== "off";
  box.closest("p").hidden = false;
  box.addEventListener("change", () => keep("keys", box.checked ? "" : "off"));
}

function close() {
  menu.close();
  document.getElementById("more")?.focus({ preventScroll: true });
}

/** Shows a part of the match's page that the eye sees only when it is asked for. */
function show(part) {
  if (!part) return false;
  for (let fold = part.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  const to = part.querySelector("input") ?? part.querySelector("summary") ?? part;
  if (part.localName === "a") part.click();
  else to.focus();
  to.scrollIntoView({ block: "center" });
  return true;
}

menu?.addEventListener("click", (event) => {
  const { target } = event;
  if (target === menu || target.closest("[data-close]")) {
    event.preventDefault();
    return close();
  }
  const turn = target.closest("[data-turn-link]"), opens = target.closest("[data-opens]");
  if (turn) {
    event.preventDefault();
    close();
    const detail = { at: turn.dataset.turnLink, playing: "turnPlays" in turn.dataset };
    document.getElementById("film").dispatchEvent(new CustomEvent("film:turn", { bubbles: true, detail }));
  } else if (opens) {
    const part = document.querySelector(`#live ${opens.dataset.opens}`);
    if (!part) return;
    event.preventDefault();
    menu.close();
    show(part);
  }
});
menu?.addEventListener("close", () => {
  main.before(says);
  menu.replaceChildren(); // it may tell secrets, and old news
});
// what is sent from here changes the page below, and so it is to be seen
menu?.addEventListener("htmx:afterRequest", ({ target }) => target !== menu && close());
menu?.addEventListener("htmx:afterSettle", ({ target }) => target === menu && wake(menu));

if (!menu) wake(document);
