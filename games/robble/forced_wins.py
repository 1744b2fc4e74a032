"""Forced wins in Robble: a search of everything that both players may do in the next few turns."""

from __future__ import annotations

from games.core import Order, Seat
from games.robble.rules import Position

Line = tuple[Order, ...]
"""A line of play: the orders of both players in turn."""


def forced_win(state: Position, seat: Seat, order: Order, moves: int) -> tuple[bool, Line]:
    """Tell whether `order` wins within `moves` of the player's own moves, whatever the other does.

    Also returns a line of play from `order` on. If the order wins, it is the longest line that the other can
    choose; if not, it ends with the reply that prevents the win, or with `order` if no moves are left.
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
    """Tell whether some order wins after this reply; also returns the line of play from there on."""
    (position,) = position_after.play({other: reply})
    if position.ended:
        return position.ended.scores[seat] == 1, ()
    for order in position.legal(seat, len(position.board.names)) or ():
        won, line = forced_win(position, seat, order, moves - 1)
        if won:
            return True, line
    return False, ()
