"""What is kept here of a guest, when he asks for it, becomes another one, goes, or loses a seat."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from robosite.matches.models import Seat
from robosite.people.models import Guest
from robosite.people.parts import Part
from robosite.talk import margin, stock
from robosite.talk.models import Ear, Message, Scribble


def export(guest: Guest) -> dict[str, Any] | None:
    """What he said and wrote, oldest first, and nothing that others said."""
    said = [_as_data(message) for message in _said(guest).order_by("sent_at", "pk").select_related("match")]
    written = [
        {"match": row.seat.match.key, "turn": row.turn + 1, "kind": row.kind, "text": text}
        for row in _written(guest).order_by("pk")
        if (text := margin.read(row.seat, row))
    ]
    return {"messages": said, "words_and_notes": written} if said or written else None


def forget(guest: Guest) -> None:
    """What he said stays with those who heard it, without his name; what he wrote for himself goes."""
    _said(guest).update(name=_("Somebody"))
    Scribble.objects.filter(pk__in=_written(guest).filter(kind=Scribble.Kind.NOTE)).delete()


def merge(gone: Guest, guest: Guest) -> None:
    _said(gone).update(guest=guest)


def pass_on(sender: object, seat: Seat, **more: object) -> None:
    """Whoever gets a lost seat reads no notes of who sat there, nor the word for the turn to come.

    What was said to him alone does not pass either.
    """
    Scribble.objects.filter(seat=seat, kind=Scribble.Kind.NOTE).delete()
    Scribble.objects.filter(seat=seat, turn__gte=seat.match.turn).delete()
    Ear.objects.filter(seat=seat).delete()


def _said(guest: Guest) -> QuerySet[Message]:
    return Message.objects.filter(guest=guest)


def _written(guest: Guest) -> QuerySet[Scribble]:
    """On the seats that he holds, and nobody else with him."""
    shared = Q(holds__isnull=False) & ~Q(holds__guest=guest)
    alone = Seat.objects.filter(holds__guest=guest).exclude(pk__in=Seat.objects.filter(shared).values("pk"))
    return Scribble.objects.filter(seat__in=alone).select_related("seat__match")


def _as_data(message: Message) -> dict[str, Any]:
    return {
        "match": message.match.key,
        "sent_at": message.sent_at.isoformat(),
        "among": "watchers" if message.watchers else "players",
        "name": message.name,
        "to": [ear.seat.name for ear in message.ears.select_related("seat") if ear.seat_id != message.seat_id]
        or "all",
        "text": "\n".join(filter(None, (stock.told(message.phrase), message.text))),
    }


PART = Part(export=export, forget=forget, merge=merge)
