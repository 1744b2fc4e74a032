"""A small table for Roboxing's tests: a position as text, one turn, and what stands there afterwards."""

from __future__ import annotations

from random import Random

from games import newest
from games.core import Seat, check_turn, play_turn
from games.roboxing import RoboxingState
from games.roboxing.robot import Layout, built, shuffled

ROBOXING = newest("roboxing")
FRED = "ga(d)/(e)[i]h/c(b)(f)"
SALLY = "c(g)b/(f)[e](i)/a(h)d"
A, B, C, D = map(Seat, "ABCD")


def stand(position: str, **options: object) -> RoboxingState:
    robots = options.get("robots", 1)
    assert isinstance(robots, int)
    return RoboxingState.read(position, ROBOXING.read_options(options), len(position.split(" ")) // robots)


def duel(
    a: str = "a1", b: str = "h8", fred: str = FRED, sally: str = SALLY, **options: object
) -> RoboxingState:
    return stand(f"A1@{a}:{fred} B1@{b}:{sally}", **options)


def opening(seats: int = 2, **options: object) -> RoboxingState:
    """The state before the robots are built, A in the corner a1 and B in h8."""
    corners = dict(zip("ABCD", ("a1", "h8", "a8", "h1"), strict=False))
    setup = {"corners": {seat: corners[seat] for seat in "ABCD"[:seats]}}
    state = ROBOXING.state.start(ROBOXING.read_options(options), seats, setup)
    assert isinstance(state, RoboxingState)
    return state


def play(state: RoboxingState, **orders: str) -> list[RoboxingState]:
    check_turn(state, orders)
    states = list(play_turn(state, {Seat(seat): order for seat, order in orders.items()}))
    assert all(isinstance(after, RoboxingState) for after in states)
    return states  # type: ignore[return-value]


def after(state: RoboxingState, **orders: str) -> str:
    return play(state, **orders)[-1].position()


def battered(rng: Random, free: bool) -> tuple[Layout, int]:
    layout = built(*shuffled(rng, free))
    while True:
        gone = rng.getrandbits(9) & rng.getrandbits(9) if rng.random() < 0.7 else 0
        if not layout.down(gone):
            return layout, gone


def crowd(rng: Random, seats: int, robots: int, free: bool, width: int = 8, height: int = 8) -> str:
    """A random position, often close together; every seat has a robot left, and somebody can hit (X13)."""
    while True:
        position = strewn(rng, seats, robots, free=free, width=width, height=height)
        state = stand(
            position, robots=robots, centre="free" if free else "booster", width=width, height=height
        )
        if not state.ended:
            return position


def strewn(rng: Random, seats: int, robots: int, *, free: bool, width: int, height: int) -> str:
    """A random position, dead ones among them."""
    near = rng.choice((2, 4, 15))
    words = []
    for seat in "ABCD"[:seats]:
        stays = rng.randrange(robots)
        for n in range(robots):
            if n != stays and rng.random() < 0.3:
                words.append(f"{seat}{n + 1}@-")
                continue
            layout, gone = battered(rng, free)
            x, y = rng.randrange(min(near, width)), rng.randrange(min(near, height))
            words.append(f"{seat}{n + 1}@{'abcdefghijklmno'[x]}{y + 1}:{layout.shown(gone)}")
    return " ".join(words)
