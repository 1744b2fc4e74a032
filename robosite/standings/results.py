"""The results of friends against each other, by game and variant, from the outcomes of their matches.

Of two, the one with the greater share has won; equal shares above 0 are a draw, and both have lost if a third
has won. A seat's first holder counts. Ends that the reader has not watched count too, so that both read the
same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import astuple, dataclass, field, replace
from datetime import datetime
from operator import add
from typing import Any

from django.db.models import Count, F, FloatField, Func, Max, OuterRef, Q, QuerySet, Subquery

from games.core import Preset, Sentence
from robosite.matches.models import Hold, Match, Seat, held_by
from robosite.people.models import Guest
from robosite.play.variants import preset_of, variant_words
from robosite.web.written_names import Name, name_to_show


class Share(Func):
    """Database function of outcome and letter: a seat's share (0 to 1) of the point, or NULL."""

    output_field = FloatField()

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        sql = {"template": "CAST(JSON_EXTRACT(%(expressions)s) AS REAL)", "arg_joiner": ", '$.scores.' || "}
        return self.as_sql(compiler, connection, **sql, **more)

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        sql = {"template": "(%(expressions)s)::double precision", "arg_joiner": " -> 'scores' ->> "}
        return self.as_sql(compiler, connection, **sql, **more)


@dataclass(frozen=True, slots=True)
class Score:
    """Matches won, lost and drawn; `together` are those that two friends both lost to somebody else."""

    won: int
    lost: int
    drawn: int
    together: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(*map(add, astuple(self), astuple(other)))


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """The score in one game and variant: `preset`, or else `words` describe it."""

    game: str
    preset: Preset | None
    words: list[Sentence]
    score: Score
    last: datetime

    @property
    def label(self) -> tuple[str, ...]:
        """The texts that name the game and the variant."""
        kind = [str(self.preset.name)] if self.preset else [str(word) for word in self.words]
        return (self.game, *kind)


@dataclass(slots=True)
class Friend:
    """A person with whom the reader has played; `key` and `letter` name their seat in the latest match."""

    name: str
    key: str
    letter: str
    last: datetime
    lines: list[ScoreLine] = field(default_factory=list)
    score: Score = Score(0, 0, 0)


LISTED = 30


def friends_of(guest: Guest, match: Match | None = None, page: int = 1) -> list[Friend]:
    """The people (of `match`, if given) whom the guest has played: page `page`, of LISTED, and one more."""
    seats = seats_of_friends(guest)
    if match:
        there = Seat.objects.filter(match=match).exclude(pk__in=_held(guest))
        seats = seats.filter(friend__in=there.annotate(friend=holder()).values("friend"))
    columns = ("friend", "name", "match__key", "letter", "match__changed_at")
    known: dict[int, Friend] = {}
    for pk, name, key, at, last in seats.order_by("match__changed_at", "pk").values_list(*columns):
        known[pk] = Friend(name_to_show(name), key, at, last)  # the first time first, the last seat stays
    _tell_apart(known.values(), guest.name)
    rows: dict[int, list[Any]] = {}
    for row in rows_of(seats):
        rows.setdefault(row["friend"], []).append(row)
    shown = list(rows)[(page - 1) * LISTED : page * LISTED + 1]
    for pk in shown:
        known[pk].lines = score_lines(rows[pk])
        known[pk].score = sum((line.score for line in known[pk].lines), Score(0, 0, 0))
    return [known[pk] for pk in shown]


def _tell_apart(friends: Iterable[Friend], own: str) -> None:
    """Adds numbers to equal names, in the order of the first match."""
    met = Counter([own.casefold()])
    for friend in friends:
        name = friend.name[:].casefold()
        met[name] += 1
        if met[name] > 1:
            friend.name = Name(f"{friend.name[:]} ({met[name]})")


def rows_of(seats: QuerySet[Any]) -> QuerySet[Any]:
    """The results of `seats_of_friends`: a row for each friend, game, rules, options and number of seats."""
    return (
        seats.order_by()
        .values("friend", "match__game_slug", "match__rules", "match__given_options", "seats")
        .annotate(
            won=Count("pk", filter=Q(own__gt=F("theirs"))),
            lost=Count("pk", filter=Q(own__lt=F("theirs"))),
            drawn=Count("pk", filter=Q(own=F("theirs"), own__gt=0)),
            together=Count("pk", filter=Q(own=0, theirs=0)),
            last=Max("match__changed_at"),
        )
        .order_by("-last", "friend", "match__game_slug")
    )


def seats_of_friends(guest: Guest) -> QuerySet[Any]:
    """The seats of other people in the guest's finished matches.

    Annotated with `friend` (first holder's primary key), number of `seats`, and the shares `own` (first
    own seat) and `theirs`.
    """
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


def unseen_ends(guest: Guest, matches: QuerySet[Any] | None = None) -> int:
    """The number of finished matches, or of those among `matches`, whose end the guest has not watched."""
    over = Hold.objects.filter(guest=guest, seat__match__status=Match.Status.OVER)
    over = over if matches is None else over.filter(seat__match__in=matches)
    seen = over.values("seat__match").annotate(seen=Max("seen_turn"), turn=Max("seat__match__turn"))
    return seen.order_by().filter(seen__lt=F("turn")).count()


def _held(guest: Guest) -> QuerySet[Any]:
    return Hold.objects.filter(guest=guest).values("seat")


def holder() -> Subquery:
    return Subquery(Hold.objects.filter(seat=OuterRef("pk")).order_by("pk").values("guest")[:1])


def score_lines(rows: Iterable[dict[str, Any]]) -> list[ScoreLine]:
    """Turns rows of `rows_of`, latest first, into ScoreLines, and merges those with equal labels."""
    lines: dict[tuple[str, ...], ScoreLine] = {}
    for line in map(_score_line, rows):
        known = lines.get(line.label)
        lines[line.label] = replace(known, score=known.score + line.score) if known else line
    return list(lines.values())


def _score_line(row: dict[str, Any]) -> ScoreLine:
    slug, rules = row["match__game_slug"], row["match__rules"]
    match = Match(game_slug=slug, rules=rules, given_options=row["match__given_options"])
    preset = preset_of(match, row["seats"])
    score = Score(row["won"], row["lost"], row["drawn"], row["together"])
    return ScoreLine(match.game.name, preset, [] if preset else variant_words(match), score, row["last"])
