"""Puzzles: positions of played matches in which few orders win for certain, as an exhaustive search shows.

A puzzle asks for an order that wins whatever the others do: in this turn, in Robble within so many moves. An
order is judged anew each time it is tried (`play_out`), so nothing depends on a list of answers.
games/puzzles.json holds the positions; `make puzzles` finds them in matches between programs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import product
from random import Random
from typing import Any, NamedTuple

from games import newest
from games.core import Order, Seat, Sentence, State, play_turn
from games.robble.forced_wins import forced_win
from games.robble.rules import Position as RobblePosition
from games.roboxing.rules import Position as RoboxingPosition
from games.roboxing.sure_hits import SureHits

REPLIES = 700
"""What each of the others may do in a puzzle that is judged by trying it all: so many ways at most."""
TRIES = 120
"""How many orders of a hidden enemy are looked at for one by which an order fails."""

Orders = dict[Seat, Order]


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position, after the turns of `before`, in which `seat` wins for certain within `moves` of its own.

    `solutions` of its `orders` legal orders do it; `answer` is one of them. `found` says in which match of
    `make puzzles` it was found: seed, preset, match, turn.
    """

    game: str
    seat: Seat
    position: str
    moves: int
    orders: int
    solutions: int
    answer: Order
    found: str
    seats: int = 2
    options: Mapping[str, Any] = field(default_factory=dict)
    before: tuple[Orders, ...] = ()

    def state(self) -> State:
        """The position that is to be solved, whole."""
        game = newest(self.game)
        state = game.state.read(self.position, game.read_options(self.options), self.seats)
        for orders in self.before:
            *_, state = play_turn(state, orders)
        return state

    def as_json(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value not in ({}, ())}


class PlayedOut(NamedTuple):
    """An order tried out: the turns to show, from this position, and whether it wins for certain.

    The others do something against which it fails, if there is any such thing. `hidden` says that it failed
    only because of something that nobody could know.
    """

    state: State
    turns: tuple[Orders, ...]
    solved: bool
    hidden: bool = False


def read(text: str) -> dict[str, tuple[Puzzle, ...]]:
    """The puzzles of each game, in the order of their numbers, from the text of games/puzzles.json."""
    return {
        slug: tuple(Puzzle(**{**row, "before": tuple(row.get("before", ()))}) for row in rows)
        for slug, rows in json.loads(text).items()
    }


def play_out(state: State, seat: Seat, order: Order, moves: int) -> PlayedOut:
    """What comes of a canonical order of `seat` in the whole position `state`."""
    if isinstance(state, RobblePosition):
        solved, line = forced_win(state, seat, order, moves)
        return PlayedOut(state, tuple(_in_turn(state, line)), solved)
    if isinstance(state, RoboxingPosition):
        return _against_hidden(state, seat, order)
    return _against_all(state, seat, order, list(replies(state, seat)))


def replies(state: State, seat: Seat) -> Iterator[Orders]:
    """All that the others may do in this turn; ValueError if it is more than REPLIES for one of them."""
    others = sorted(state.to_act() - {seat})
    choices = []
    for other in others:
        legal = state.legal(other, REPLIES)
        if legal is None:
            raise ValueError(f"{other} has more than {REPLIES} orders.")
        choices.append(legal)
    for chosen in product(*choices):
        yield dict(zip(others, chosen, strict=True))


def solutions(state: State, seat: Seat, moves: int, most: int) -> list[Order] | None:
    """All orders that win for certain; None if there are more than `most` orders to look at."""
    legal = state.legal(seat, most)
    if legal is None:
        return None
    if isinstance(state, RobblePosition):
        return [order for order in legal if forced_win(state, seat, order, moves)[0]]
    if isinstance(state, RoboxingPosition):
        sure = SureHits(state, seat)
        return [order for order in legal if sure.wins(order)]
    every, found = list(replies(state, seat)), []
    for order in legal:
        tried = _against_all(state, seat, order, every)
        if tried.solved:
            found.append(order)
        elif len(every) > 1:  # what refutes one order refutes many
            every.insert(0, every.pop(every.index(_others(tried.turns[0], seat))))
    return found


def hint(puzzle: Puzzle) -> Sentence:
    """Where to look, without the answer."""
    answer = puzzle.answer
    if puzzle.game == "pigs":
        commands = answer.split()
        if "F" in commands:
            return Sentence("Fire in step {n}, among others.", n=commands.index("F") + 1)
        return Sentence("Hit in step {n}, among others.", n=commands.index("H") + 1)
    if puzzle.game == "robosoccer":
        return Sentence("The first action begins on {at}.", at=answer[:2])
    if puzzle.game == "robble":
        return Sentence("Look at the {file}-file.", file=answer[0])
    return Sentence("Aim at the letter {letter}.", letter=answer[-1])


def has_won(state: State, seat: Seat) -> bool:
    """Whether the match is over and `seat` has won it alone."""
    return state.ended is not None and state.ended.scores[seat] == 1


def _others(orders: Orders, seat: Seat) -> Orders:
    return {at: order for at, order in orders.items() if at != seat}


def _after(state: State, orders: Orders) -> State:
    *_, last = state.play(orders)
    return last


def _against_all(state: State, seat: Seat, order: Order, every: list[Orders]) -> PlayedOut:
    """Tried against all that the others may do: the first thing by which it fails, else the last one."""
    orders = {seat: order}
    for others in every:
        orders = {**others, seat: order}
        if not has_won(_after(state, orders), seat):
            return PlayedOut(state, (orders,), solved=False)
    return PlayedOut(state, (orders,), solved=True)


def _against_hidden(state: RoboxingPosition, seat: Seat, order: Order) -> PlayedOut:
    """Proved from what `seat` knows; shown in the real position, or in another one that it could be."""
    sure, rng = SureHits(state, seat), Random(0)
    solved = sure.wins(order)
    (other,) = state.to_act() - {seat}
    if solved:
        return PlayedOut(state, ({seat: order, other: state.sample(other, rng)},), solved=True)
    for n in range(TRIES):
        world = state if n < TRIES // 2 else state.view(seat).determinize(rng)
        orders = {seat: order, other: world.sample(other, rng) if n else "-"}
        if not has_won(_after(world, orders), seat):
            return PlayedOut(world, (orders,), solved=False, hidden=n >= TRIES // 2)
    return PlayedOut(state, ({seat: order, other: "-"},), solved=False, hidden=True)


def _in_turn(state: State, line: tuple[Order, ...]) -> Iterator[Orders]:
    """The orders of a line, each with the seat that gives it."""
    for order in line:
        (seat,) = state.to_act()
        yield {seat: order}
        state = _after(state, {seat: order})
