"""One boxing robot: nine slots, their parts and letters, and the abilities that they give.

Slots are numbered 0 to 8 from north-west to south-east, row by row (ruling X1). A square is its rank times 32
plus its file; a step or an offset is a difference of squares. A set of letters is an integer: bit 0 is a.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import NamedTuple, Protocol

from games.core import IllegalOrder

LETTERS = "abcdefghi"
SLOTS = ("NW", "N", "NE", "W", "C", "E", "SW", "S", "SE")
CENTRE = 4
LASER, BOOSTER, ENGINE = "L", "B", "E"
PARTS = LASER * 4 + BOOSTER + ENGINE * 4
"""The parts of a robot: four lasers, one booster, four engines (ruling X1)."""
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
"""The direction of each slot, in degrees clockwise from north; 0 for the centre, which has none."""
DESTROYED = "*"
HIDDEN = "?"
PLAIN = "(a)b(c)/d[e]f/(g)h(i)"
"""The layout with which everybody begins to build."""

ROW = 32
"""The difference between a square's number and the number of the square one rank below."""
LONGEST = 15
"""The maximum width and height of a ring, in squares."""

Step = int
Mask = int
ALL: Mask = (1 << len(LETTERS)) - 1
BIT: dict[str, Mask] = {letter: 1 << i for i, letter in enumerate(LETTERS)}
IN_MASK: tuple[str, ...] = tuple(
    "".join(letter for letter in LETTERS if mask & BIT[letter]) for mask in range(ALL + 1)
)
"""The letters of a set, in alphabetical order, indexed by the set's bits."""
COUNT: tuple[int, ...] = tuple(map(len, IN_MASK))


def towards(slot: int) -> tuple[int, int]:
    """Returns the direction of a slot as (east, north), each -1, 0 or 1; (0, 0) for the centre."""
    return slot % 3 - 1, 1 - slot // 3


STEPS: tuple[Step, ...] = tuple(towards(slot)[1] * ROW + towards(slot)[0] for slot in range(9))


def in_zone(slot: int, dx: int, dy: int) -> bool:
    """Returns True if a laser in this slot covers the square `dx` east and `dy` north (rulings X8, X9)."""
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
"""By a laser's slot, the distance to each offset in its zone; a diagonal step counts as one (ruling X7)."""
FAR = LONGEST + 1
"""A distance beyond any reach."""


FARTHEST = 8
"""The longest reach: four lasers, doubled (ruling X7)."""
Offsets = int
"""A set of offsets, as the bits of an integer: bit MIDDLE is offset 0, the square itself."""
MIDDLE = (LONGEST - 1) * (ROW + 1)
SIGHTS: tuple[tuple[Offsets, ...], ...] = tuple(
    tuple(
        sum(1 << MIDDLE + by for by, distance in zone.items() if distance <= within)
        for within in range(FARTHEST + 1)
    )
    for zone in ZONES
)
"""The offsets that a laser covers, by its slot and its reach."""


class Power(NamedTuple):
    """A robot's longest move and its lasers' reach after the loss of some parts, also without the booster."""

    movers: str
    """The letters of the intact engines that have a direction."""
    spaces: int
    """The maximum number of spaces that the robot may move (ruling X4)."""
    turrets: str
    """The letters of the intact lasers."""
    reach: int
    """The reach after a move without the booster, which doubles it (ruling X7)."""
    reach_unboosted: int
    """The lasers' reach after a move that used the booster (ruling X5)."""
    spaces_unboosted: int
    """The maximum number of spaces that the robot may move without spending the booster."""
    sight: Offsets
    """The offsets at which the lasers can hit somebody at their full reach."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The letters and parts of a robot's nine slots, known only to its player (ruling X12).

    `movers` are the engines that have a direction; `steps` and `zones` are keyed by the letters of parts.
    """

    text: str
    letters: str = field(compare=False, repr=False)
    parts: str = field(compare=False, repr=False)
    lasers: Mask = field(compare=False, repr=False)
    engines: Mask = field(compare=False, repr=False)
    movers: Mask = field(compare=False, repr=False)
    booster: Mask = field(compare=False, repr=False)
    steps: dict[str, Step] = field(compare=False, repr=False)
    zones: dict[str, dict[int, int]] = field(compare=False, repr=False)
    powers: Mapping[Mask, Power] = field(compare=False, repr=False)
    """The robot's abilities, by the set of letters that it has lost."""

    def slot(self, letter: str) -> int:
        return self.letters.index(letter)

    def part(self, letter: str) -> str:
        return self.parts[self.letters.index(letter)]

    def down(self, gone: Mask) -> bool:
        """Returns True if the robot has no laser or no engine left (ruling X11)."""
        return not (self.lasers & ~gone and self.engines & ~gone)

    def shown(self, gone: Mask) -> str:
        """Returns the layout as written in a position, with `*` for each slot in `gone`."""
        return write_slots(self.letters, self.parts, gone) if gone else self.text


class Parts(Protocol):
    """The letters of a robot's lasers, engines and booster, as they are in a layout or guessed."""

    @property
    def lasers(self) -> Mask: ...

    @property
    def engines(self) -> Mask: ...

    @property
    def booster(self) -> Mask: ...


def power(parts: Parts, gone: Mask) -> int:
    """Returns the number of spaces that the robot may move without its booster."""
    return COUNT[parts.engines & ~gone]


