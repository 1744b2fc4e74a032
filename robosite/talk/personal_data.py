"""A guest's personal data in talk: export, merging two guests, erasing a guest, passing on a seat."""

from typing import Any

from django.db.models import Exists, F, OuterRef, QuerySet
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils.translation import gettext as _

from robosite.matches.flow import passed
from robosite.matches.models import Hold, Seat, held_by
from robosite.people.models import Guest
from robosite.people.personal_data import Part
from robosite.play import hot_seat
from robosite.talk import messages, turn_notes
from robosite.talk.models import Message, Recipient, TurnNote
from robosite.web.written_names import FORGOTTEN, name_to_show


def export(guest: Guest, request: HttpRequest | None = None) -> dict[str, Any] | None:
    """Exports the guest's messages, notes, and messages revealed with turns, oldest first.

    Texts for turns are only from seats that the guest alone holds. Seats that the request's device hides now
    (`hot_seat.covered`) are listed, without private texts. None if there is nothing.
    """
    covered = hot_seat.covered(request, guest) if request else []
    hidden = [seat.pk for seat in covered]
    heard = _said(guest).exclude(seat__in=hidden, to_all=False)
    written = [(row, turn_notes.text_of(row.seat, row)) for row in _written(guest).exclude(seat__in=hidden)]
    data = _exported(heard, written)
    if covered:
        data["behind_the_curtain"] = [{"match": seat.match.key, "seat": seat.letter} for seat in covered]
    return data if any(data.values()) else None


def export_for_host(guest: Guest) -> dict[str, Any] | None:
    """Exports the guest's messages to all players, and their messages that were revealed with turns."""
    written = [
        (row, turn_notes.words_with(row.seat.match, row.turn).get(row.seat.letter, ""))
        for row in _written(guest).filter(kind=TurnNote.Kind.WORD)
    ]
    data = _exported(_said(guest).filter(to_all=True), written)
    return data if any(data.values()) else None


def _exported(said: QuerySet[Message], written: list[tuple[TurnNote, str]]) -> dict[str, Any]:
    return {
        "messages": [_as_data(message) for message in said.order_by("sent_at", "pk")],
        "words_and_notes": [
            {"match": row.seat.match.key, "turn": row.turn + 1, "kind": row.kind, "text": text}
            for row, text in written
            if text
        ],
    }


def stays() -> list[str]:
    return [
        _(
            "What you wrote in a match stays with those who read it, as you wrote it, under "
            "“{somebody}”. If you wrote a name or an address there, it stays too. Your private notes "
            "are deleted."
        ).format(somebody=name_to_show(FORGOTTEN))
    ]


def forget(guest: Guest) -> None:
    """Takes the name off messages, and deletes private notes at seats that only the guest holds."""
    _said(guest).update(name=FORGOTTEN)
    TurnNote.objects.filter(pk__in=_written(guest).filter(kind=TurnNote.Kind.NOTE)).delete()


def merge(gone: Guest, guest: Guest) -> None:
    _said(gone).update(guest=guest)


@receiver(passed)
def pass_on(sender: object, seat: Seat, **more: object) -> None:
    """Signal receiver, when a seat passes on: deletes what the new player must not read."""
    TurnNote.objects.filter(seat=seat, kind=TurnNote.Kind.NOTE).delete()
    TurnNote.objects.filter(seat=seat, turn__gte=seat.match.turn).delete()
    Recipient.objects.filter(seat=seat).delete()


def _said(guest: Guest) -> QuerySet[Message]:
    return Message.objects.filter(guest=guest).select_related("match", "league")


def _written(guest: Guest) -> QuerySet[TurnNote]:
    """The guest's private notes and messages for turns (`TurnNote`), at seats that only this guest holds."""
    shared = Hold.objects.filter(seat=OuterRef("pk")).exclude(guest=guest)
    alone = Seat.objects.filter(held_by(guest)).exclude(Exists(shared))
    written = TurnNote.objects.filter(seat__in=alone).select_related("seat__match")
    written = written.exclude(seat__passed_turn__isnull=False, turn__lt=F("seat__passed_turn"))
    return written.order_by("pk")


def _as_data(message: Message) -> dict[str, Any]:
    of = message.match or message.league
    return {
        "match" if message.match else "league": of.key if of else "",
        "sent_at": message.sent_at.isoformat(),
        "among": "watchers" if message.watchers else "players",
        "name": message.name,
        "to": [
            one.seat.name
            for one in message.recipients.select_related("seat")
            if one.seat_id != message.seat_id
        ]
        or "all",
        "text": "\n".join(filter(None, (messages.phrase_text(message.phrase), message.text))),
    }


PART = Part(export=export, export_for_host=export_for_host, stays=stays, forget=forget, merge=merge)
