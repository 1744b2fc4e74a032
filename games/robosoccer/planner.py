"""The planner of Robosoccer: lining up, placing the ball, and turns by taps on the board."""

from __future__ import annotations

from games.core import Order, Seat, Sentence
from games.robosoccer.board import JUMP, PUSH
from games.robosoccer.plan_records import RobosoccerPlan, shown
from games.robosoccer.rules import Position
from games.robosoccer.setup_planner import line_up, place_ball
from games.robosoccer.turn_planner import first_of, turn
from games.robosoccer.turns import MOST_AT_HOME, PLAYING


def plan(state: Position, seat: Seat, partial: Order) -> RobosoccerPlan:
    """Returns the plan of the seat's next order: a line-up, the square of its ball, or a turn.

    If it is not the seat's turn, the plan has no choices, and `missing` says why.
    """
    if seat not in state.to_act():
        why_not = Sentence("The match is over.") if state.ended else Sentence("It is not your turn.")
        return RobosoccerPlan(order="", choices=(), missing=why_not, words=(), **shown(state, state.cells))
    if state.stage < 2:
        return line_up(state, partial)
    if state.stage < PLAYING:
        return place_ball(state, partial)
    return turn(state, partial)


def novelties(state: Position, seat: Seat) -> tuple[Sentence | None, ...]:
    """Five sentences for a newcomer: on a possible push, a possible jump, turns, arrows, and switches.

    The first is None if no push is possible, and the second if no jump is possible. All five are None if
    `seat` has no turn to play in this position.
    """
    if state.stage < PLAYING or seat not in state.to_act():
        return (None,) * 5
    return (
        first_of(state, PUSH),
        first_of(state, JUMP),
        Sentence(
            "What glows can act: tap it, then a marked square. Two actions make a turn. At its end at most "
            "{most} of your pieces, the ball included, may stand on your home row.",
            most=MOST_AT_HOME,
        ),
        Sentence(
            "Yellow arrows are one-way: robots pass only as they point. No robot passes a red line, only the "
            "ball does."
        ),
        Sentence(
            "Two bent arrows beside a robot: nothing stands between it and your ball on their row or "
            "diagonal, so they can change places."
        ),
    )