def boosted(parts: Parts, gone: Mask) -> bool:
    return bool(parts.booster & ~gone)


def longest(parts: Parts, gone: Mask) -> int:
    """Returns the maximum number of spaces that a robot may move (ruling X4)."""
    return power(parts, gone) * (2 if boosted(parts, gone) else 1)


def reach(parts: Parts, gone: Mask, moved: int) -> int:
    """Returns the lasers' reach in squares after a move of `moved` spaces (rulings X5 and X7)."""
    intact = ~gone
    lasers = COUNT[parts.lasers & intact]
    return lasers * 2 if parts.booster & intact and moved <= COUNT[parts.engines & intact] else lasers


class _Powers(dict[Mask, Power]):
    """The abilities of a robot by its destroyed letters; computed on demand."""

    __slots__ = ("booster", "engines", "lasers", "letters", "movers")

    def __init__(self, letters: str, masks: Mapping[str, Mask], movers: Mask) -> None:
        self.lasers, self.engines, self.booster = masks[LASER], masks[ENGINE], masks[BOOSTER]
        self.letters, self.movers = letters, movers

    def __missing__(self, gone: Mask) -> Power:
        turrets, full = IN_MASK[self.lasers & ~gone], reach(self, gone, 0)
        sight = 0
        for letter in turrets:
            sight |= SIGHTS[self.letters.index(letter)][full]
        found = self[gone] = Power(
            movers=IN_MASK[self.movers & ~gone],
            spaces=longest(self, gone),
            turrets=turrets,
            reach=full,
            reach_unboosted=len(turrets),
            spaces_unboosted=power(self, gone),
            sight=sight,
        )
        return found


SLOT_TEXTS = {
    LASER: {letter: f"({letter})" for letter in LETTERS},
    BOOSTER: {letter: f"[{letter}]" for letter in LETTERS},
    ENGINE: {letter: letter for letter in LETTERS},
}
"""The text of a slot in the notation of docs/record.md, by its part and its letter."""
SLOT = re.compile(r"\(.\)|\[.\]|[a-i]")
IN_SLOT = {text: (letter, part) for part, texts in SLOT_TEXTS.items() for letter, text in texts.items()}
"""The letter and the part of a slot, by its text."""


def write_slots(letters: str, parts: str, gone: Mask = 0) -> str:
    """Returns nine slots in the notation of docs/record.md; a slot whose letter is in `gone` becomes `*`."""
    words = [
        DESTROYED if BIT[letter] & gone else SLOT_TEXTS[part][letter]
        for letter, part in zip(letters, parts, strict=True)
    ]
    return f"{''.join(words[:3])}/{''.join(words[3:6])}/{''.join(words[6:])}"


@lru_cache(maxsize=4096)
def built(letters: str, parts: str) -> Layout:
    """Returns the layout with these letters and parts, which must be legal (see `misbuilt`)."""
    masks = dict.fromkeys((LASER, BOOSTER, ENGINE), 0)
    steps, zones = {}, {}
    for i, (letter, part) in enumerate(zip(letters, parts, strict=True)):
        masks[part] |= BIT[letter]
        if part == ENGINE:
            steps[letter] = STEPS[i]
        elif part == LASER:
            zones[letter] = ZONES[i]
    idle = BIT[letters[CENTRE]] if parts[CENTRE] == ENGINE else 0  # X9: power without a direction
    movers = masks[ENGINE] & ~idle
    return Layout(
        write_slots(letters, parts),
        letters,
        parts,
        lasers=masks[LASER],
        engines=masks[ENGINE],
        movers=movers,
        booster=masks[BOOSTER],
        steps=steps,
        zones=zones,
        powers=_Powers(letters, masks, movers),
    )


def shuffled(rng: Random, free_centre: bool) -> tuple[str, str]:
    """Returns the letters and parts of a random robot; every legal robot is equally likely."""
    letters = "".join(rng.sample(LETTERS, 9))
    if free_centre:
        return letters, "".join(rng.sample(PARTS, 9))
    around = "".join(rng.sample(PARTS.replace(BOOSTER, ""), 8))
    return letters, around[:CENTRE] + BOOSTER + around[CENTRE:]


WAYS_OUT = tuple(
    frozenset(slot for slot in range(9) if in_zone(corner, *towards(slot))) for corner in (0, 2, 6, 8)
)
"""For each of the four corners, the slots whose engines lead out of the opposite corner."""


def shuffled_to_move(rng: Random, free_centre: bool) -> tuple[str, str]:
    """Returns the letters and parts of a random robot that can leave every square of the ring."""
    while True:
        letters, parts = shuffled(rng, free_centre)
        if all(any(parts[slot] == ENGINE for slot in out) for out in WAYS_OUT):
            return letters, parts


def layout_of(text: str) -> Layout:
    """Parses a layout as `write_slots` writes it, without destroyed slots."""
    slots = SLOT.findall(text)
    return built("".join([IN_SLOT[slot][0] for slot in slots]), "".join([IN_SLOT[slot][1] for slot in slots]))


def misbuilt(letters: str, parts: str, free_centre: bool) -> IllegalOrder | None:
    """Returns the first fault of a layout as an error to raise; None if it is legal (X1, X9)."""
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
    """Parses typed slots into (letter, part), and each of `signs` into (sign, ""); raises IllegalOrder."""
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
