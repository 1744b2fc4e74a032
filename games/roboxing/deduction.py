"""Deduces the layouts that an enemy's robot may have, given everything that was seen of it (ruling X12).

Of its letters, at least one laser and one engine are not destroyed (ruling X11). A move shows engines, their
number (ruling X4), and where they lead. A shot shows a laser, and whether its zone and reach covered the
target (rulings X7, X8). A layout is found by trial: letters get random parts, then random slots.
"""

from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import NamedTuple

from games.roboxing.orders import Leg, legs_of, spent
from games.roboxing.ring import At, Ring
from games.roboxing.robot import (
    ALL,
    BIT,
    BOOSTER,
    CENTRE,
    ENGINE,
    FAR,
    IN_MASK,
    LASER,
    LETTERS,
    STEPS,
    ZONES,
    Layout,
    Mask,
    built,
    longest,
    reach,
)
from games.roboxing.rules import Position


class Kinds(NamedTuple):
    """A guess at which of a robot's letters are lasers, engines and the booster, as sets of letters."""

    lasers: Mask
    engines: Mask
    booster: Mask

    def part(self, bit: Mask) -> str:
        return LASER if self.lasers & bit else ENGINE if self.engines & bit else BOOSTER


def _all_kinds() -> Iterator[Kinds]:
    for booster in LETTERS:
        others = [letter for letter in LETTERS if letter != booster]
        for chosen in combinations(others, 4):
            lasers = sum(BIT[letter] for letter in chosen)
            yield Kinds(lasers, ALL & ~lasers & ~BIT[booster], BIT[booster])


KINDS = tuple(_all_kinds())


class Walked(NamedTuple):
    """A robot's move as everybody saw it."""

    at: At
    legs: tuple[Leg, ...]
    to: At


class Fired(NamedTuple):
    """A robot's shot as everybody saw it; `away` is the target's offset from the shooter.

    `gone` are the letters that the shooter had lost before, `moved` its spaces in that turn.
    """

    turret: str
    away: int
    gone: Mask
    moved: int
    hit: bool


class Seen(NamedTuple):
    """The common knowledge about a robot: the letters lost, and those that have moved it or fired.

    `lengths` has a pair for each move: the letters lost before it, and the number of spaces moved.
    """

    gone: Mask
    movers: Mask
    turrets: Mask
    lengths: frozenset[tuple[Mask, int]]
    walked: frozenset[Walked]
    fired: frozenset[Fired]


def seen(state: Position, robot: int) -> Seen:
    ring, gone = state.ring, list(state.gone)
    for cause in state.past:  # a position that was read may have begun with letters gone
        for target, letter in _hits(ring, cause.acts, cause.hits):
            gone[target] &= ~BIT[letter]
    movers = turrets = 0
    lengths, walked, fired = set(), set(), set()
    for cause in state.past:
        move, _, shot = cause.acts[robot].partition(" ")
        legs = legs_of(move) if move else ()
        if legs:
            movers |= sum({BIT[letter] for letter, _ in legs})
            lengths.add((gone[robot], spent(legs)))
            walked.add(Walked(cause.before[robot], legs, cause.after[robot]))
        if shot:
            turrets |= BIT[shot[0]]
            away = cause.after[target_of(ring, robot, shot)] - cause.after[robot]
            moved, hit = spent(legs), bool(cause.hits[robot])
            fired.add(Fired(turret=shot[0], away=away, gone=gone[robot], moved=moved, hit=hit))
        for target, letter in _hits(ring, cause.acts, cause.hits):
            gone[target] |= BIT[letter]
    return Seen(
        gone=state.gone[robot],
        movers=movers,
        turrets=turrets,
        lengths=frozenset(lengths),
        walked=frozenset(walked),
        fired=frozenset(fired),
    )


def target_of(ring: Ring, robot: int, shot: str) -> int:
    """Returns the index of the robot at which `robot` aimed `shot`, a text such as `g e` or `g B2:e`."""
    return 1 - robot if ring.is_one_on_one else ring.index[shot[2:4]]


def gone_before(state: Position, robot: int) -> Mask:
    """Returns the letters that a robot had lost before the latest turn's damage (ruling X3)."""
    cause, gone = state.past[-1], state.gone[robot]
    if state.tick:
        for target, letter in _hits(state.ring, cause.acts, cause.hits):
            if target == robot:
                gone &= ~BIT[letter]
    return gone


def _hits(ring: Ring, acts: tuple[str, ...], hits: tuple[bool | None, ...]) -> Iterator[tuple[int, str]]:
    """Yields the hits of a turn, each as (index of the robot that was hit, letter destroyed)."""
    for i, hit in enumerate(hits):
        if hit:
            shot = acts[i].partition(" ")[2]
            yield target_of(ring, i, shot), shot[-1]


