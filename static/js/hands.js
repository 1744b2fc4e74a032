// Somebody's hands on the page: how long ago a finger, the mouse or a key was last used.

const hands = { last: -Infinity }; // when they were last seen
for (const name of ["pointerdown", "pointermove", "keydown", "scroll", "touchmove"]) {
  addEventListener(name, () => (hands.last = performance.now()), { passive: true });
}

/** The milliseconds that are missing until hands have rested for `rest` milliseconds; at most 0 if they have. */
export const untilRest = (rest) => rest - (performance.now() - hands.last);
