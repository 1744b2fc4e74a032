// What was just played in a lesson plays by itself, once, unless somebody wants no motion or has asked for a
// step.
import { play } from "./film.js";

const film = document.querySelector("[data-film][data-plays]");
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
if (film && !still && !new URLSearchParams(location.search).has("step")) play(film);
