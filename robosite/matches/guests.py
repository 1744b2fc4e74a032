"""What the matches keep of a guest: his seats. Counted, exported, brought along, given up."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from robosite.matches import flow
from robosite.matches.models import Asking, Hold, Holiday, Match, Program, Seat
from robosite.people.models import Guest
from robosite.people.parts import Part


def has(guest: Guest) -> list[str]:
    count = Match.objects.filter(seats__holds__guest=guest).distinct().count()
    return [ngettext("one match", "%(n)s matches", count) % {"n": count}] if count else []


def warns(guest: Guest) -> list[str]:
    """What becomes of his matches when he is forgotten."""
    own = [seat for seat in _seats(guest) if _is_his_alone(seat, guest)]
    playing = sum(seat.match.status == Match.Status.PLAYING for seat in own)
    waiting = sum(seat.match.status == Match.Status.OPEN for seat in own)
    told = []
    if playing:
        told.append(
            ngettext(
                "In one running match you resign: everybody at the table sees it.",
                "In %(n)s running matches you resign: everybody at the tables sees it.",
                playing,
            )
            % {"n": playing}
        )
    if waiting:
        told.append(
            ngettext(
                "One table that has not begun loses you; if nobody else sits there, it is called off.",
                "%(n)s tables that have not begun lose you; where nobody else sits, they are called off.",
                waiting,
            )
            % {"n": waiting}
        )
    told.append(_("What you played stays with those who played it with you, without your name."))
    return told


def export(guest: Guest) -> list[dict[str, Any]]:
    """His seats, each with the match around it and his own orders that have been revealed."""
    told = []
    for seat in _seats(guest):
        match = seat.match
        orders = Program.objects.filter(seat=seat).exclude(order="").order_by("turn")
        told.append(
            {
                "match": match.key,
                "game": match.game_slug,
                "options": match.given_options,
                "status": match.status,
                "made_at": match.created_at,
                "page": match.get_absolute_url(),
                "record": f"{match.get_absolute_url()}record/",
                "seat": seat.letter,
                "name": seat.name,
                "sat_down_at": seat.taken_at,
                "made_the_match": seat.host,
                "others": [other.name for other in match.seats.all() if other.pk != seat.pk and other.taken],
                "orders": list(orders.values("turn", "order", "sealed_at", "by")),
            }
        )
    return told


def merge(gone: Guest, guest: Guest) -> None:
    """All seats of the first guest are the second one's."""
    for hold in Hold.objects.filter(guest=gone):
        other = Hold.objects.filter(guest=guest, seat=hold.seat_id).first()
        if other:
            Hold.objects.filter(pk=other.pk).update(seen_turn=max(other.seen_turn, hold.seen_turn))
            hold.delete()
        else:
            hold.guest = guest
            hold.save(update_fields=["guest"])
    Holiday.objects.filter(guest=gone).update(guest=guest)
    asked = Asking.objects.filter(guest=guest).values_list("seat__match", flat=True)
    Asking.objects.filter(guest=gone).exclude(seat__match__in=list(asked)).update(guest=guest)


def forget(guest: Guest) -> None:
    """Gives his seats up, without his name; a seat that somebody else holds too stays as it is."""
    for seat in _seats(guest):
        if _is_his_alone(seat, guest):
            flow.forget(seat)
    if guest.name:
        Match.objects.filter(opened_by=guest.name).update(opened_by="")


def _seats(guest: Guest) -> list[Seat]:
    seats = Seat.objects.filter(holds__guest=guest).select_related("match").prefetch_related("match__seats")
    return list(seats.order_by("match__created_at", "match", "letter"))


def _is_his_alone(seat: Seat, guest: Guest) -> bool:
    return not Hold.objects.filter(seat=seat).exclude(guest=guest).exists()


PART = Part(has=has, warns=warns, export=export, merge=merge, forget=forget)
