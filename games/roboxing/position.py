"""The data of a position of Roboxing: the robots in the ring, and the turns that were fought."""

from __future__ import annotations

from typing import NamedTuple

from games.core import Event, Outcome, Seat
from games.roboxing.ring import OFF, At, Ring
from games.roboxing.robot import Layout, Mask


class Cause(NamedTuple):
    """A turn that was fought, as everybody saw it (ruling X12), with one entry for each robot.

    `acts` are the orders; "" for a robot that had left the ring. `hits` has None if the robot did not
    shoot.
    """

    before: tuple[At, ...]
    after: tuple[At, ...]
    acts: tuple[str, ...]
    hits: tuple[bool | None, ...]


class Fields(NamedTuple):
    """The fields of a position of Roboxing; `squares`, `gone` and `layouts` have an entry for each robot.

    `gone` are the letters of destroyed slots. `layouts` is () before the robots are built; one is None if
    it is hidden, or if its seat left before the building. `standing` are the seats still in the match,
    `past` all turns that were fought, `news` the events of a step without a fight, and `builders` the
    seats whose orders built robots; none in a position read from text.
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
        """Returns the layout of robot `i`, which must not be hidden in this position."""
        layout = self.layouts[i]
        assert layout, f"the layout of {self.ring.names[i]} is hidden here"
        return layout
