"""The results of a guest, for their own page: by game, by friend and by bot, with streaks and final boards.

Not counted are matches with several own seats, and those continued from another; no board shows an unseen
end.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery

from games import GAMES
from games.players import PLAYERS, Player
from robosite.leagues.pages.own_leagues import won_by
from robosite.lobby.my_games import GroupOfMatches
from robosite.lobby.thumbnails import Drawn, small_boards, symbols_of
from robosite.matches.models import Hold, Match, MatchFlag, Seat, held_by
from robosite.matches.reading import with_seats
from robosite.people.models import Guest
from robosite.play.drawings import Shown, show
from robosite.play.opponents import called
from robosite.standings.results import LISTED, Friend, Score, Share, friends_of, unseen_ends

LOOKED_BACK = 1_000
BOARDS = 3

_WON, _LOST, _DRAWN = Q(share__gte=1), Q(share=0), Q(share__gt=0, share__lt=1)


@dataclass(frozen=True, slots=True)
class OfGame:
    """A guest's results in one game; `beaten` is the strongest bot that they have beaten, or None."""

    table: Shown
    score: Score
    last: datetime | None
    beaten: Player | None


class OfBot(NamedTuple):
    """A guest's score against one of the site's bots, with the time of the latest match."""

    player: Player
    score: Score
    last: datetime


class StrongestWin(NamedTuple):
    """The strongest bot that a guest has beaten, and the guest's seat in the latest win against it."""

    player: Player
    seat: Seat


class Board(NamedTuple):
    """The final board of a match, with the guest's seat and result ("won", "drawn", "lost")."""

    seat: Seat
    drawn: Drawn | None
    others: list[str]
    result: str


class Record(NamedTuple):
    """All results on a guest's own page; streaks are searched in the latest LOOKED_BACK matches."""

    score: Score
    games: list[OfGame]
    friends: list[Friend]
    match: Match | None
    """The match whose other players `friends` are, or None if they are all that the guest has played with."""
    page: int
    more_friends: bool
    bots: list[OfBot]
    best: StrongestWin | None
    won_now: int
    won_most: int
    boards: list[Board]
    trophies: list[GroupOfMatches]
    """The leagues and cups that the guest has won lately."""
    unseen: int
    """The number of finished matches whose end the guest has not watched."""
    symbols: str
    styles: tuple[str, ...]

    @property
    def played(self) -> int:
        return self.score.won + self.score.lost + self.score.drawn


def record_of(guest: Guest, key: str = "", page: int = 1) -> Record:
    """Reads the results of a guest; the number of queries does not depend on how much they have played.

    With the `key` of a match in which they have a seat, the friends are those of that match. `page` counts
    the pages of friends from 1.
    """
    held = Hold.objects.filter(guest=guest, seat__match__key=key).select_related("seat__match")
    hold = held.first() if key else None
    match = hold.seat.match if hold else None
    seats = seats_that_count(guest)
    against = list(_against_bots(seats))
    games = _by_game(seats, against)
    friends = friends_of(guest, match, page)
    shares = list(seats.order_by("-match__changed_at", "-pk").values_list("share", flat=True)[:LOOKED_BACK])
    rows = [len(list(same)) if won else 0 for won, same in groupby(shares, lambda share: share >= 1)]
    boards = _last_boards(guest, seats)
    drawn = [(board.seat.match.game_slug, board.drawn.used) for board in boards if board.drawn]
    symbols, styles = symbols_of(drawn)
    return Record(
        score=sum((game.score for game in games), Score(0, 0, 0)),
        games=games,
        friends=friends[:LISTED],
        match=match,
        page=page,
        more_friends=len(friends) > LISTED,
        bots=_by_bot(against),
        best=_best(seats, against),
        won_now=rows[0] if rows else 0,
        won_most=max(rows, default=0),
        boards=boards,
        trophies=won_by(guest),
        unseen=unseen_ends(guest),
        symbols=symbols,
        styles=styles,
    )


def seats_that_count(guest: Guest) -> QuerySet[Any]:
    """The guest's seats in finished matches that count, annotated with `share` (0 to 1) of the point."""
    others = Hold.objects.filter(guest=guest, seat__match=OuterRef("match")).exclude(seat=OuterRef("pk"))
    seats = Seat.objects.filter(held_by(guest), match__status=Match.Status.OVER)
    return (
        seats.alias(taken_over=F("match__flags").bitand(MatchFlag.TAKEN_OVER))
        .filter(~Exists(others), taken_over=0)
        .annotate(share=Share(F("match__outcome_json"), F("letter")))
        .filter(share__isnull=False)
        .order_by()
    )


