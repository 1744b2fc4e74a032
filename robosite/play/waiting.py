"""The matches and questions that wait for a guest, with their number, and the way back to a match."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.db.models import Case, CharField, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan

from games.core import Preset, Sentence
from robosite.engine.prepared import prepared
from robosite.matches import flow, reading
from robosite.matches.models import Hold, Match, Program, Seat, held_by
from robosite.people.current_guest import KEY, current_guest
from robosite.people.models import Guest
from robosite.people.offline import tag_of
from robosite.play import hot_seat
from robosite.play.decorators import Request
from robosite.play.variants import preset_of, variant_words


class Question(NamedTuple):
    """A question to a guest on a page that is not of a match, such as that about a league's next season."""

    name: str
    address: str
    game: str
    """The name of the game that the question is about."""


Questions = Callable[[Guest], list[Question]]
askers: list[Questions] = []
"""Functions that return the questions which wait for a guest's answer."""


def questions_to(guest: Guest) -> list[Question]:
    """The questions that wait for a guest, besides those of matches."""
    return [question for questions in askers for question in questions(guest)]


def with_waits(seats: QuerySet[Seat]) -> Any:
    """The seats, annotated with `waits`: true if the match is being played and waits for the seat's order."""
    given = Program.objects.filter(seat=OuterRef("pk"), turn=OuterRef("match__turn")).exclude(seal="")
    waits = (
        Q(match__status=Match.Status.PLAYING)
        & GreaterThan(StrIndex("match__to_act", "letter"), 0)
        & (Q(resigned_turn=None) | ~Q(resigned_turn=F("match__turn")))
        & ~Exists(given)
    )
    return seats.annotate(waits=waits)


def with_questions(seats: QuerySet[Seat], guest: int) -> Any:
    """The seats annotated with `asked`, the question of the seat's match that the guest may answer.

    "draw" or "off" if the opponent in a match of two offers that; the slug of a game if the match has stopped
    and has an open rematch in that game, in which the guest has no seat; otherwise "" or None.
    """
    turn = OuterRef("match__turn")
    others = Seat.objects.filter(match=OuterRef("match")).exclude(pk=OuterRef("pk"))
    crowd = Seat.objects.filter(match=OuterRef("match"), letter="C")  # some may be out of it
    playing = Q(match__status=Match.Status.PLAYING) & ~Exists(crowd)
    asks = []
    for ending in ("draw", "off"):
        offered = others.filter(**{f"{ending}_turn__gte": turn - 1})
        open_to = Q(**{f"{ending}_turn": None}) | Q(**{f"{ending}_turn__lt": F("match__turn") - 1})
        unanswered = Q(**{f"{ending}_no": None}) | Q(**{f"{ending}_no__lt": F("match__turn") - 1})
        asks.append(When(playing & open_to & unanswered & Exists(offered), then=Value(ending)))
    after = Match.objects.filter(rematch_of=OuterRef("match"), status=Match.Status.OPEN)
    after = after.exclude(pk__in=Hold.objects.filter(guest=guest).values("seat__match"))
    invited = Subquery(after.values("game_slug")[:1])
    return seats.annotate(
        asked=Case(
            *asks,
            When(~Q(match__status=Match.Status.PLAYING), then=invited),
            default=Value(""),
            output_field=CharField(),
        )
    )


def count_waiting(guest: Guest) -> int:
    """The number of matches and other pages that wait for an order or an answer of the guest."""
    ((_one, count),) = _waiting.rows(guest.pk)
    return int(count) + len(questions_to(guest))


@prepared(int)
def _waiting(guest: int) -> QuerySet[Any, Any]:
    seats = with_questions(with_waits(Seat.objects.filter(held_by(guest))), guest)
    count = Count("match", distinct=True)
    waiting = seats.filter(Q(waits=True) | Q(asked__gt=""))
    rows: QuerySet[Any, Any] = waiting.order_by().values(one=Value(1)).annotate(count=count)
    return rows.values_list("one", "count")


def waiting_games(request: Request) -> dict[str, Any]:
    """Context processor for whole pages: the guest's name and tag, and how much waits for them."""
    if not hasattr(request, "session") or request.htmx:
        return {}
    guest = current_guest(request) if request.session.get(KEY) else None
    if guest is None:
        return {"guest_tag": ""}
    known = getattr(request, "waiting", None)
    return {
        "waiting": count_waiting(guest) if known is None else known,
        "called": guest.name,
        "guest_tag": tag_of(guest),
    }


def waits_here(request: Request) -> dict[str, int]:
    guest = current_guest(request) if request.session.get(KEY) else None
    return {"waiting": count_waiting(guest)} if guest else {}


class MatchOfReader(NamedTuple):
    """The match from which a reader came; `address` leads back, `words` describe a variant without preset."""

    match: Match
    address: str
    seats: list[Seat]
    goal: Sentence
    preset: Preset | None
    words: list[Sentence]


def match_behind(request: Request, slug: str) -> MatchOfReader | None:
    """The match that the query names (`from`); None unless it is of this game and the reader may see it."""
    key = request.GET.get("from", "")
    match = reading.match_by_key(key[:64]) if key.isalnum() else None
    guest = current_guest(request)
    if match is None or match.game_slug != slug or not match.may_be_watched_by(guest):
        return None
    mine = hot_seat.held(guest, match)
    seats = reading.seats_of(match)
    preset = preset_of(match, len(seats))
    return MatchOfReader(
        match,
        mine[0].get_absolute_url() if len(mine) == 1 else match.get_absolute_url(),
        seats=seats,
        goal=match.game.goal(match.options, len(seats)),
        preset=preset,
        words=[] if preset else variant_words(match),
    )


def last_match(request: Request, slug: str) -> str:
    """The URL of the guest's seat in the unfinished match of this game that changed last, or ""."""
    guest = current_guest(request)
    if guest is None:
        return ""
    holds = Hold.objects.filter(guest=guest, seat__match__game_slug=slug)
    going = holds.filter(seat__match__status__in=flow.GOING_ON).select_related("seat__match")
    last = going.order_by("-seat__match__changed_at", "-seat__match", "seat__letter").first()
    return last.seat.get_absolute_url() if last else ""
