"""The boxing ring, its robots and their owners, the distances to the ropes, and the data of a position."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from games.core import Event, Outcome, Seat, Sentence, Setup, option, seat_letters
from games.grid import Square
from games.roboxing.robot import LONGEST, ROW, SLOTS, STEPS, ZONES, Layout, Mask, Step, towards

SHORTEST = 5
_SIDES = [n for n in range(SHORTEST, LONGEST + 1) if n != 8]
At = int
"""A square as a number: its rank times 32 plus its file."""
OFF: At = 100_000
"""The square of a robot that has left the ring: so far away that no zone covers it."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a match of Roboxing (docs/rulings.md)."""

    width: int = option(
        8,
        *_SIDES,
        says="How many squares wide the ring is.",
        name="Width",
        words="The ring is {value} squares wide.",
    )
    height: int = option(
        8,
        *_SIDES,
        says="How many squares high the ring is.",
        name="Height",
        words="The ring is {value} squares high.",
    )
    robots: int = option(
        1,
        2,
        3,
        says="How many robots each player has.",
        name="Robots",
        words={1: "One robot each.", 2: "Two robots each.", 3: "Three robots each."},
    )
    centre: str = option(
        "booster",
        "free",
        says="Whether the booster sits in the centre, or any part may sit anywhere.",
        name="Centre",
        words={
            "booster": "The booster sits in the robot’s centre.",
            "free": "Any part may sit in the centre.",
        },
    )


