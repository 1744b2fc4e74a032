"""The models of leagues and cups: their terms, places, fixtures and messages.

Points, ranks and strengths are not stored: they are computed from the results (`table.py`, `strength.py`).
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
"""The names of the columns of `Fixture` for the places at seats A to H."""


class League(models.Model):
    """One season of a league, or one cup.

    The lots, which decide who plays whom, are computed from `nonce`; the hash of `nonce` is public from the
    beginning. `ends` is the time at which the league ends, None before the start. `closed` is True if a
    moderator has ended the league. `taken_name` is the `name_code` of a name that a moderator has taken away,
    or "".

    `previous` is the season before, or None. `previous_sizes` are the sizes of the divisions of that season,
    from which promotion and relegation follow; None in a first season and in a cup.
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
        FINISH = "places", "the order of being put out"

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
        """The name of the league or cup, followed by the number of its season if it is not the first one."""
        return titled(self.name, self.season, cup=self.is_cup)

    @property
    def next_season(self) -> League | None:
        """The season that follows; None if no such season has been announced."""
        return getattr(self, "following", None)

    @property
    def turn_hours(self) -> float | None:
        """The number of hours that a turn may take; None if turns are played at the hour `reveal_at`."""
        return None if self.reveal_at else self.deadline_hours

    @property
    def game(self) -> Game:
        return GAMES[self.game_slug][self.rules]

    @property
    def is_cup(self) -> bool:
        return self.format == self.Format.CUP

    @property
    def least_places(self) -> int:
        """The minimum number of players with whom the league can start."""
        return bracket.LEAST if self.is_cup else pairing.fewest_places(self.table_seats)

    @property
    def options(self) -> Any:
        return self.game.read_options(self.given_options)


class Place(models.Model):
    """A participant of a league, with a fixed number.

    `name` is the player's name; the organiser can give it before anybody has taken the place. `player` is the
    key of the bot that plays, or "". `stranger` is True if the place was taken without an invite, in a listed
    league.

    `gone` is True in three cases: the place was given up before the start, nobody had taken it at the start,
    or its player was not enrolled in this season. `left_at` is the time at which the place was left after the
    start, or None. `removed` is True if the organiser removed the player.

    If a moderator has shut out the holders, somebody else can take over the place by a secret link.
    `offer_hash` is the hash of that link, and `passed_at` the time at which the place was taken over.

    `once` is True if the player plays in this season only. A player who continues in the next season keeps
    the number and the link. `came_division` and `came_row` are the position in the final table of the season
    before, or None. `stays_at` is the time at which the player confirmed to play in this season, or None.
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
        """The name as pages show it; if the guest's data were erased, a word in the reader's language."""
        return name_to_show(self.name)

    @property
    def taken(self) -> bool:
        return self.taken_at is not None and not self.gone

    @property
    def came(self) -> Came | None:
        """The position in the final table of the season before; None for newcomers and in a first season."""
        if self.came_division is None or self.came_row is None:
            return None
        return Came(self.came_division, self.came_row)

    @property
    def is_bot(self) -> bool:
        return self.kind == Seat.Kind.BOT


class PlaceHold(models.Model):
    """The right of a guest to play for a place in a league, and for its seats in matches."""

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
    """A message to all players of a league; its counterpart in a match is `talk.models.Message`.

    `phrase` is the key of a quick phrase, or "". `once` is computed from the content and a mark that the form
    sends, so that the same message is not stored twice; `once` is "" if the form sent no mark.
    """

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
    """A flag for the templates of talk, always True: a message in a league goes to all players."""

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["league", "sent_at"], name="said_in_a_league"),
            models.Index(fields=["league", "once"], condition=~Q(once=""), name="said_once_in_a_league"),
        ]

    def __str__(self) -> str:
        return f"message {self.pk} in {self.league_id}"

    @property
    def shown_name(self) -> str:
        """The author's name as pages show it; if their data were erased, a word in the reader's language."""
        return name_to_show(self.name)

    @property
    def seat_id(self) -> int | None:
        """The primary key of the author's place; the templates of match messages read it under this name."""
        return self.place_id


def _further_seat() -> models.ForeignKey[Any, Any]:
    """Returns a nullable foreign key to the participant who has one of the seats C to H of a match."""
    return models.ForeignKey(Place, models.CASCADE, null=True, related_name="+", db_index=False)


class Fixture(models.Model):
    """A row of the schedule: the participants `a` to `h` have the seats A to H of `match`.

    `match` is None until the fixture's round begins. Columns of seats that the match does not have are None.
    `decided` is "" before the result is stored, and afterwards a value of `Decided`, or VOID. A fixture that
    is decided before its match is made never gets a match.

    `forfeit` has letters of seats, or is "". If a match with two seats was decided before it was made, the
    letters are the seats of players who had left. In a larger match, the letters are all seats given up.

    If the league scores by finishing order (`Scoring.FINISH`), `finish` has the seats of a larger match from
    the first to the last, with seats of equal rank together: `B/AC/D`.

    In a cup, `division` is the number of the tie in its round, and `round` counts the stages (`cups.py`).
    """

    VOID = "void"
    """The value of `decided` for a match that a moderator has closed, and that therefore does not count."""

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
        """The primary keys of the participants' places, keyed by the letters of their seats."""
        found = {letter: getattr(self, f"{letter.lower()}_id") for letter in SEATS}
        return {str(letter): pk for letter, pk in found.items() if pk is not None}

    def seat_of(self, place: Place) -> str:
        """Returns the seat letter of a participant; raises KeyError if they do not play in this fixture."""
        return {pk: letter for letter, pk in self.seats.items()}[place.pk]

    @property
    def still_there(self) -> list[str]:
        """The letters of the seats that were not given up."""
        return [letter for letter in self.seats if letter not in self.forfeit]


def seating(places: Any, to: str = "", seats: Iterable[str] = COLUMNS) -> Q:
    """Returns a Q condition: one of the participants `places` has one of the `seats` in the fixture.

    `places` is a Place or a queryset. `seats` are names of columns, such as `a`. `to` is the lookup path from
    the filtered model to its fixtures, such as `fixtures__`, and "" in a query of fixtures.
    """
    how = "" if isinstance(places, Place) else "__in"
    return reduce(or_, (Q(**{f"{to}{at}{how}": places}) for at in seats))


def titled(name: str, season: int, *, cup: bool) -> str:
    """Returns the name of a league or cup, followed by the season's number if it is not the first season."""
    if season == 1:
        return name
    if cup:
        return _("{cup}, no. {n}").format(cup=name, n=season)
    return _("{league}, season {n}").format(league=name, n=season)


def last_moment(started: datetime, league: League) -> datetime:
    """Returns the time at which a league ends if it starts at the time `started`."""
    return started + timedelta(days=league.ends_days)
