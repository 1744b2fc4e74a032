"""Forced wins in Robble, found by a search of all orders of both players in the next few turns."""

from __future__ import annotations

from games.core import Order, Seat
from games.robble.rules import Position

Line = tuple[Order, ...]
"""A line of play: orders of the two players, one after the other."""


def forced_win(state: Position, seat: Seat, order: Order, moves: int) -> tuple[bool, Line]:
    """Returns a flag and a line of play; the flag is True if `order` forces a win for `seat`.

    The win must come within `moves` moves of `seat`, `order` included. If the order ends the match, or if
    `moves` is 1, the line is the order alone. Otherwise, if the order forces a win, one winning line is found
    for each reply of the other player, and the longest of these lines is returned. If the order does not
    force a win, the line is the order and a reply that prevents the win.
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
    """Returns a flag and the line of play after `reply`; the flag is True if `seat` can still force a win.

    `position_after` is the position before the reply, and `other` is the seat that replies. `moves` is one
    more than the number of moves that `seat` has left. The line is empty if the reply ends the match, or if
    `seat` cannot win.
    """
    (position,) = position_after.play({other: reply})
    if position.ended:
        return position.ended.scores[seat] == 1, ()
    for order in position.legal(seat, len(position.board.names)) or ():
        won, line = forced_win(position, seat, order, moves - 1)
        if won:
            return True, line
    return False, ()
