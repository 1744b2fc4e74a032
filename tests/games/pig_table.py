"""A small table for the pigs' tests: a position as text, one turn, and what stands there afterwards."""

from __future__ import annotations

from collections.abc import Iterable

from games import newest
from games.core import Outcome, Seat, State, check_turn, play_turn
from games.pigs import PigsState

PIGS = newest("pigs")
FREE = ("^", "v", "\\", "/", "TL", "TR", "F", "H")


def stand(position: str, **options: object) -> PigsState:
    return PigsState.read(position, PIGS.read_options(options), position.count("="))


def play(state: PigsState, **orders: str) -> list[PigsState]:
    check_turn(state, orders)
    return played(play_turn(state, {Seat(seat): order for seat, order in orders.items()}))


def played(states: Iterable[State]) -> list[PigsState]:
    """The same positions, known to be pigs'."""
    return [state for state in states if isinstance(state, PigsState)]


def program(state: PigsState, seat: Seat, first: str) -> str:
    """A legal program that begins with `first`; after it the pig only turns and takes its damage."""
    if first == "R":
        return "R R R R R"
    rest = ["X"] * (state.owed(seat) - (first == "X"))
    return " ".join([first, *rest, *["TL"] * (4 - len(rest))])


def step_state(position: str, commands: dict[str, str], **options: object) -> PigsState:
    """The position after the first step of a round; who is not named there turns left."""
    state = stand(position, **options)
    orders = {
        str(seat): program(state, seat, commands.get(seat, "TL"))
        for seat in state.seats
        if seat in state.to_act()
    }
    return next(after for after in play(state, **orders) if after.tick)


def step(position: str, *, side_cross: str = "pass", **commands: str) -> str:
    """The same as text. `last_standing`, so that a destroyed pig is no more than a hulk."""
    return step_state(position, commands, side_cross=side_cross, ends="last_standing").position()


def turn(position: str, orders: dict[str, str], **options: object) -> tuple[list[str], Outcome | None]:
    states = play(stand(position, **options), **orders)
    return [state.position() for state in states if state.tick], states[-1].outcome()
