"""The facts of a league: its terms, its places, and which match is which pairing.

Points, ranks and strengths are not among them: they follow from the results (`table.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _

from games import GAMES
from games.core import SEATS, Game
from robosite.leagues import bracket, pairing
from robosite.leagues.promotion import Came
from robosite.leagues.table import Decided
from robosite.matches.link_secrets import new_key
from robosite.matches.models import Match, Seat, name_to_show
from robosite.people.models import Guest
from robosite.web.paths import path_of
from robosite.web.written_names import Name

LONGEST_NAME = 60
COLUMNS = tuple(letter.lower() for letter in SEATS)
"""The columns of a fixture that have its places, by the seats."""


class League(models.Model):
    """A season of a group's competition.

    `nonce` draws the lots: its hash is public at once, itself from the start on, and so is `ends`, the last
    day. `closed`: a moderator has ended it. `taken_name`: a code of the name that a moderator has taken away.
    `previous` is the season before, `previous_sizes` are those of its divisions: from them follows how many
    move up and down.
    """

    class Status(models.TextChoices):
        OPEN = "open", "open"
        PLAYING = "playing", "playing"
        OVER = "over", "over"

    class Format(models.TextChoices):
        LEAGUE = "league", "league"
        CUP = "cup", "cup"

    class Scoring(models.TextChoices):
        SHARES = "shares", "shares of the win"
        PLACES = "places", "the order of being put out"

    key = models.CharField(max_length=16, unique=True, default=new_key, editable=False)
    format = models.CharField(
        max_length=8, choices=Format.choices, default=Format.LEAGUE, db_default=Format.LEAGUE
    )
    name = models.CharField(max_length=LONGEST_NAME)
    game_slug = models.SlugField("game", max_length=32)
    rules = models.PositiveSmallIntegerField()
    given_options = models.JSONField("options", default=dict)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.OPEN)
    most_places = models.PositiveSmallIntegerField()
    table_seats = models.PositiveSmallIntegerField("seats at a table", default=2, db_default=2)
    scoring = models.CharField(
        max_length=8, choices=Scoring.choices, default=Scoring.SHARES, db_default=Scoring.SHARES
    )
    legs = models.PositiveSmallIntegerField(default=1)
    every_days = models.PositiveSmallIntegerField("days from one round to the next", null=True)
    deadline_hours = models.FloatField()
    reserve_hours = models.FloatField(default=0)
    reveal_at: Any = models.JSONField("hour of the day at which turns are played", null=True, blank=True)
    late = models.CharField(max_length=8, choices=Match.Late.choices, default=Match.Late.FILL)
    ends_days = models.FloatField()
    zone = models.CharField("time zone", max_length=64, default="UTC")
    listed = models.BooleanField("strangers may join", default=False)
    for_programs = models.BooleanField("only programs play", default=False, db_default=False)
    nonce = models.CharField(max_length=64, editable=False)
    invite_hash = models.CharField(max_length=64, db_index=True, editable=False)
    organiser_hash = models.CharField(max_length=64, db_index=True, editable=False)
    organiser = models.ForeignKey(Guest, models.SET_NULL, null=True, related_name="organised", editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    ends = models.DateTimeField("last day", null=True)
    next_round_at = models.DateTimeField(null=True)
    over_at = models.DateTimeField(null=True)
    closed = models.BooleanField("closed by a moderator", default=False)
    taken_name = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)
    season = models.PositiveSmallIntegerField(default=1, db_default=1)
    previous = models.OneToOneField(
        "self", models.SET_NULL, null=True, related_name="following", verbose_name="season before"
    )
    previous_sizes = models.JSONField("sizes of the divisions of the season before", null=True)

    places: models.Manager[Place]
    fixtures: models.Manager[Fixture]
    following: League

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["ends"], name="leagues_that_go_on", condition=Q(status="playing")),
            models.Index(fields=["taken_name"], name="taken_from_leagues", condition=~Q(taken_name="")),
        ]

    def __str__(self) -> str:
        return f"{Name(self.name)} ({self.key})"

    def get_absolute_url(self) -> str:
        return path_of("league", self.key)

    @property
    def title(self) -> str:
        """The name, from the second season or cup on with its number."""
        return titled(self.name, self.season, cup=self.is_cup)

    @property
    def next_season(self) -> League | None:
        """The season after this one, if it was announced."""
        return getattr(self, "following", None)

    @property
    def turn_hours(self) -> float | None:
        """The hours that a turn may take; None if turns are played at the hour `reveal_at`."""
        return None if self.reveal_at else self.deadline_hours

    @property
    def game(self) -> Game:
        return GAMES[self.game_slug][self.rules]

    @property
    def is_cup(self) -> bool:
        return self.format == self.Format.CUP

    @property
    def least_places(self) -> int:
        """The fewest players with whom it starts."""
        return bracket.LEAST if self.is_cup else pairing.fewest_places(self.table_seats)

    @property
    def options(self) -> Any:
        return self.game.read_options(self.given_options)


class Place(models.Model):
    """One who plays in a league, by a number that stays. A written name waits for somebody who claims it.

    `gone`: left before the start, or never claimed by then. `left_at`: left after the start; `removed`: by
    the organiser. `player`: the key of the site's bot that plays, if one does. `stranger`: taken without the
    invite, since the league was listed. `offer_hash`: of the link by which somebody takes a place that a
    moderator has closed; `passed_at`: when somebody did.

    `once`: does not go on in the next season. Whoever does has the same number and link there, from `came` in
    the final table; `stays_at`: when they said that they will play.
    """

    league = models.ForeignKey(League, models.CASCADE, related_name="places")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=200, blank=True)
    kind = models.CharField(max_length=8, choices=Seat.Kind.choices, default=Seat.Kind.HUMAN)
    player = models.CharField("bot", max_length=16, blank=True, default="", db_default="")
    link_hash = models.CharField(max_length=64, blank=True, db_index=True, editable=False)
    taken_at = models.DateTimeField(null=True)
    gone = models.BooleanField(default=False)
    left_at = models.DateTimeField(null=True)
    removed = models.BooleanField("removed by the organiser", default=False, db_default=False)
    stranger = models.BooleanField("taken without the invite", default=False, db_default=False)
    offer_hash = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)
    passed_at = models.DateTimeField("passed to somebody else", null=True)
    once = models.BooleanField("this season only", default=False, db_default=False)
    came_division = models.PositiveSmallIntegerField("division in the season before", null=True)
    came_row = models.PositiveSmallIntegerField("row in the table of the season before", null=True)
    stays_at = models.DateTimeField("has said yes to this season", null=True)

    holders: models.Manager[PlaceHold]

    class Meta:
        ordering = ("number",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["league", "number"], name="one_place_a_number"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["offer_hash"], name="offered_places", condition=~Q(offer_hash="")),
        ]

    def __str__(self) -> str:
        return f"{self.number} {Name(self.name)}".strip()

    @property
    def shown_name(self) -> str:
        """The name as pages show it: a forgotten guest's is in the reader's language."""
        return name_to_show(self.name)

    @property
    def taken(self) -> bool:
        return self.taken_at is not None and not self.gone

    @property
    def came(self) -> Came | None:
        """The division and row of the season before; None for newcomers."""
        if self.came_division is None or self.came_row is None:
            return None
        return Came(self.came_division, self.came_row)

    @property
    def is_bot(self) -> bool:
        return self.kind == Seat.Kind.BOT


class PlaceHold(models.Model):
    """A guest who may act for a place, and holds its seats."""

    place = models.ForeignKey(Place, models.CASCADE, related_name="holders")
    guest = models.ForeignKey(Guest, models.CASCADE, related_name="places")
    heard_upto = models.DateTimeField("has read messages up to", null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["place", "guest"], name="one_hold_a_guest_and_place"),
        ]

    def __str__(self) -> str:
        return f"{self.guest} holds {self.place}"


class LeagueMessage(models.Model):
    """A message that the players of a league write to each other, as `talk.models.Message` at a table."""

    league = models.ForeignKey(League, models.CASCADE, related_name="messages")
    place = models.ForeignKey(Place, models.SET_NULL, null=True, related_name="+")
    guest = models.ForeignKey(Guest, models.SET_NULL, null=True, related_name="+")
    name = models.CharField(max_length=200)
    phrase = models.CharField(max_length=16, blank=True)
    text = models.TextField(blank=True)
    hidden = models.BooleanField("hidden by a moderator", default=False)
    sent_at = models.DateTimeField()
    once = models.CharField(max_length=32, blank=True)

    to_all = True
    """True, since every message goes to all; talk's templates ask for it."""

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["league", "sent_at"], name="said_in_a_league"),
            models.Index(fields=["league", "once"], condition=~Q(once=""), name="said_once_in_a_league"),
        ]

    def __str__(self) -> str:
        return f"message {self.pk} in {self.league_id}"

    @property
    def shown_name(self) -> str:
        """The author's name as pages show it; for a forgotten guest, a word in the reader's language."""
        return name_to_show(self.name)

    @property
    def seat_id(self) -> int | None:
        """The author's place, by the name that talk's templates ask for."""
        return self.place_id


