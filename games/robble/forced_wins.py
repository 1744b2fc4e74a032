"""Forced wins in Robble, found by a search of all orders of both players in the next few turns."""

from __future__ import annotations

from games.core import Order, Seat
from games.robble.rules import Position

Line = tuple[Order, ...]
"""A line of play: orders of the two players, one after the other."""


def forced_win(state: Position, seat: Seat, order: Order, moves: int) -> tuple[bool, Line]:
    """Returns (True, line) if `order` forces a win for `seat` within `moves` moves, else (False, line).

    The line is the play to show, beginning with `order`, which counts as one of the moves. For a forced win,
    it is the longest of the winning lines found, one for each reply of the other player. Otherwise, it ends
    with a reply that prevents the win. If `order` ends the match or `moves` is 1, the line is `order` alone.
    """
    (position_after,) = state.play({seat: order})
    if position_after.ended:
        return position_after.ended.scores[seat] == 1, (order,)
    if moves <= 1:
        return False, (order,)
    (other,) = position_after.to_act()
    longest: Line = ()
    for reply in position_after.legal(other, len(position_after.board.names)) or ():
        won, line = _answer(position_after, other, reply, seat, moves)
        if not won:
            return False, (order, reply)
        longest = max(longest, (reply, *line), key=len)
    return True, (order, *longest)


def _answer(position_after: Position, other: Seat, reply: Order, seat: Seat, moves: int) -> tuple[bool, Line]:
    """Returns (True, line) if `seat` can still force a win after the other seat's `reply`, else (False, ()).

    The line is the play after the reply; it is () if the reply ends the match. `position_after` is the
    position before the reply. `moves` is one more than the number of moves that `seat` has left.
    """
    (position,) = position_after.play({other: reply})
    if position.ended:
        return position.ended.scores[seat] == 1, ()
    for order in position.legal(seat, len(position.board.names)) or ():
        won, line = forced_win(position, seat, order, moves - 1)
        if won:
            return True, line
    return False, ()
