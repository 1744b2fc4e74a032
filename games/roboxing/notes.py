"""Notes on an enemy's letters, as any player could have written them down so far (ruling X12).

A letter that moved its robot is an engine; one that fired is a laser. A move reveals the direction of an
engine if it is the only one in it whose direction is not known. This module never reads a layout.
"""

from typing import NamedTuple

from games.core import Sentence
from games.roboxing.deduction import seen, target_of
from games.roboxing.ring import OFF
from games.roboxing.robot import BIT, CENTRE, LETTERS, SLOT_NAMES, SLOTS, STEPS
from games.roboxing.rules import Position

SHOTS = 4
"""The maximum number of shots of a laser that a damage sheet lists: the latest ones, which tell the most."""


class ShotNote(NamedTuple):
    """A laser's shot, from the square `at` at a robot on the square `to`, as everybody saw it."""

    at: str
    to: str
    hit: bool


class LetterNote(NamedTuple):
    """The common knowledge about one of a robot's letters; "" for a part or slot that is not known."""

    letter: str
    gone: bool
    part: str
    slot: str
    shots: tuple[ShotNote, ...]
    words: Sentence

    @property
    def inference(self) -> Sentence:
        """A sentence on what the letter must be; its part must be known."""
        if self.part == "laser":
            return Sentence("So slot {letter} is a laser.", letter=self.letter)
        if not self.slot:
            return Sentence("So slot {letter} is an engine.", letter=self.letter)
        way = Sentence(SLOT_NAMES[self.slot])
        return Sentence("So slot {letter} is an engine and points {way}.", letter=self.letter, way=way)


def notes(state: Position, i: int) -> tuple[LetterNote, ...]:
    known = seen(state, i)
    slots = _engine_slots(state, i)
    shots = _shots(state, i)
    noted = []
    for letter in LETTERS:
        gone = bool(state.gone[i] & BIT[letter])
        part = "engine" if known.movers & BIT[letter] else "laser" if known.turrets & BIT[letter] else ""
        slot = slots.get(letter, "")
        words = _words(letter, part, slot, gone)
        noted.append(
            LetterNote(
                letter=letter, gone=gone, part=part, slot=slot, shots=shots.get(letter, ()), words=words
            )
        )
    return tuple(noted)


def first_shown(state: Position, i: int) -> list[LetterNote]:
    """Returns the notes on the letters of robot `i` that say more than before the last turn."""
    before = notes(state._replace(past=state.past[:-1]), i)
    return [
        note
        for note, old in zip(notes(state, i), before, strict=True)
        if (note.part, note.slot) != (old.part, old.slot)
    ]


POINTING = {
    False: "Slot {letter} is an engine and points {way}.",
    True: "Slot {letter} was an engine and pointed {way}; destroyed.",
}
WORDS = {
    ("engine", False): "Slot {letter} is an engine.",
    ("engine", True): "Slot {letter} was an engine; destroyed.",
    ("laser", False): "Slot {letter} is a laser.",
    ("laser", True): "Slot {letter} was a laser; destroyed.",
    ("", False): "Slot {letter} hasn’t revealed anything yet.",
    ("", True): "Slot {letter} is destroyed; no one knows what it was.",
}
"""The sentence on a letter, by its part and True if it is destroyed; POINTING if its slot is known."""


def _words(letter: str, part: str, slot: str, gone: bool) -> Sentence:
    if slot:
        return Sentence(POINTING[gone], letter=letter, way=Sentence(SLOT_NAMES[slot]))
    return Sentence(WORDS[part, gone], letter=letter)


def _engine_slots(state: Position, i: int) -> dict[str, str]:
    slots: dict[str, str] = {}
    moves = seen(state, i).walked
    found = True
    while found:
        found = False
        for walked in moves:
            spaces: dict[str, int] = {}
            for letter, n in walked.legs:
                spaces[letter] = spaces.get(letter, 0) + n
            way = walked.to - walked.at
            for letter in [letter for letter in spaces if letter in slots]:
                way -= STEPS[SLOTS.index(slots[letter])] * spaces.pop(letter)
            if len(spaces) == 1:
                ((letter, n),) = spaces.items()
                step = way // n
                slots[letter] = next(SLOTS[s] for s in range(9) if s != CENTRE and STEPS[s] == step)
                found = True
    return slots


def _shots(state: Position, i: int) -> dict[str, tuple[ShotNote, ...]]:
    """Returns the last shots (at most SHOTS) by the laser's letter, latest first."""
    ring = state.ring
    shots: dict[str, tuple[ShotNote, ...]] = {}
    for cause in reversed(state.past):
        shot = cause.acts[i].partition(" ")[2]
        if not shot:
            continue
        to = cause.after[target_of(ring, i, shot)]
        if to == OFF:
            continue
        note = ShotNote(str(ring.square(cause.after[i])), str(ring.square(to)), bool(cause.hits[i]))
        noted = shots.get(shot[0], ())
        if note not in noted:
            shots[shot[0]] = (*noted, note)[:SHOTS]
    return shots
