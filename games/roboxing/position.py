"""The data of a position of Roboxing: the robots in the ring, and the turns that were fought."""

from __future__ import annotations

from typing import NamedTuple

from games.core import Event, Outcome, Seat
from games.roboxing.ring import OFF, At, Ring
from games.roboxing.robot import Layout, Mask


class Cause(NamedTuple):
    """A turn that was fought, as everybody saw it (ruling X12).

    Each field has one entry for each robot. `before` and `after` are the squares before and after the moves.
    `acts` are the orders; "" for a robot that had left the ring. `hits` has True for a hit, False for a miss,
    and None if the robot did not shoot.
    """

    before: tuple[At, ...]
    after: tuple[At, ...]
    acts: tuple[str, ...]
    hits: tuple[bool | None, ...]


class Fields(NamedTuple):
    """The fields of a position of Roboxing.

    `squares`, `gone` and `layouts` have one entry for each robot. `gone` has the letters of the robot's
    destroyed slots. `layouts` has the letters and parts of its nine slots, and is () before the robots are
    built. A layout is None if it is hidden in this view, or if the robot's seat left before the building.
    `standing` are the seats still in the match. `past` are all turns that were fought. `news` are the events
    of a step without a fight, such as a resignation. `builders` are the seats whose orders built robots in
    this match; it is empty for a position read from text.
    """

    ring: Ring
    squares: tuple[At, ...]
    gone: tuple[Mask, ...]
    layouts: tuple[Layout | None, ...]
    standing: frozenset[Seat]
    turn: int = 0
    tick: bool = True
    ended: Outcome | None = None
    past: tuple[Cause, ...] = ()
    news: tuple[Event, ...] = ()
    builders: frozenset[Seat] = frozenset()

    def robots(self, seat: Seat) -> list[int]:
        """Returns the indices of the robots that `seat` still has in the ring."""
        return [i for i in self.ring.team[seat] if self.squares[i] != OFF]

    def layout(self, i: int) -> Layout:
        """Returns the layout (letters and parts) of robot `i`, which must not be hidden in this position."""
        layout = self.layouts[i]
        assert layout, f"the layout of {self.ring.names[i]} is hidden here"
        return layout