def _by_game(seats: QuerySet[Any], against: Iterable[dict[str, Any]]) -> list[OfGame]:
    counted = seats.values("match__game_slug").annotate(
        won=Count("pk", filter=_WON),
        lost=Count("pk", filter=_LOST),
        drawn=Count("pk", filter=_DRAWN),
        last=Max("match__changed_at"),
    )
    known = {row["match__game_slug"]: row for row in counted.order_by("-last")}
    beaten: dict[str, list[Player]] = {}
    for row in against:
        if row["won"]:
            beaten.setdefault(row["match__game_slug"], []).append(PLAYERS[row["player"]])
    levels = list(PLAYERS)
    return [
        OfGame(
            show(slug),
            Score(*(known[slug][one] for one in ("won", "lost", "drawn")))
            if slug in known
            else Score(0, 0, 0),
            known[slug]["last"] if slug in known else None,
            max(beaten.get(slug, ()), key=lambda one: levels.index(one.key), default=None),
        )
        for slug in dict.fromkeys([*(slug for slug in known if slug in GAMES), *GAMES])
    ]


def _against_bots(seats: QuerySet[Any]) -> QuerySet[Any]:
    """Rows by `player` and game: `won`, `lost`, `drawn` and `last`; a match that both lost counts in none."""
    own = seats.filter(match=OuterRef("match")).values("letter")[:1]
    outcome = F("match__outcome_json")
    bots = Seat.objects.filter(match__in=seats.values("match"), kind=Seat.Kind.BOT, player__in=PLAYERS)
    beside = bots.annotate(own=Share(outcome, Subquery(own)), theirs=Share(outcome, F("letter")))
    return (
        beside.order_by()
        .values("player", "match__game_slug")
        .annotate(
            won=Count("match", filter=Q(own__gt=F("theirs")), distinct=True),
            lost=Count("match", filter=Q(own__lt=F("theirs")), distinct=True),
            drawn=Count("match", filter=Q(own=F("theirs"), own__gt=0), distinct=True),
            last=Max("match__changed_at"),
        )
        .order_by("player", "match__game_slug")
    )


def _by_bot(against: Iterable[dict[str, Any]]) -> list[OfBot]:
    found: dict[str, OfBot] = {}
    for row in against:
        one = OfBot(PLAYERS[row["player"]], Score(row["won"], row["lost"], row["drawn"]), row["last"])
        before = found.get(row["player"])
        if before:
            one = one._replace(score=before.score + one.score, last=max(before.last, one.last))
        found[row["player"]] = one
    return [found[key] for key in reversed(PLAYERS) if key in found]


def _best(seats: QuerySet[Any], against: Iterable[dict[str, Any]]) -> StrongestWin | None:
    beaten = {row["player"] for row in against if row["won"]}
    player = next((PLAYERS[key] for key in reversed(PLAYERS) if key in beaten), None)
    if player is None:
        return None
    theirs = Seat.objects.filter(match=OuterRef("match"), kind=Seat.Kind.BOT, player=player.key)
    weaker = theirs.annotate(theirs=Share(F("match__outcome_json"), F("letter")), own=OuterRef("share"))
    won = seats.filter(Exists(weaker.filter(theirs__lt=F("own")))).select_related("match")
    seat = won.order_by("-match__changed_at", "-pk").first()
    return StrongestWin(player, seat) if seat else None


def _last_boards(guest: Guest, seats: QuerySet[Any]) -> list[Board]:
    watched = Hold.objects.filter(guest=guest, seen_turn__gte=F("seat__match__turn")).values("seat")
    seats = seats.filter(match__turn__gt=0, pk__in=watched)
    last = list(seats.select_related("match").order_by("-match__changed_at", "-pk")[:BOARDS])
    with_seats([seat.match for seat in last])
    drawn = small_boards([seat.match for seat in last])
    return [
        Board(
            seat,
            drawn.get(seat.match.key),
            [called(other) for other in seat.match.seats.all() if other.pk != seat.pk],
            "won" if seat.share >= 1 else "drawn" if seat.share else "lost",
        )
        for seat in last
    ]
