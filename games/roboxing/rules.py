"""The rules of Roboxing, by Thomas Gale: build a robot in secret, then move, shoot and guess where it hurts.

The rulings X1 to X13 are in docs/rulings.md: those on a robot in `robot.py`, on the ring in `ring.py`, on an
order in `orders.py`, X13 in `dead_fights.py`.
"""

from collections.abc import Iterable, Mapping
from random import Random
from typing import Self

from games.core import Event, IllegalOrder, Order, Outcome, Seat, Setup, State
from games.roboxing.dead_fights import OUT_OF_REACH, is_dead
from games.roboxing.orders import LONGEST, every_order, legs_of, parted, read_act
from games.roboxing.ring import OFF, At, Cause, Fields, Options, Ring, ring, starts
from games.roboxing.robot import (
    ALL,
    BIT,
    BOOSTER,
    CENTRE,
    DESTROYED,
    FAR,
    HIDDEN,
    IN_MASK,
    LETTERS,
    PARTS,
    PLAIN,
    Layout,
    Mask,
    built,
    layout_of,
    misbuilt,
    read_slots,
    shuffled,
    write_slots,
)

_new = tuple.__new__  # a named tuple without the detour over keywords


class Position(Fields, State):
    """A position of Roboxing, or a seat's view of it."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash((self.ring, self.squares, self.gone, self.layouts, self.turn, self.tick))

    @classmethod
    def start(cls, options: Options, seats: int, setup: Setup) -> Self:
        here = ring(options, seats)
        squares = starts(here, setup)  # X2
        gone = (0,) * len(squares)
        return cls(ring=here, squares=squares, gone=gone, layouts=(), standing=frozenset(here.seats))

    @classmethod
    def read(cls, text: str, options: Options, seats: int) -> Self:
        here = ring(options, seats)
        words = text.split(" ")
        if len(words) != len(here.names):
            raise ValueError(f"“{text}” has {len(words)} robots, not {len(here.names)}.")
        robots = [_read_robot(here, name, word) for name, word in zip(here.names, words, strict=True)]
        shown = {known for at, _, _, known in robots if at != OFF}
        if len(shown) > 1:
            raise ValueError(f"“{text}” shows robots with layouts and robots without.")
        squares = tuple(at for at, _, _, _ in robots)
        gone = tuple(mask for _, mask, _, _ in robots)
        layouts = () if shown == {False} else tuple(layout for _, _, layout, _ in robots)
        standing = _standing(here, squares)
        state = cls(ring=here, squares=squares, gone=gone, layouts=layouts, standing=standing)
        known = all(layout for at, _, layout, _ in robots if at != OFF)
        return state._judged() if known and len(standing) > 1 else state

    def position(self) -> str:
        return " ".join(map(self.robot_text, range(len(self.squares))))

    def robot_text(self, i: int) -> str:
        name, at = self.ring.names[i], self.squares[i]
        if at == OFF:
            return f"{name}@-"
        if not self.layouts:
            return f"{name}@{self.ring.square(at)}"
        layout, gone = self.layouts[i], self.gone[i]
        return f"{name}@{self.ring.square(at)}:{layout.shown(gone) if layout else HIDDEN + IN_MASK[gone]}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return self.ring.seats

    @property
    def options(self) -> Options:
        return self.ring.options

    def still_in(self) -> frozenset[Seat]:
        return self.standing

    to_act = still_in

    def longest_order(self, seat: Seat) -> int:
        one = LONGEST if self.layouts else len(PLAIN)
        return (one + 1) * self.options.robots - 1

    def read_order(self, seat: Seat, order: Order) -> Order:
        if not self.layouts:
            return " ".join(layout.text for layout in self.read_layouts(order))
        acts, robots = parted(order), self.robots(seat)
        if len(acts) != len(robots):
            raise IllegalOrder(
                "You have {n} robots in the ring, so give {n} orders with ; between them; there are {given}."
                if len(robots) > 1
                else "You have one robot in the ring, so give one order; there are {given}.",
                n=len(robots),
                given=len(acts),
            )
        return ";".join(read_act(self, i, words) for i, words in zip(robots, acts, strict=True))

    def read_layouts(self, order: Order) -> list[Layout]:
        """Parses the layouts that an order builds; raises IllegalOrder if they are not legal (ruling X1)."""
        slots, robots = read_slots(order), self.options.robots
        if len(slots) != 9 * robots:
            raise IllegalOrder(
                "A layout has nine slots; there are {n}, and you build {robots} robots."
                if robots > 1
                else "A layout has nine slots; there are {n}.",
                n=len(slots),
                robots=robots,
            )
        layouts = []
        for first in range(0, len(slots), 9):
            letters, parts = ("".join(word) for word in zip(*slots[first : first + 9], strict=True))
            if fault := misbuilt(letters, parts, self.options.centre == "free"):
                raise fault
            layouts.append(built(letters, parts))
        return layouts

    def sample(self, seat: Seat, rng: Random) -> Order:
        if not self.layouts:
            free = self.options.centre == "free"
            return " ".join([write_slots(*shuffled(rng, free)) for _ in self.ring.team[seat]])
        if self.ring.is_one_on_one:
            i = 0 if seat == "A" else 1
            return self._sample_act(i, 1 - i, rng)
        enemies = [j for j in self.ring.enemies(seat) if self.squares[j] != OFF]
        return ";".join(
            self._sample_act(i, enemies[int(rng.random() * len(enemies))], rng) for i in self.robots(seat)
        )

    def _sample_act(self, i: int, enemy: int, rng: Random) -> str:
        ring, squares, gone, layouts, _, _, _, _, _, _, _ = self
        random, layout = rng.random, layouts[i]
        assert layout
        engines, left, lasers, _, _, _, _ = layout.powers[gone[i]]
        move = ""
        if engines:
            at, room, steps = squares[i], ring.room, layout.steps
            more = random() < 0.9
            while more:
                letter = engines[int(random() * len(engines))]
                step = steps[letter]
                most = room[step][at]
                if most > left:  # noqa: PLR1730 - a call of min costs more than all of this
                    most = left
                if not most:
                    break
                n = 1 + int(random() * most)
                move = f"{move}+{letter}{n}" if move else f"{letter}{n}"
                at += step * n
                left -= n
                more = left > 0 and random() < 0.4
        if not move:
            move = "-"
        if random() < 0.1:
            return move
        targets = IN_MASK[ALL & ~gone[enemy]]
        turret, target = lasers[int(random() * len(lasers))], targets[int(random() * len(targets))]
        if ring.is_one_on_one:
            return f"{move} {turret} {target}"
        return f"{move} {turret} {ring.names[enemy]}:{target}"

    def legal(self, seat: Seat, most: int) -> list[Order] | None:
        if seat not in self.to_act():
            return []
        if not self.layouts:
            return None  # more than a hundred thousand layouts, even with the booster in the centre (X1)
        return every_order(self, self.robots(seat), most)

    def turns_without_change(self) -> int:
        return next((n for n, cause in enumerate(reversed(self.past)) if any(cause.hits)), len(self.past))

    def play(self, orders: Mapping[Seat, Order]) -> Iterable[Self]:
        return self._fight(self._acts(orders)) if self.layouts else (self._build(orders),)

    def _fight(self, acts: tuple[str, ...]) -> tuple[Self, Self]:
        """Returns the positions after all moves, and after all shots and their damage (ruling X3)."""
        ring, before, was, layouts, standing, turn, _, _, past, _, builders = self
        squares, shots = self._move(acts)
        hits, gone = self._shoot(squares, shots)
        past = past + (_new(Cause, (before, squares, acts, hits)),)  # noqa: RUF005 - an unpacking takes longer
        state: Self = _new(
            type(self),
            (ring, squares, was, layouts, standing, turn, False, None, past, (), builders),
        )
        return state, state._damaged(gone)

    def _build(self, orders: Mapping[Seat, Order]) -> Self:
        """Returns the position after robots are built, ended if nobody can ever hit (ruling X13)."""
        layouts: list[Layout | None] = [None] * len(self.squares)
        for seat, order in orders.items():
            for i, text in zip(self.ring.team[seat], order.split(" "), strict=True):
                layouts[i] = layout_of(text)
        builders = frozenset(orders)
        news = tuple({"kind": "built", "by": seat} for seat in self.seats if seat in builders)
        state = self._replace(
            layouts=tuple(layouts), turn=self.turn + 1, tick=True, news=news, builders=builders
        )._judged()
        return state._replace(news=(*news, {"kind": OUT_OF_REACH})) if state.ended else state

    def _judged(self) -> Self:
        """Returns this position, ended if nobody can ever hit an enemy again (ruling X13)."""
        if not is_dead(self):
            return self
        ended = Outcome.shared(self.standing, self.seats, OUT_OF_REACH)
        return self._replace(ended=ended, standing=frozenset())

    def _acts(self, orders: Mapping[Seat, Order]) -> tuple[str, ...]:
        """Splits the seats' orders into one for each robot; "" for one that has left the ring."""
        if self.ring.is_one_on_one:
            first, second = self.ring.seats
            return orders[first], orders[second]
        acts = [""] * len(self.squares)
        for seat, order in orders.items():
            for i, act in zip(self.robots(seat), order.split(";"), strict=True):
                acts[i] = act
        return tuple(acts)

    def _move(self, acts: tuple[str, ...]) -> tuple[tuple[At, ...], list[tuple[int, str, int]]]:
        """Returns all squares after the moves, and the shots; robots do not block each other (X6)."""
        squares, shots = list(self.squares), []
        for i, act in enumerate(acts):
            if not act:
                continue
            move, _, shot = act.partition(" ")
            moved = 0
            if move != "-":
                layout = self.layouts[i]
                assert layout
                steps, at = layout.steps, squares[i]
                for letter, n in legs_of(move):
                    at += steps[letter] * n
                    moved += n
                squares[i] = at
            if shot:
                shots.append((i, shot, moved))
        return tuple(squares), shots

    def _shoot(
        self, squares: tuple[At, ...], shots: list[tuple[int, str, int]]
    ) -> tuple[tuple[bool | None, ...], tuple[Mask, ...]]:
        """Returns the result of each robot's shot, and all letters lost: all at once (ruling X3)."""
        before, is_one_on_one, layouts = self.gone, self.ring.is_one_on_one, self.layouts
        hits: list[bool | None] = [None] * len(squares)
        gone: list[Mask] | None = None
        for i, shot, moved in shots:
            layout = layouts[i]
            assert layout
            target = 1 - i if is_one_on_one else self.ring.index[shot[2:4]]
            _, _, _, reach, reach_unboosted, spaces_unboosted, _ = layout.powers[before[i]]
            away = layout.zones[shot[0]].get(squares[target] - squares[i], FAR)
            hit = hits[i] = away <= (reach if moved <= spaces_unboosted else reach_unboosted)  # X8
            if hit:
                if gone is None:
                    gone = [*before]
                gone[target] |= BIT[shot[-1]]
        return tuple(hits), tuple(gone) if gone else before

    def _damaged(self, gone: tuple[Mask, ...]) -> Self:
        """Returns the position after a turn's damage; `gone` has the letters lost (rulings X11, X13)."""
        ring, squares, was, layouts, standing, turn, _, ended, past, _, builders = self
        if gone is not was:
            down = [i for i, mask in enumerate(gone) if mask != was[i] and self.layout(i).down(mask)]
            if down:
                squares = tuple([OFF if i in down else at for i, at in enumerate(squares)])
                standing = _standing(ring, squares)
                if len(standing) <= 1:
                    ended = Outcome.shared(standing or self.standing, self.seats, "knockout")
                    standing = frozenset()
        state: Self = _new(
            type(self),
            (ring, squares, gone, layouts, standing, turn + 1, True, ended, past, (), builders),
        )
        return state if ended else state._judged()

    def leave(self, seats: frozenset[Seat]) -> Self:
        """Returns the position without the robots of these seats (ruling G1)."""
        squares = tuple(
            OFF if owner in seats else at for at, owner in zip(self.squares, self.ring.owners, strict=True)
        )
        news = tuple({"kind": "resigned", "by": seat} for seat in self.seats if seat in seats)
        return self._replace(squares=squares, standing=self.standing - seats, tick=False, news=news)

    def end(self, outcome: Outcome, events: list[Event]) -> Self:
        return self._replace(
            turn=self.turn + 1, tick=False, ended=outcome, standing=frozenset(), news=tuple(events)
        )

    def view(self, seat: Seat | None) -> Self:
        """Returns the position as `seat` or a spectator may see it: until the end, no others' layouts."""
        if self.ended or not self.layouts:
            return self
        return self._replace(
            layouts=tuple(
                layout if owner == seat else None
                for owner, layout in zip(self.ring.owners, self.layouts, strict=True)
            )
        )

    def conceals(self, turn: int, seat: Seat) -> bool:
        return turn == 0 and seat in self.builders and not self.ended


