"""The matches that wait for a guest: the count in the header of every page."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan

from robosite.engine.prepared import PreparedTuples
from robosite.matches.models import Match, Program, Seat, held_by
from robosite.people.current_guest import KEY, current_guest
from robosite.people.models import Guest
from robosite.play.decorators import Request


def with_waits(seats: QuerySet[Seat]) -> Any:
    """The seats, each annotated with `waits`: True if it is to act, and has neither sealed nor resigned."""
    given = Program.objects.filter(seat=OuterRef("pk"), turn=OuterRef("match__turn")).exclude(seal="")
    waits = (
        Q(match__status=Match.Status.PLAYING)
        & GreaterThan(StrIndex("match__to_act", "letter"), 0)
        & (Q(resigned_turn=None) | ~Q(resigned_turn=F("match__turn")))
        & ~Exists(given)
    )
    return seats.annotate(waits=waits)


def count_waiting(guest: Guest) -> int:
    """The number of matches that wait for a guest."""
    ((_one, count),) = _waiting.rows(guest.pk)
    return int(count)


def _waiting_of(guest: int) -> QuerySet[Any, Any]:
    """A single row: the number 1, and how many matches wait for the guest with this primary key."""
    seats = with_waits(Seat.objects.filter(held_by(guest), match__status=Match.Status.PLAYING))
    count = Count("match", distinct=True)
    rows: QuerySet[Any, Any] = seats.filter(waits=True).order_by().values(one=Value(1)).annotate(count=count)
    return rows.values_list("one", "count")


_waiting = PreparedTuples(_waiting_of, int)


def waiting_games(request: Request) -> dict[str, Any]:
    """The header's context for every whole page: the browser's guest, and how many matches wait.

    A match's page that stays open is told by its updates, and when somebody comes back to it (`live.js`).
    """
    if not hasattr(request, "session") or not request.session.get(KEY) or request.htmx:
        return {}
    guest = current_guest(request)
    if guest is None:
        return {}
    known = getattr(request, "waiting", None)
    return {"waiting": count_waiting(guest) if known is None else known, "called": guest.name}


def waits_here(request: Request) -> dict[str, int]:
    """The header's count for a page that is already open; nothing for a browser without a guest."""
    guest = current_guest(request) if request.session.get(KEY) else None
    return {"waiting": count_waiting(guest)} if guest else {}