@dataclass(frozen=True, slots=True)
class Ring:
    """The ring and its robots, numbered from 0 across all seats: what never changes in a match."""

    options: Options
    seats: tuple[Seat, ...]
    names: tuple[str, ...] = field(compare=False, repr=False)
    owners: tuple[Seat, ...] = field(compare=False, repr=False)
    index: dict[str, int] = field(compare=False, repr=False)
    team: dict[str, range] = field(compare=False, repr=False)
    rivals: tuple[tuple[int, ...], ...] = field(compare=False, repr=False)
    """The numbers of the robots of other seats, for each robot."""
    is_one_on_one: bool = field(compare=False, repr=False)
    """A flag: True if there are two seats with one robot each. A target is then written as a letter alone."""
    room: dict[Step, dict[At, int]] = field(compare=False, repr=False)
    """The number of steps from a square to the ropes, by the step and then by the square."""
    inside: int = field(compare=False, repr=False)
    """The squares of the ring, as the bits of an integer."""

    def square(self, at: At) -> Square:
        return Square(at % ROW, at // ROW)

    def centre(self, at: At) -> tuple[float, float]:
        return self.square(at).centre(self.options.height)

    def on(self, at: At) -> bool:
        return at in self.room[STEPS[0]]

    def at(self, name: str) -> At:
        """Returns the square with this name; raises ValueError if the ring has no such square."""
        square = Square.named(name)
        if not square.on(self.options.width, self.options.height):
            raise ValueError(f"“{name}” is not in the ring.")
        return square.rank * ROW + square.file

    def enemies(self, seat: Seat) -> list[int]:
        return [i for i, owner in enumerate(self.owners) if owner != seat]

    def covered(self, slot: int, at: At, reach: int) -> list[At]:
        """Returns the squares of the ring that a laser covers from the square `at` (ruling X8)."""
        return [at + by for by, distance in ZONES[slot].items() if distance <= reach and self.on(at + by)]


@lru_cache(maxsize=256)
def ring(options: Options, seats: int) -> Ring:
    letters = seat_letters(seats)
    owners = tuple(seat for seat in letters for _ in range(options.robots))
    names = tuple(f"{seat}{n + 1}" for seat in letters for n in range(options.robots))
    return Ring(
        options=options,
        seats=letters,
        names=names,
        owners=owners,
        index={name: i for i, name in enumerate(names)},
        team={seat: range(i * options.robots, (i + 1) * options.robots) for i, seat in enumerate(letters)},
        rivals=tuple(tuple(i for i, other in enumerate(owners) if other != owner) for owner in owners),
        is_one_on_one=seats == 2 and options.robots == 1,
        room={STEPS[slot]: _room(options, *towards(slot)) for slot in range(len(SLOTS))},
        inside=sum(1 << at for at in _room(options, 0, 0)),
    )


def _room(options: Options, sx: int, sy: int) -> dict[At, int]:
    def steps(file: int, rank: int) -> int:
        walls = []
        if sx:
            walls.append(options.width - 1 - file if sx > 0 else file)
        if sy:
            walls.append(options.height - 1 - rank if sy > 0 else rank)
        return min(walls, default=0)

    return {
        rank * ROW + file: steps(file, rank)
        for rank in range(options.height)
        for file in range(options.width)
    }


class Run(NamedTuple):
    """A row of adjacent squares, from its upper left corner."""

    x: int
    y: int
    width: int


def runs(ring: Ring, squares: list[At]) -> tuple[Run, ...]:
    """Groups squares into runs of adjacent squares in a row, from the top row down."""
    found: list[Run] = []
    for at in sorted(squares, key=lambda at: (-(at // ROW), at)):
        x, y = at % ROW, ring.options.height - at // ROW - 1
        if found and found[-1].y == y and found[-1].x + found[-1].width == x:
            found[-1] = found[-1]._replace(width=found[-1].width + 1)
        else:
            found.append(Run(x, y, 1))
    return tuple(found)


def run_text(ring: Ring, run: Run) -> str:
    """Returns adjacent squares in a row as `d6–f6`, or `d6` for a single square."""
    rank = ring.options.height - run.y - 1
    first, last = (Square(x, rank) for x in (run.x, run.x + run.width - 1))
    return str(first) if first == last else f"{first}–{last}"


def corners(options: Options) -> tuple[str, str, str, str]:
    """Returns the ring's corners; the first two are opposite each other, and so are the last two."""
    east, north = options.width - 1, options.height - 1
    return (
        str(Square(0, 0)),
        str(Square(east, north)),
        str(Square(0, north)),
        str(Square(east, 0)),
    )


def starts(here: Ring, setup: Setup) -> tuple[At, ...]:
    """Returns the start squares, seat by seat: a corner, then beside it in its rank, then in its file."""
    squares = []
    chosen: dict[str, Any] = setup["corners"]
    for seat in here.seats:
        at = here.at(chosen[seat])
        inwards = 1 if at % ROW == 0 else -1
        upwards = ROW if at < ROW else -ROW
        squares += [at, at + inwards, at + upwards][: here.options.robots]
    return tuple(squares)


def robot(ring: Ring, name: str) -> Seat | Sentence:
    """Returns the display name of a robot: its player's name, with a number if players have several."""
    if ring.options.robots == 1:
        return Seat(name[0])
    return Sentence("{by}’s robot {n}", by=Seat(name[0]), n=int(name[1:]))


class Cause(NamedTuple):
    """A turn that was fought, as everybody saw it (ruling X12), with one entry for each robot.

    `acts` are the orders, "" of a robot that had left; `hits` has None if the robot did not shoot.
    """

    before: tuple[At, ...]
    after: tuple[At, ...]
    acts: tuple[str, ...]
    hits: tuple[bool | None, ...]


class Fields(NamedTuple):
    """The fields of a position of Roboxing; `squares`, `gone` and `layouts` have an entry for each robot.

    `gone` are the letters of destroyed slots. `layouts` is () before the robots are built; one is None if
    it is hidden, or if its seat left before the building. `standing` are the seats still in the match,
    `past` all turns that were fought, `news` the events of a step without a fight, and `builders` the
    seats whose orders built robots; none in a position read from text.
    """

    ring: Ring
    squares: tuple[At, ...]
    gone: tuple[Mask, ...]
    layouts: tuple[Layout | None, ...]
    standing: frozenset[Seat]
    turn: int = 0
    tick: bool = True
    ended: Outcome | None = None
    past: tuple[Cause, ...] = ()
    news: tuple[Event, ...] = ()
    builders: frozenset[Seat] = frozenset()

    def robots(self, seat: Seat) -> list[int]:
        return [i for i in self.ring.team[seat] if self.squares[i] != OFF]

    def layout(self, i: int) -> Layout:
        """Returns the layout of robot `i`, which must not be hidden in this position."""
        layout = self.layouts[i]
        assert layout, f"the layout of {self.ring.names[i]} is hidden here"
        return layout