def _standing(here: Ring, squares: tuple[At, ...]) -> frozenset[Seat]:
    return frozenset([owner for owner, at in zip(here.owners, squares, strict=True) if at != OFF])


def _read_robot(here: Ring, name: str, word: str) -> tuple[At, Mask, Layout | None, bool]:
    """Parses a robot into (square, letters lost, layout, True if it has one); raises ValueError."""
    found, sign, rest = word.partition("@")
    if found != name or not sign:
        raise ValueError(f"“{word}” should begin with “{name}@”.")
    if rest == "-":
        return OFF, 0, None, False
    square, sign, text = rest.partition(":")
    at = here.at(square)
    if not sign:
        return at, 0, None, False
    if text.startswith(HIDDEN):
        letters = text.removeprefix(HIDDEN)
        if list(letters) != sorted(set(letters) & set(LETTERS)) or len(letters) > 7:
            raise ValueError(f"“{text}” is no hidden layout with its destroyed letters.")
        return at, sum(BIT[letter] for letter in letters), None, True
    layout, gone = _read_layout(text, here.options.centre == "free")
    if layout.shown(gone) != text or layout.down(gone):
        raise ValueError(f"“{text}” is no layout of a robot that stands.")
    return at, gone, layout, True


def _read_layout(text: str, free_centre: bool) -> tuple[Layout, Mask]:
    """Parses a layout and the letters of its destroyed slots; raises ValueError if it is not legal."""
    slots = read_slots(text, DESTROYED)
    lost = [i for i, (sign, _) in enumerate(slots) if sign == DESTROYED]
    letters, parts = [letter for letter, _ in slots], [part for _, part in slots]
    unused = [letter for letter in LETTERS if letter not in letters]
    spare = list(PARTS)
    for part in parts:
        if part:
            if part not in spare:
                raise ValueError(f"“{text}” has too many of a part.")
            spare.remove(part)
    if len(slots) != 9 or len(unused) != len(lost):
        raise ValueError(f"“{text}” is no layout.")
    if BOOSTER in spare and not free_centre:
        if CENTRE not in lost:
            raise ValueError(f"“{text}” has no booster in the centre.")
        letters[CENTRE], parts[CENTRE] = unused.pop(0), BOOSTER
        spare.remove(BOOSTER)
        lost.remove(CENTRE)
        gone = BIT[letters[CENTRE]]
    else:
        gone = 0
    for i, letter, part in zip(lost, unused, spare, strict=True):
        letters[i], parts[i] = letter, part
        gone |= BIT[letter]
    fault = misbuilt("".join(letters), "".join(parts), free_centre)
    if fault:
        raise fault
    return built("".join(letters), "".join(parts)), gone
