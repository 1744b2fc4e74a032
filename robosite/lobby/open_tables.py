"""Open tables: the public list of matches with a free seat, which anybody may take (unless OPEN_TABLES=0)."""

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Q
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from games import GAMES, newest
from robosite.lobby.forms import NameForm
from robosite.lobby.handing_over import sit_down
from robosite.matches import flow
from robosite.matches.flow import listing
from robosite.matches.models import Match, Seat, held_by
from robosite.people import shares
from robosite.people.current_guest import current_guest
from robosite.people.models import Guest
from robosite.people.restrictions import Action, unless_restricted
from robosite.people.sent_forms import sent_once
from robosite.play.decorators import Request, link_key, match_of, number, private, secret
from robosite.play.drawings import templates_of
from robosite.play.variants import preset_of, variant_words
from robosite.play.views import action_view

LISTED = 20
"""The maximum number of tables on a page of the list."""

PACES: dict[str, tuple[Any, Q]] = {
    "day": (gettext_lazy("Up to a day per turn"), Q(deadline_hours__lte=24)),
    "days": (gettext_lazy("More than a day"), Q(deadline_hours__gt=24)),
    "none": (gettext_lazy("No time limit"), Q(deadline_hours=None)),
}
"""The paces by which the list can be filtered: a label, and a condition for the query."""

ON_HOME = 3
"""The maximum number of tables that the home page lists."""

View = Callable[..., HttpResponseBase]


class Opened(NamedTuple):
    """An open table in the list of the home page; `hours` is the time for a turn, or None."""

    key: str
    game: str
    names: tuple[str, ...]
    hours: float | None


def newest_tables() -> tuple[Opened, ...]:
    """The newest open tables, at most ON_HOME; () if the setting OPEN_TABLES is off."""
    if not settings.OPEN_TABLES:
        return ()
    rows = listing.open_tables().prefetch_related("seats")[:ON_HOME]
    names = {one.pk: tuple(seat.shown_name for seat in one.seats.all() if seat.taken) for one in rows}
    return tuple(Opened(one.key, one.game.name, names[one.pk], one.deadline_hours) for one in rows)


def if_on(view: View) -> View:
    """Decorator for a view that answers 404 unless the setting OPEN_TABLES is on."""

    @wraps(view)
    def seen(*args: Any, **more: Any) -> HttpResponseBase:
        if not settings.OPEN_TABLES:
            raise Http404
        return view(*args, **more)

    return seen


@if_on
@require_safe
@private
def tables(request: Request) -> HttpResponse:
    """The page with the open tables (matches with a seat that anybody may take), newest first."""
    game, pace = request.GET.get("game", ""), request.GET.get("pace", "")
    guest, page = current_guest(request), max(number(request.GET.get("page")), 1)
    found = listing.open_tables()
    if game in GAMES:
        found = found.filter(game_slug=game)
    if pace in PACES:
        found = found.filter(PACES[pace][1])
    rows = list(found.prefetch_related("seats")[(page - 1) * LISTED : page * LISTED + 1])
    context = {
        "tables": _told(rows[:LISTED], guest),
        "games": [(slug, newest(slug).name) for slug in GAMES],
        "paces": [(key, says) for key, (says, _query) in PACES.items()],
        "game": game if game in GAMES else "",
        "pace": pace if pace in PACES else "",
        "before": page - 1 if page > 1 else None,
        "after": page + 1 if len(rows) > LISTED else None,
        "name": guest.name if guest else "",
    }
    return render(request, "lobby/tables.html", context)


def _told(matches: list[Match], guest: Guest | None) -> list[dict[str, Any]]:
    own = Seat.objects.filter(held_by(guest), match__in=matches) if guest else Seat.objects.none()
    mine = {seat.match_id: seat for seat in own}
    return [_facts(match, mine.get(match.pk)) for match in matches]


def _facts(match: Match, mine: Seat | None) -> dict[str, Any]:
    seats = list(match.seats.all())
    return {
        "match": match,
        "mine": mine,
        "preset": preset_of(match, len(seats)),
        "words": variant_words(match),
        "names": [seat.shown_name for seat in seats if seat.taken],
        "free": sum(not seat.taken for seat in seats),
    }


@if_on
@require_safe
@secret
def table(request: Request, key: str) -> HttpResponse:
    """The page of one open table (a match with a seat that anybody may take), with a form to take it."""
    form = NameForm.for_guest(current_guest(request))
    return _table_page(request, flow.apply_due(match_of(key)), form)


def _table_page(request: Request, match: Match, form: NameForm, status: int = 200) -> HttpResponse:
    guest = current_guest(request)
    if not match.is_open_table:
        return render(request, "lobby/table_gone.html", {}, status=max(status, 404))
    own = Seat.objects.filter(held_by(guest), match=match).first() if guest else None
    seats = list(match.seats.all())
    context = {
        **_facts(match, own),
        "form": form,
        "seats": seats,
        "game": match.game,
        "drawn": templates_of(match.game_slug),
    }
    return render(request, "lobby/table.html", context, status=status)


@if_on
@require_POST
@secret
@unless_restricted(Action.PLAY)
@sent_once
def sit(request: Request, key: str) -> HttpResponse:
    """Takes a seat at an open table, or leads a guest who has one to it. 409 if no seat can be taken."""
    match = flow.apply_due(match_of(key))
    if not match.is_open_table:
        return _table_page(request, match, NameForm(), status=409)
    guest = current_guest(request)
    if guest and (own := Seat.objects.filter(held_by(guest), match=match).first()):
        return redirect(own)
    others = tuple(seat.name for seat in match.seats.all() if seat.taken)
    form = NameForm(request.POST, others=others, guest=guest, table=match.pk)
    origin = shares.origin_of(request)

    def take(name: str, guest: Guest) -> tuple[Seat, str, str]:
        taken = flow.join(match, name, guest=guest, origin=origin)
        return taken.seat, link_key(taken.seat), taken.secret

    def page(form: NameForm, status: int) -> HttpResponse:
        return _table_page(request, match_of(key), form, status)

    return sit_down(request, form, page, take)


def stay(request: Request, **where: Any) -> HttpResponseBase:
    """Keeps a match on the list of open tables if `list` in the form is "1", else takes it off the list."""
    return (_wait_on if request.POST.get("list") == "1" else _take_off)(request, **where)


@unless_restricted(Action.PLAY)
@action_view
def _wait_on(request: Request, seat: Seat) -> None:
    listing.renew(seat, shares.origin_of(request))


@action_view
def _take_off(request: Request, seat: Seat) -> None:
    listing.take_off(seat)
