"""What a position of Roboxing is made of: the robots in the ring, and what led there."""

from __future__ import annotations

from typing import NamedTuple

from games.core import Event, Outcome, Seat
from games.roboxing.ring import OFF, At, Ring
from games.roboxing.robot import Layout, Mask


class Cause(NamedTuple):
    """A turn that was fought, as everybody saw it (X12): one entry a robot in each field.

    Where the robots stood and where they moved, what they were ordered ("" where a robot was not in the ring
    any more), and whether their shots hit (None without a shot).
    """

    before: tuple[At, ...]
    after: tuple[At, ...]
    acts: tuple[str, ...]
    hits: tuple[bool | None, ...]


class Fields(NamedTuple):
    """The fields of a position.

    `layouts` is empty before the robots are built; in a view, an enemy's is None. `news` holds what happened
    apart from a fight (robots built, somebody left); `past` all turns that were fought; `builders` are those
    who gave layouts in this match.
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
        """The robots that `seat` still has in the ring."""
        return [i for i in self.ring.team[seat] if self.squares[i] != OFF]

    def layout(self, i: int) -> Layout:
        """How robot `i` is built; only asked where it may be known."""
        layout = self.layouts[i]
        assert layout, f"the layout of {self.ring.names[i]} is hidden here"
        return layout
