"""One boxing robot: nine slots, their parts and letters, and what each slot can do.

Slots are numbered 0 to 8 from north-west to south-east, row by row (X1). A square of the ring is one number,
rank times 32 plus file, so that a step and a distance are differences of numbers on a ring of any size.
Sets of letters are bits of a number: bit 0 is a, bit 8 is i.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Protocol

from games.core import IllegalOrder

LETTERS = "abcdefghi"
SLOTS = ("NW", "N", "NE", "W", "C", "E", "SW", "S", "SE")
CENTRE = 4
LASER, BOOSTER, ENGINE = "L", "B", "E"
PARTS = LASER * 4 + BOOSTER + ENGINE * 4
"""X1: four lasers, one booster, four engines."""
PART_NAMES = {LASER: "laser", BOOSTER: "booster", ENGINE: "engine"}
SLOT_NAMES = {
    "NW": "north-west",
    "N": "north",
    "NE": "north-east",
    "W": "west",
    "C": "centre",
    "E": "east",
    "SW": "south-west",
    "S": "south",
    "SE": "south-east",
}
DEGREES = (315, 0, 45, 270, 0, 90, 225, 180, 135)
"""Where each slot looks, clockwise from north; the centre, which looks nowhere, 0."""
DESTROYED = "*"
HIDDEN = "?"
PLAIN = "(a)b(c)/d[e]f/(g)h(i)"
"""The robot that everybody has before any part of it is changed."""

ROW = 32
"""What one rank up adds to the number of a square."""
LONGEST = 15
"""The longest side that a ring may have."""

Step = int
Mask = int
ALL: Mask = (1 << len(LETTERS)) - 1
BIT: dict[str, Mask] = {letter: 1 << i for i, letter in enumerate(LETTERS)}
IN_MASK: tuple[str, ...] = tuple(
    "".join(letter for letter in LETTERS if mask & BIT[letter]) for mask in range(ALL + 1)
)
"""The letters of a set, in alphabetical order."""
COUNT: tuple[int, ...] = tuple(map(len, IN_MASK))


def towards(slot: int) -> tuple[int, int]:
    """Where a slot looks: files to the east, ranks to the north, each -1, 0 or 1."""
    return slot % 3 - 1, 1 - slot // 3


STEPS: tuple[Step, ...] = tuple(towards(slot)[1] * ROW + towards(slot)[0] for slot in range(9))


def in_zone(slot: int, dx: int, dy: int) -> bool:
    """Whether a turret in that slot covers what lies so far to the east and north of it (X8, X9)."""
    if dx == dy == 0:
        return False  # in a clinch neither can hit
    sx, sy = towards(slot)
    if slot == CENTRE:  # X9
        return True
    if sx and sy:
        return dx * sx >= 0 and dy * sy >= 0
    ahead, aside = dx * sx + dy * sy, dx * sy + dy * sx
    return ahead > 0 and abs(aside) <= ahead


_SPAN = range(1 - LONGEST, LONGEST)
ZONES: tuple[dict[int, int], ...] = tuple(
    {dy * ROW + dx: max(abs(dx), abs(dy)) for dy in _SPAN for dx in _SPAN if in_zone(slot, dx, dy)}
    for slot in range(9)
)
"""For a turret in each slot: the distance (X7: diagonal steps count one) to all that its zone covers."""
FAR = LONGEST + 1
"""A distance beyond any reach."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a robot is built: known to its player alone until the fight ends (X12)."""

    text: str
    letters: str = field(compare=False, repr=False)
    parts: str = field(compare=False, repr=False)
    lasers: Mask = field(compare=False, repr=False)
    engines: Mask = field(compare=False, repr=False)
    movers: Mask = field(compare=False, repr=False)
    booster: Mask = field(compare=False, repr=False)
    steps: dict[str, Step] = field(compare=False, repr=False)
    zones: dict[str, dict[int, int]] = field(compare=False, repr=False)

    def slot(self, letter: str) -> int:
        return self.letters.index(letter)

    def part(self, letter: str) -> str:
        return self.parts[self.letters.index(letter)]

    def down(self, gone: Mask) -> bool:
        """Whether it has no laser or no engine left (X11)."""
        return not (self.lasers & ~gone and self.engines & ~gone)

    def shown(self, gone: Mask) -> str:
        """The layout as a position has it, a destroyed slot as `*`."""
        return write_slots(self.letters, self.parts, gone) if gone else self.text


class Parts(Protocol):
    """Which letters of a robot are which part: its layout, or what somebody supposes of it."""

    @property
    def lasers(self) -> Mask: ...

    @property
    def engines(self) -> Mask: ...

    @property
    def booster(self) -> Mask: ...


