// A short sound, for guests who have asked for it, when it has become their turn while the page was open.
const isMine = () => document.getElementById("planner") !== null;

const turn = {
  wasMine: isMine(), // before the last update
};

document.addEventListener("htmx:afterSettle", () => {
  if (isMine() && !turn.wasMine) ring();
  turn.wasMine = isMine();
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