def _further_seat() -> models.ForeignKey[Any, Any]:
    """A place at a seat that only tables of more than two have."""
    return models.ForeignKey(Place, models.CASCADE, null=True, related_name="+", db_index=False)


class Fixture(models.Model):
    """A pairing of the schedule: `a` to `h` sit at seats A to H of `match`, None until its round begins.

    At smaller tables the last ones are None. `decided` says how the match came to its end, which its own
    record does not. A pairing of two may be decided before its match is made: `forfeit` is then the seat that
    was left; without one it is a draw. At a table of more, `forfeit` has all seats that were given up, and
    `finish` the seats in order of their places, where those count: `B/AC/D`.

    In a cup `division` is the tie of its round, and `round` counts the stages of all rounds (`cups.py`).
    """

    VOID = "void"
    """Closed by a moderator: it counts for nothing."""

    league = models.ForeignKey(League, models.CASCADE, related_name="fixtures")
    division = models.PositiveSmallIntegerField()
    round = models.PositiveSmallIntegerField()
    a = models.ForeignKey(Place, models.CASCADE, related_name="+")
    b = models.ForeignKey(Place, models.CASCADE, related_name="+")
    c = _further_seat()
    d = _further_seat()
    e = _further_seat()
    f = _further_seat()
    g = _further_seat()
    h = _further_seat()
    match = models.OneToOneField(Match, models.SET_NULL, null=True, related_name="fixture")
    decided = models.CharField(
        max_length=12, blank=True, choices=[(one.value, one.value) for one in Decided] + [(VOID, VOID)]
    )
    forfeit = models.CharField(max_length=8, blank=True, default="", db_default="")
    finish = models.CharField(max_length=16, blank=True, default="", db_default="")

    class Meta:
        ordering = ("division", "round", "pk")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["league", "round", "a", "b"], name="one_match_a_pairing"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["match"], name="fixtures_to_be_played", condition=Q(decided="")),
            *(
                models.Index(fields=[at], name=f"at_seat_{at}", condition=Q(**{f"{at}__isnull": False}))
                for at in COLUMNS[2:]
            ),
        ]

    def __str__(self) -> str:
        places = (getattr(self, letter.lower()) for letter in self.seats)
        return f"round {self.round}: {' – '.join(map(str, places))}"

    @property
    def seats(self) -> dict[str, int]:
        """The primary keys of the places, by the letters of their seats."""
        found = {letter: getattr(self, f"{letter.lower()}_id") for letter in SEATS}
        return {str(letter): pk for letter, pk in found.items() if pk is not None}

    def seat_of(self, place: Place) -> str:
        """The letter of a place's seat; KeyError if it has none here."""
        return {pk: letter for letter, pk in self.seats.items()}[place.pk]

    @property
    def still_there(self) -> list[str]:
        """The seats that were not given up, by their letters."""
        return [letter for letter in self.seats if letter not in self.forfeit]


def seating(places: Any, to: str = "", seats: Iterable[str] = COLUMNS) -> Q:
    """The fixtures in which one of these places (a place, or a query of places) sits; `to` leads to them."""
    how = "" if isinstance(places, Place) else "__in"
    return reduce(or_, (Q(**{f"{to}{at}{how}": places}) for at in seats))


def titled(name: str, season: int, *, cup: bool) -> str:
    """The name of a league or cup, from the second season or cup on with its number."""
    if season == 1:
        return name
    if cup:
        return _("{cup}, no. {n}").format(cup=name, n=season)
    return _("{league}, season {n}").format(league=name, n=season)


def last_moment(started: datetime, league: League) -> datetime:
    """The last day of a league that starts then."""
    return started + timedelta(days=league.ends_days)
