"""A guest's personal data in matches (`people/personal_data.py`): seats, holidays, and requests for seats."""

from collections import Counter, defaultdict
from typing import Any

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from robosite.matches import flow
from robosite.matches.flow import pauses, replying
from robosite.matches.locks import lock_all
from robosite.matches.models import Hold, Match, Program, Seat, held_by
from robosite.matches.site_models import Asking, Holiday, Reaction, Recount
from robosite.people.current_guest import AT_ONCE
from robosite.people.models import Guest
from robosite.people.personal_data import Part
from robosite.web.written_names import FORGOTTEN, name_to_show


def has(guest: Guest) -> list[str]:
    count = Match.objects.filter(held_by(guest, "seats__")).distinct().count()
    return [ngettext("one match", "%(n)s matches", count) % {"n": count}] if count else []


def played(guest: Guest) -> bool:
    """Returns True if a seat that the guest holds has a sealed order, whether or not it was played."""
    return Program.objects.filter(held_by(guest, "seat__")).exclude(seal="").exists()


def warns(guest: Guest) -> list[str]:
    """Sentences on what erasing a guest's data would do to their matches."""
    others = Hold.objects.filter(seat=OuterRef("pk")).exclude(guest=guest)
    sole = Seat.objects.filter(~Exists(others), held_by(guest))
    own = Counter(sole.values_list("match__status", flat=True))
    playing, waiting = own[Match.Status.PLAYING], own[Match.Status.OPEN]
    warnings = []
    if playing:
        warnings.append(
            ngettext(
                "You resign from one running match: the other players see it.",
                "You resign from %(n)s running matches: the other players see it.",
                playing,
            )
            % {"n": playing}
        )
    if waiting:
        warnings.append(
            ngettext(
                "You leave one match that hasn’t begun; if no one else is in it, it is cancelled.",
                ("You leave %(n)s matches that haven’t begun; those with no one else in them are cancelled."),
                waiting,
            )
            % {"n": waiting}
        )
    if own.total() > AT_ONCE:
        warnings.append(_("With so many matches this takes a few minutes. You’re signed out at once."))
    return warnings


def stays() -> list[str]:
    return [
        _("The matches you played stay with the people you played them with, without your name."),
        _(
            "Your turns stay in the matches: without them no match could be replayed. They’re shown as "
            "played by “{somebody}”."
        ).format(somebody=name_to_show(FORGOTTEN)),
        _("Your name stays in seats that someone else holds too, and in seats you’d lost before."),
    ]


def export(guest: Guest, request: object = None) -> list[dict[str, Any]]:
    """The guest's seats as JSON data, oldest match first, with match, orders, reactions and replies."""
    exported = []
    orders = defaultdict(list)
    played = Program.objects.filter(held_by(guest, "seat__")).exclude(order="").order_by("turn")
    for one, *fields in played.values_list("seat", "turn", "order", "sealed_at", "by"):
        orders[one].append(dict(zip(("turn", "order", "sealed_at", "by"), fields, strict=True)))
    reactions = defaultdict(list)
    signs = Reaction.objects.filter(held_by(guest, "seat__")).order_by("turn", "step")
    for one, *fields in signs.values_list("seat", "turn", "step", "sign"):
        reactions[one].append(dict(zip(("turn", "step", "sign"), fields, strict=True)))
    seats = _seats(guest)
    for seat in seats:
        match = seat.match
        alone = sum(one.match_id == match.pk for one in seats) == 1
        planned = replying.planned_by(match, seat) if alone else None
        replies = {"after": planned.after, "lines": planned.lines} if planned else None
        exported.append(
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
                "orders": orders[seat.pk],
                **({"reactions": reactions[seat.pk]} if seat.pk in reactions else {}),
                **({"replies": replies} if replies else {}),
            }
        )
    return exported


def merge(gone: Guest, guest: Guest) -> None:
    """Moves seats, holidays, recounts and requests of `gone` to `guest`; but no second request in a match."""
    if Holiday.objects.filter(guest__in=(gone, guest)).exists():
        pauses.note_in_matches(gone, guest)
    flow.move_holds(gone, guest)
    Holiday.objects.filter(guest=gone).update(guest=guest)
    recount = Recount.objects.filter(guest=gone).first()
    if recount:
        pauses.note_recount(guest, recount.at)
        recount.delete()
    asked = Asking.objects.filter(guest=guest).values_list("seat__match", flat=True)
    Asking.objects.filter(guest=gone).exclude(seat__match__in=list(asked)).update(guest=guest)


def forget(guest: Guest) -> None:
    """Deletes the guest's requests for seats, and their name in all notes that somebody opened an invite."""
    Asking.objects.filter(guest=guest).delete()
    if guest.name:
        opened = lock_all(Match.objects.filter(opened_by=guest.name))
        Match.objects.filter(pk__in=opened).update(opened_by="")


def forget_next_step(guest: Guest) -> bool:
    """Ends one of the guest's holds, at random (`flow.forget`); returns True if they had one."""
    hold = Hold.objects.filter(guest=guest).select_related("seat__match").order_by("?").first()
    if hold is None:
        return False
    flow.forget(hold.seat, guest)
    return True


def _seats(guest: Guest) -> list[Seat]:
    seats = Seat.objects.filter(held_by(guest)).select_related("match").prefetch_related("match__seats")
    return list(seats.order_by("match__created_at", "match", "letter"))


PART = Part(
    has=has,
    played=played,
    warns=warns,
    stays=stays,
    export=export,
    merge=merge,
    forget=forget,
    forget_next_step=forget_next_step,
)
