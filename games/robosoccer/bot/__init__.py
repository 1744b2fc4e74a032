"""The value of a position of Robosoccer; in its modules, the searches that bots and reviews use."""

from math import exp

from games.robosoccer.board import Board
from games.robosoccer.rules import Position
from games.robosoccer.turns import PLAYING, ball, robots, switch

BALL_UP, ROBOT_UP, ROBOT_HOME, SHOT = 1.0, 0.3, 1.0, 3.0
"""The values of each row that the ball and a robot have advanced, of a robot on the goal row, and of being
able to switch the ball there with one action."""
STEEP = 0.2


def evaluate(state: Position, side: int) -> float:
    """Estimates the winning chances of a side, from 0 to 1; 0.5 during the setup."""
    if state.stage < PLAYING:
        return 0.5
    ahead = side_score(state.board, state.cells, side) - side_score(state.board, state.cells, 1 - side)
    return 1 / (1 + exp(-STEEP * ahead))


def side_score(board: Board, cells: bytes, side: int) -> float:
    """Returns the score of a side's pieces, on a scale of its own."""
    last, goal = board.rows - 1, board.goals[side]
    own = robots(cells, side)

    def gone(square: int) -> int:
        """The number of rows from the side's home row to a square."""
        rank = square // board.columns
        return last - rank if side else rank

    at = ball(cells, side)
    at_goal = sum(goal.start <= square < goal.stop for square in own)
    shots = 0
    if at_goal:
        for ray in board.rays[at]:
            action = switch(cells, ray, side)
            shots += action is not None and goal.start <= action.start < goal.stop
    return (
        BALL_UP * gone(at) + ROBOT_UP * sum(map(gone, own)) + ROBOT_HOME * (at_goal > 0) + SHOT * (shots > 0)
    )
