"""Newcomers of ten minutes, one for each game, and those who stand still: bots are measured against them.

A newcomer tries a few orders on the planner, as if the others stayed where they are, and takes the best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from games import newest
from games.core import DRAW, Order, Seat, State, play_turn
from games.grid import Square
from games.pigs.steps import DAMAGE, FIRE, HULK, LIVES, STEPS, square_of
from games.players import PATIENCE, is_stuck
from games.robble.stones import groups
from games.robosoccer.turns import PLAYING, ball, robots
from games.roboxing.ring import OFF
from games.roboxing.robot import PLAIN

TRIES = {"pigs": 40, "roboxing": 40, "robosoccer": 120, "robble": 24}
"""The number of orders that a newcomer tries before one is sealed."""

Policy = Callable[[State, Seat, Random], Order]


def newcomer(slug: str) -> Policy:
    def order(view: Any, seat: Seat, rng: Random) -> Order:
        if slug == "roboxing" and not view.layouts:
            return " ".join([PLAIN] * view.options.robots)
        world = view.determinize(rng)
        others = {other: staying(slug, world, other) for other in world.to_act() - {seat}}
        tried = [view.sample(seat, rng) for _ in range(TRIES[slug])]
        return max(tried, key=lambda one: LOOKS[slug](list(world.play({**others, seat: one}))[-1], seat))

    return order


def staying(slug: str, state: Any, seat: Seat) -> Order:
    """Returns the order of a pig that stands and fires, or of robots that just stand."""
    if slug == "pigs":
        return " ".join([FIRE] * (STEPS - state.owed(seat)) + [DAMAGE] * state.owed(seat))
    return ";".join("-" for _ in state.robots(seat))


def gunner(slug: str) -> Policy:
    """Returns the policy of a player who never moves but fires every turn; for pigs and Roboxing."""

    def order(view: Any, seat: Seat, rng: Random) -> Order:
        if slug == "pigs":
            return staying(slug, view, seat)
        if not view.layouts:
            return " ".join([PLAIN] * view.options.robots)
        acts = view.sample(seat, rng).split(";")
        return ";".join(f"- {shot}".strip() for _, _, shot in (act.partition(" ") for act in acts))

    return order


def points(slug: str, one: Policy, other: Policy, matches: int) -> float:
    return sum(
        _points(slug, (one, other) if number % 2 else (other, one), number) for number in range(matches)
    )


def _points(slug: str, players: Sequence[Policy], number: int) -> float:
    game, rng = newest(slug), Random(number // 2)
    options = game.read_options({})
    state = game.state.start(options, 2, game.draw(options, 2, rng, {}))
    rng = Random(number)
    while (outcome := state.outcome()) is None:
        if state.turn >= PATIENCE or is_stuck(state):
            orders = dict.fromkeys(state.still_in(), DRAW)
        else:
            orders = {
                seat: player(state.view(seat), seat, rng)
                for seat, player in zip(state.seats, players, strict=True)
                if seat in state.to_act()
            }
        *_, state = play_turn(state, orders)
    return outcome.scores[state.seats[1 - number % 2]]


def _distance(own: Sequence[Square], others: Sequence[Square]) -> int:
    return min((max(abs(a.file - b.file), abs(a.rank - b.rank)) for a in own for b in others), default=0)


def _pigs(state: Any, seat: Seat) -> float:
    """Hits landed and not taken, then being near."""
    pigs = dict(zip(state.seats, zip(state.poses, state.damage, strict=True), strict=True))
    pose, damage = pigs.pop(seat)
    others = [square_of(p) for p, hurt in pigs.values() if hurt != HULK]
    landed = sum(min(hurt, LIVES) for _, hurt in pigs.values())
    return landed - min(damage, LIVES) - _distance([square_of(pose)], others) / 10


def _roboxing(state: Any, seat: Seat) -> float:
    """Parts shot off, then being near."""
    ring, own = state.ring, state.ring.team[seat]
    there = [i for i, at in enumerate(state.squares) if at != OFF and i not in own]
    landed = sum(gone.bit_count() for i, gone in enumerate(state.gone) if i not in own)
    here = [ring.square(state.squares[i]) for i in own if state.squares[i] != OFF]
    return landed - _distance(here, [ring.square(state.squares[i]) for i in there]) / 100


def _robosoccer(state: Any, seat: Seat) -> float:
    """A goal, then how far the ball has come, then the robots."""
    if state.ended or state.stage < PLAYING:
        return 100 * state.ended.scores[seat] if state.ended else 0
    side, last = state.seats.index(seat), state.board.rows - 1
    ranks = [
        square // state.board.columns for square in (ball(state.cells, side), *robots(state.cells, side))
    ]
    up, *rest = (last - rank if side else rank for rank in ranks)
    return up + 0.3 * sum(rest)


def _robble(state: Any, seat: Seat) -> float:
    """The own biggest group less the other's, then all stones."""
    if state.ended:
        return 100 * state.ended.scores[seat]
    colour = state.colour(seat)
    own, other = (
        [group.bit_count() for group in groups(state.board, state.board.stones_of(state.stones, side))]
        for side in (colour, 1 - colour)
    )
    return max(own, default=0) - max(other, default=0) + (sum(own) - sum(other)) / 5


LOOKS = {"pigs": _pigs, "roboxing": _roboxing, "robosoccer": _robosoccer, "robble": _robble}
"""The value of a position to a newcomer at a seat, by game."""
