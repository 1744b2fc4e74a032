"""The results of friends against each other, by game and variant, from the outcomes of their matches.

People are guests who hold seats; the first guest to hold a friend's seat is the friend. The one with the
greater share of the point has won against the other, also if more than two played. Matches that were called
off are not counted, nor are bots.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, F, FloatField, Func, Max, OuterRef, Q, QuerySet, Subquery
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from games.core import Preset, Sentence
from robosite.matches.models import Hold, Match, Seat, held_by, name_to_show
from robosite.people.current_guest import current_guest
from robosite.people.models import Guest
from robosite.play.decorators import Request, number, private, seat_page, secret
from robosite.play.variants import preset_of, variant_words
from robosite.web.written_names import Name


class Share(Func):
    """A database function: a seat's share of the point, from a match's outcome and the seat's letter."""

    output_field = FloatField()

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        made = {"template": "CAST(JSON_EXTRACT(%(expressions)s) AS REAL)", "arg_joiner": ", '$.scores.' || "}
        return self.as_sql(compiler, connection, **made, **more)

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        made = {"template": "(%(expressions)s)::double precision", "arg_joiner": " -> 'scores' ->> "}
        return self.as_sql(compiler, connection, **made, **more)


@dataclass(frozen=True, slots=True)
class Score:
    """The numbers of matches won, lost and drawn against a friend."""

    won: int
    lost: int
    drawn: int

    def __add__(self, other: Score) -> Score:
        return Score(self.won + other.won, self.lost + other.lost, self.drawn + other.drawn)


@dataclass(frozen=True, slots=True)
class Row:
    """The score in one game and variant: a preset, or in `words` the options that differ."""

    game: str
    preset: Preset | None
    words: list[Sentence]
    score: Score


@dataclass(slots=True)
class Friend:
    """A guest with whom the reader has played; `page` is the address of the page about the two."""

    name: str
    page: str
    lines: list[Row] = field(default_factory=list)
    score: Score = Score(0, 0, 0)


LISTED = 30
"""How many friends a page lists."""


def friends_of(guest: Guest, match: Match | None = None, page: int = 1) -> list[Friend]:
    """The people with whom the guest has finished a match, or who play in this one, the latest first.

    Returns at most LISTED of them, and one more if there is a further page.
    """
    seats = seats_of_friends(guest)
    if match:
        there = Seat.objects.filter(match=match).exclude(pk__in=_held(guest))
        seats = seats.filter(friend__in=there.annotate(friend=holder()).values("friend"))
    last = seats.order_by("match__changed_at", "pk").values_list("friend", "name", "match__key", "letter")
    friends = {
        pk: Friend(name_to_show(name), reverse("friend", args=[key, at])) for pk, name, key, at in last
    }
    rows = rows_of(seats)
    every = list(dict.fromkeys(row["friend"] for row in rows))
    shown = every[(page - 1) * LISTED : page * LISTED + 1]
    for row in rows:
        if row["friend"] in shown:
            friend = friends[row["friend"]]
            friend.lines.append(line_of(row))
            friend.score += friend.lines[-1].score
    return [friends[pk] for pk in shown]


def rows_of(seats: QuerySet[Any]) -> QuerySet[Any]:
    """The results in the matches of these seats, by friend, game and variant; the last ones first."""
    own = Q(own__gt=F("theirs"))
    return (
        seats.order_by()
        .values("friend", "match__game_slug", "match__rules", "match__given_options", "seats")
        .annotate(
            won=Count("pk", filter=own),
            drawn=Count("pk", filter=Q(own=F("theirs"))),
            all=Count("pk"),
            last=Max("match__changed_at"),
        )
        .order_by("-last", "friend", "match__game_slug")
    )


def seats_of_friends(guest: Guest) -> QuerySet[Any]:
    """The seats of others in matches that the guest has finished, each with its `friend` and both shares."""
    mine = Seat.objects.filter(held_by(guest), match=OuterRef("match")).order_by("letter")
    count = Seat.objects.filter(match=OuterRef("match")).order_by().values("match").annotate(n=Count("pk"))
    played = Hold.objects.filter(guest=guest, seat__match__status=Match.Status.OVER).values("seat__match")
    seats = Seat.objects.filter(match__in=played, kind=Seat.Kind.HUMAN).exclude(pk__in=_held(guest))
    outcome = F("match__outcome_json")
    return seats.annotate(
        friend=holder(),
        seats=Subquery(count.values("n")),
        own=Share(outcome, Subquery(mine.values("letter")[:1])),
        theirs=Share(outcome, F("letter")),
    ).filter(friend__isnull=False)


def _held(guest: Guest) -> QuerySet[Any]:
    """The primary keys of the guest's seats."""
    return Hold.objects.filter(guest=guest).values("seat")


def holder() -> Subquery:
    return Subquery(Hold.objects.filter(seat=OuterRef("pk")).order_by("pk").values("guest")[:1])


def line_of(row: dict[str, Any]) -> Row:
    slug, rules = row["match__game_slug"], row["match__rules"]
    match = Match(game_slug=slug, rules=rules, given_options=row["match__given_options"])
    preset = preset_of(match, row["seats"])
    score = Score(row["won"], row["all"] - row["won"] - row["drawn"], row["drawn"])
    return Row(match.game.name, preset, [] if preset else variant_words(match), score)


@require_safe
@private
def results(request: Request) -> HttpResponse:
    """The page of results against everybody with whom the guest has finished a match."""
    guest = current_guest(request)
    page = max(number(request.GET.get("page")), 1)
    friends = friends_of(guest, page=page) if guest else []
    context = {
        "friends": friends[:LISTED],
        "own": Name(guest.name) if guest else "",
        "seat": None,
        "before": page - 1 if friends and page > 1 else None,
        "after": page + 1 if len(friends) > LISTED else None,
    }
    return render(request, "standings/results.html", context)


@require_safe
@seat_page
@secret
def results_here(request: Request, seat: Seat) -> HttpResponse:
    """The page of results against those who play in this match."""
    guest = current_guest(request)
    assert guest
    context = {
        "friends": friends_of(guest, seat.match),
        "own": seat.shown_name,
        "seat": seat,
        "before": None,
        "after": None,
    }
    return render(request, "standings/results.html", context)
