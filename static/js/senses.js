// For readers who have asked for it, beside a film or at "You": the film is heard, and the reveal of a turn is
// felt. Loaded for them alone (site.js). Every sound is made here, out of an oscillator or of noise.
import { keep, kept } from "./kept.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** True if "sounds" or "vibration" has been asked for in this browser. */
export const wanted = (what) => kept(what) === "on";

const SENSES = ["sounds", "vibration"];
const LOUDSPEAKER = "M3 9v6h4l5 4V5L7 9z", WAVES = "M15 9a4 4 0 0 1 0 6m3-9a8 8 0 0 1 0 12";

/** The button beside a film keeps the wish for both, or for neither. The sample sounds in the tap that asks. */
export function turn() {
  const both = !SENSES.some(wanted);
  for (const what of SENSES) keep(what, both ? "on" : "");
  mark();
  if (both) SENSES.forEach(sample);
}

/** Each button beside a film says whether it is on: with waves in front of the loudspeaker. */
function mark() {
  for (const button of document.querySelectorAll("[data-hear]")) {
    const on = SENSES.some(wanted);
    button.setAttribute("aria-pressed", on);
    button.querySelector("path").setAttribute("d", on ? LOUDSPEAKER + WAVES : LOUDSPEAKER);
  }
}
for (const name of ["htmx:load", "htmx:afterSwap"]) document.addEventListener(name, mark);

const sound = {
  speaker: null, // an AudioContext: browsers let a page be heard once somebody has touched it
};

function listen() {
  if (wanted("sounds")) sound.speaker ??= new AudioContext();
}
for (const name of ["click", "keydown"]) document.addEventListener(name, listen, { capture: true });

/** A gain that fades away from `loud`, `after` so many seconds, within `seconds`: { gain, at, until }. */
function fading(loud, after, seconds) {
  const { speaker } = sound, at = speaker.currentTime + after;
  const gain = new GainNode(speaker, { gain: 0 });
  gain.gain.setValueAtTime(loud, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + seconds);
  gain.connect(speaker.destination);
  return { gain, at, until: at + seconds };
}

function tone(pitch, { loud = 0.12, after = 0, seconds = 0.2, type = "triangle", falls = 1 } = {}) {
  const { gain, at, until } = fading(loud, after, seconds);
  const source = new OscillatorNode(sound.speaker, { type, frequency: pitch });
  source.frequency.setValueAtTime(pitch, at);
  source.frequency.exponentialRampToValueAtTime(pitch * falls, until);
  source.connect(gain);
  source.start(at);
  source.stop(until);
}

function noise(pitch, { loud = 0.2, after = 0, seconds = 0.15 } = {}) {
  const { gain, at, until } = fading(loud, after, seconds);
  const { speaker } = sound, length = Math.ceil(speaker.sampleRate * seconds);
  const buffer = new AudioBuffer({ length, sampleRate: speaker.sampleRate });
  const data = buffer.getChannelData(0);
  for (let n = 0; n < length; n += 1) data[n] = Math.random() * 2 - 1;
  const source = new AudioBufferSourceNode(speaker, { buffer });
  source.connect(new BiquadFilterNode(speaker, { type: "bandpass", frequency: pitch })).connect(gain);
  source.start(at);
  source.stop(until);
}

const SOUNDS = {
  reveal: () => [0, 0.09, 0.2].forEach((after, n) => noise(2400 + 900 * n, { after, seconds: 0.12 })),
  step: () => tone(520, { loud: 0.06, seconds: 0.07 }),
  strike: (much) => {
    tone(150 - 12 * much, { loud: 0.12 + 0.03 * much, seconds: 0.25, type: "sine", falls: 0.4 });
    noise(700, { loud: 0.08 + 0.02 * much });
  },
  end: () => [392, 523, 659].forEach((pitch, n) => tone(pitch, { after: 0.15 * n, seconds: 0.4 })),
};

function hear(name, ...given) {
  const { speaker } = sound;
  if (!wanted("sounds") || !speaker) return;
  if (speaker.state === "running") SOUNDS[name](...given);
  else speaker.resume().catch(() => {});
  document.dispatchEvent(new CustomEvent("heard", { detail: name }));
}

function feel() {
  if (wanted("vibration") && !still.matches) navigator.vibrate?.([35, 70, 35]);
}

/** One of each, to try: in the tap that has asked for it. */
export async function sample(what) {
  if (what === "vibration") return feel();
  listen();
  await sound.speaker?.resume();
  hear("end");
}

// A turn that has just been revealed is cut to its beginning; after that every step of it comes by itself.
// Turns that somebody looks up again are heard as well.
document.addEventListener("film:step", ({ target, detail: { number, last } }) => {
  if (target.dataset.told) return; // not the real film
  if (number === 0) {
    if (target.dataset.fresh !== "") return;
    feel();
    return hear("reveal");
  }
  if (target.matches(".at-last:not(.lingering)")) return; // the planner's board
  const frame = target.querySelector(`.frame[data-frame="${number}"]`);
  const much = Math.min(frame?.querySelectorAll(".effect").length ?? 0, 5);
  if (much) hear("strike", much);
  else hear("step");
  const over = target.closest("[data-over]") && !("past" in target.dataset);
  if (over && number === last) hear("end");
});
mark();