def power(parts: Parts, gone: Mask) -> int:
    """How many spaces the robot may move without its booster: its intact engines (X4, X9)."""
    return COUNT[parts.engines & ~gone]


def boosted(parts: Parts, gone: Mask) -> bool:
    """Whether its booster is intact."""
    return bool(parts.booster & ~gone)


def longest(parts: Parts, gone: Mask) -> int:
    """How many spaces the robot may move at most (X4)."""
    return power(parts, gone) * (2 if boosted(parts, gone) else 1)


def reach(parts: Parts, gone: Mask, moved: int) -> int:
    """How far its lasers reach after a move of that length (X5, X7)."""
    intact = ~gone
    lasers = COUNT[parts.lasers & intact]
    return lasers * 2 if parts.booster & intact and moved <= COUNT[parts.engines & intact] else lasers


def write_slots(letters: str, parts: str, gone: Mask = 0) -> str:
    """Nine slots in the notation of docs/record.md."""
    words = [
        DESTROYED if BIT[letter] & gone else {LASER: f"({letter})", BOOSTER: f"[{letter}]"}.get(part, letter)
        for letter, part in zip(letters, parts, strict=True)
    ]
    return "/".join("".join(words[row : row + 3]) for row in (0, 3, 6))


@lru_cache(maxsize=4096)
def built(letters: str, parts: str) -> Layout:
    """The layout with these letters and parts in its slots; they must be right (`misbuilt`)."""

    def mask(which: str) -> Mask:
        return sum(BIT[letter] for letter, part in zip(letters, parts, strict=True) if part == which)

    engines = mask(ENGINE)
    idle = BIT[letters[CENTRE]] if parts[CENTRE] == ENGINE else 0  # X9: power without a direction
    return Layout(
        write_slots(letters, parts),
        letters,
        parts,
        lasers=mask(LASER),
        engines=engines,
        movers=engines & ~idle,
        booster=mask(BOOSTER),
        steps={letters[i]: STEPS[i] for i in range(9) if parts[i] == ENGINE},
        zones={letters[i]: ZONES[i] for i in range(9) if parts[i] == LASER},
    )


def shuffled(rng: Random, free_centre: bool) -> tuple[str, str]:
    """Letters and parts of a robot built by chance; every legal one is equally likely."""
    letters = "".join(rng.sample(LETTERS, 9))
    if free_centre:
        return letters, "".join(rng.sample(PARTS, 9))
    around = "".join(rng.sample(PARTS.replace(BOOSTER, ""), 8))
    return letters, around[:CENTRE] + BOOSTER + around[CENTRE:]


def misbuilt(letters: str, parts: str, free_centre: bool) -> IllegalOrder | None:
    """What is wrong with nine slots, or None (X1, X9)."""
    if sorted(letters) != list(LETTERS):
        missing = next((letter for letter in LETTERS if letter not in letters), "")
        return IllegalOrder(
            "Every letter from a to i must be used once; “{letter}” is missing.", letter=missing
        )
    if sorted(parts) != sorted(PARTS):
        return IllegalOrder(
            "A robot has four lasers ( ), one booster [ ] and four engines; "
            "this one has {lasers}, {boosters} and {engines}.",
            lasers=parts.count(LASER),
            boosters=parts.count(BOOSTER),
            engines=parts.count(ENGINE),
        )
    if parts[CENTRE] != BOOSTER and not free_centre:
        return IllegalOrder("The booster sits in the centre; “{letter}” is there.", letter=letters[CENTRE])
    return None


def read_slots(text: str, signs: Iterable[str] = ()) -> list[tuple[str, str]]:
    """Slots as people type them, each a letter and a part; spaces and `/` may stand anywhere between them.

    `signs` are further signs that may stand for a whole slot; such a slot is the sign and "".
    """
    slots = []
    left = "".join(text.split()).replace("/", "").lower()
    while left:
        if left[0] in LETTERS:
            slot, size = (left[0], ENGINE), 1
        elif left[0] in signs:
            slot, size = (left[0], ""), 1
        elif left[0] in "([" and left[1:2] in BIT and left[2:3] == {"(": ")", "[": "]"}[left[0]]:
            slot, size = (left[1], LASER if left[0] == "(" else BOOSTER), 3
        elif left[0] == ";":
            raise IllegalOrder(
                "A “;” stands only between orders. Write the robots one after another with a space "
                "between them, nine slots each."
            )
        else:
            raise IllegalOrder(
                "“{text}” is not a slot. A slot is a letter from a to i: (a) a laser, [a] the booster, a "
                "an engine.",
                text=left[:3],
            )
        slots.append(slot)
        left = left[size:]
    return slots
