// For who wants it: a short sound when it has become his turn while the page was open.
const mine = () => document.getElementById("planner") !== null;
let was = mine();

document.addEventListener("htmx:afterSettle", () => {
  if (mine() && !was) ring();
  was = mine();
});

function ring() {
  const sound = new AudioContext();
  for (const [at, pitch] of [[0, 660], [0.18, 880]]) {
    const tone = new OscillatorNode(sound, { type: "triangle", frequency: pitch });
    const loud = new GainNode(sound, { gain: 0 });
    loud.gain.setValueAtTime(0.2, sound.currentTime + at);
    loud.gain.exponentialRampToValueAtTime(0.001, sound.currentTime + at + 0.3);
    tone.connect(loud).connect(sound.destination);
    tone.start(sound.currentTime + at);
    tone.stop(sound.currentTime + at + 0.3);
  }
  setTimeout(() => sound.close(), 1000);
}