class Guesses:
    """The layouts that a robot may have, given everything that was seen of it."""

    def __init__(self, state: Position, robot: int) -> None:
        self.ring, self.free = state.ring, state.options.centre == "free"
        self.known = seen(state, robot)
        self.fitting = fitting_kinds(self.known)
        """The assignments of parts to letters that are still possible."""
        self._allowed: dict[Kinds, dict[str, list[int]]] = {}

    def differing(self) -> list[Kinds]:
        """Returns the possible parts of the letters; of cases that differ only by trading letters, one."""
        together = {letter for walk in self.known.walked for letter, _ in walk.legs}
        found: dict[tuple[tuple[object, ...], ...], Kinds] = {}
        for kinds in self.fitting:
            roles = [
                (letter if letter in together else "", bool(self.known.gone & bit), kinds.part(bit), slots)
                for letter, bit in BIT.items()
                for slots in [tuple(self.allowed(kinds)[letter])]
            ]
            found.setdefault(tuple(sorted(roles)), kinds)
        return list(found.values())

    def allowed(self, kinds: Kinds) -> dict[str, list[int]]:
        """Returns the possible slots of each letter by itself, if `kinds` are the true parts."""
        if kinds not in self._allowed:
            self._allowed[kinds] = _allowed(kinds, self.known, self.ring, self.free)
        return self._allowed[kinds]

    def placed(self, kinds: Kinds, allowed: dict[str, list[int]], rng: Random) -> Layout | None:
        """Returns a random layout that fits all moves that were seen, or None."""
        places = _place(allowed, self.known.walked, self.ring, rng)
        return _layout(kinds, places) if places else None

    def draw(self, rng: Random) -> Layout:
        """Returns a random layout that fits what was seen; raises ValueError if none does."""
        while self.fitting:
            n = int(rng.random() * len(self.fitting))
            layout = self.placed(self.fitting[n], self.allowed(self.fitting[n]), rng)
            if layout:
                return layout
            del self.fitting[n]  # no layout fits these kinds, whatever the dice
        raise ValueError("no layout fits what was seen of this robot")


def fitting_kinds(known: Seen) -> list[Kinds]:
    """Returns the assignments of parts to letters that fit what was seen of a robot."""
    return [kinds for kinds in KINDS if _fits(kinds, known)]


def _fits(kinds: Kinds, known: Seen) -> bool:
    """Returns True if a robot with these parts could have done all that was seen (X4, X11)."""
    return (
        not known.movers & ~kinds.engines
        and not known.turrets & ~kinds.lasers
        and bool(kinds.lasers & ~known.gone)
        and bool(kinds.engines & ~known.gone)
        and all(n <= longest(kinds, gone) for gone, n in known.lengths)
    )


def _allowed(kinds: Kinds, known: Seen, ring: Ring, free: bool) -> dict[str, list[int]]:
    around = [slot for slot in range(9) if free or slot != CENTRE]
    allowed = dict.fromkeys(LETTERS, around)
    if not free:
        allowed[IN_MASK[kinds.booster]] = [CENTRE]
    for letter in IN_MASK[known.movers]:  # X9: an engine in the centre has no direction
        allowed[letter] = [slot for slot in allowed[letter] if slot != CENTRE]
    for walk in known.walked:
        letters = {letter for letter, _ in walk.legs}
        if len(letters) == 1:
            letter = letters.pop()
            allowed[letter] = [slot for slot in allowed[letter] if _walks(walk, {letter: slot}, ring)]
    for shot in known.fired:
        far = reach(kinds, shot.gone, shot.moved)
        allowed[shot.turret] = [
            slot for slot in allowed[shot.turret] if (ZONES[slot].get(shot.away, FAR) <= far) == shot.hit
        ]
    return allowed


def _walks(walk: Walked, slots: dict[str, int], ring: Ring) -> bool:
    at = walk.at
    for letter, n in walk.legs:
        step = STEPS[slots[letter]]
        if ring.room[step][at] < n:
            return False
        at += n * step
    return at == walk.to


def _place(
    allowed: dict[str, list[int]], walked: frozenset[Walked], ring: Ring, rng: Random
) -> dict[str, int] | None:
    """Returns a random slot for each letter, so that all moves in `walked` are possible, or None."""
    joint = [walk for walk in walked if len({letter for letter, _ in walk.legs}) > 1]
    bound = {letter for walk in joint for letter, _ in walk.legs}  # first, so that a failure is seen early
    in_turn = sorted(rng.sample(LETTERS, 9), key=lambda at: (at not in bound, len(allowed[at])))
    due: dict[str, list[Walked]] = {letter: [] for letter in LETTERS}
    for walk in joint:  # can be judged once the last of its letters has a slot
        due[max((letter for letter, _ in walk.legs), key=in_turn.index)].append(walk)
    places: dict[str, int] = {}

    def try_from(n: int) -> bool:
        if n == len(in_turn):
            return True
        letter = in_turn[n]
        for slot in rng.sample(allowed[letter], len(allowed[letter])):
            if slot not in places.values():
                places[letter] = slot
                if all(_walks(walk, places, ring) for walk in due[letter]) and try_from(n + 1):
                    return True
                del places[letter]
        return False

    return places if try_from(0) else None


def _layout(kinds: Kinds, places: dict[str, int]) -> Layout:
    letters = sorted(LETTERS, key=places.__getitem__)
    return built("".join(letters), "".join(kinds.part(BIT[letter]) for letter in letters))
