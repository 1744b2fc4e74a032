"""The models of leagues and cups: their terms, places, fixtures and messages.

Points, ranks and strengths are not stored, but computed from the results.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from games.core import SEATS
from robosite.leagues import formats
from robosite.leagues.arithmetic.promotion import Came
from robosite.leagues.arithmetic.table import Decided
from robosite.matches.models import Match, Played, Seat
from robosite.people.models import Guest
from robosite.web.http import path_of
from robosite.web.link_secrets import new_key
from robosite.web.written_names import Name, Named

LONGEST_NAME = 60
COLUMNS = tuple(letter.lower() for letter in SEATS)
"""The names of the columns of `Fixture` for the places at seats A to H."""


class League(Played, models.Model):
    """One season of a league, or one cup.

    The lots follow from `nonce`, whose hash is public from the beginning. `ends` is None before the start. A
    moderator sets `closed`, and `taken_name`, the `name_code` of a name taken away. `previous_sizes` are the
    sizes of the divisions of the season before; None in a first season and in a cup. `organiser_place` is a
    place's number; None if the maker organises without a place. `unsettled` is True while the clock has
    matches to end. `version` rises with every change of the league or of one of its matches.
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
    listed_from = models.CharField(
        "hash of the address that listed it", max_length=33, default="", db_default=""
    )
    handover = models.BooleanField("places may be handed over", default=True, db_default=True)
    for_programs = models.BooleanField("only programs play", default=False, db_default=False)
    nonce = models.CharField(max_length=64, editable=False)
    invite_hash = models.CharField(max_length=64, db_index=True, editable=False)
    organiser_hash = models.CharField(max_length=64, db_index=True, editable=False)
    organiser = models.ForeignKey(Guest, models.SET_NULL, null=True, related_name="organised", editable=False)
    organiser_place = models.PositiveSmallIntegerField("number of the organiser’s place", null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField("last change before the start", null=True)
    starts_at = models.DateTimeField("when it starts by itself", null=True)
    started_at = models.DateTimeField(null=True)
    ends = models.DateTimeField("last day", null=True)
    next_round_at = models.DateTimeField(null=True)
    over_at = models.DateTimeField(null=True)
    closed = models.BooleanField("closed by a moderator", default=False)
    taken_name = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)
    unsettled = models.BooleanField(default=False, db_default=False, editable=False)
    version = models.PositiveIntegerField(default=1, db_default=1, editable=False)
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
            models.Index(
                fields=["starts_at"],
                name="seasons_to_start",
                condition=Q(status="open", starts_at__isnull=False),
            ),
            models.Index(fields=["unsettled"], name="unsettled_leagues", condition=Q(unsettled=True)),
            models.Index(fields=["taken_name"], name="taken_from_leagues", condition=~Q(taken_name="")),
        ]

    def __str__(self) -> str:
        return f"{Name(self.name)} ({self.key})"

    def get_absolute_url(self) -> str:
        return path_of("league", self.key)

    @property
    def title(self) -> str:
        """The name of the league or cup, followed by the number of its season if it is not the first one."""
        numbered = self.kind.numbered.format(league=self.name, cup=self.name, n=self.season)
        return self.name if self.season == 1 else numbered

    @property
    def next_season(self) -> League | None:
        """The season that follows; None if no such season has been announced."""
        return getattr(self, "following", None)

    @property
    def kind(self) -> formats.Format:
        """The format as an object, which answers where formats differ."""
        return formats.format_of(self.format, self.table_seats)

    @property
    def least_places(self) -> int:
        """The minimum number of players with whom the league can start."""
        return self.kind.least_places(self.table_seats)


class Place(Named, models.Model):
    """A participant of a league, with a fixed number.

    `player` is a bot's key, or "". A `stranger` came without an invite. A place is `gone` if it was given up
    or not taken before the start, or if its player has not said yes; later, `left_at` is set. `offer_hash` is
    that of the link by which somebody can take it over, `passed_at` the time of that. A player who goes on
    to the next season keeps number and link; `came_division` and `came_row` are the position in the final
    table before, `stays_at` is the time of the yes, and `once` a no to later seasons. `holidays_taken` are
    those of former holders. A place that `organises` is the organiser's own, or was; `chooses` is the number
    of the place whose player this player wants as the organiser.
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
    stranger_from = models.CharField(
        "hash of the address of a stranger, until the start", max_length=33, default="", db_default=""
    )
    offer_hash = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)
    passed_at = models.DateTimeField("passed to somebody else", null=True)
    once = models.BooleanField("this season only", default=False, db_default=False)
    came_division = models.PositiveSmallIntegerField("division in the season before", null=True)
    came_row = models.PositiveSmallIntegerField("row in the table of the season before", null=True)
    stays_at = models.DateTimeField("has said yes to this season", null=True)
    organises = models.BooleanField("the organiser’s own", default=False, db_default=False)
    holidays_taken: Any = models.JSONField("holidays of those who have lost it", null=True, blank=True)
    chooses = models.PositiveSmallIntegerField("place that shall organise", null=True)

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
    def taken(self) -> bool:
        return self.taken_at is not None and not self.gone

    @property
    def is_asked(self) -> bool:
        """Returns True if a player of the season before has not answered yet; by the start, that is a no."""
        return self.kind == Seat.Kind.HUMAN and self.came_row is not None and self.stays_at is None

    @property
    def came(self) -> Came | None:
        """The position in the final table of the season before; None for newcomers and in a first season."""
        if self.came_division is None or self.came_row is None:
            return None
        return Came(self.came_division, self.came_row)

    @property
    def is_bot(self) -> bool:
        return self.kind == Seat.Kind.BOT


VACANT = ~models.Q(kind=Seat.Kind.BOT) & models.Q(
    taken_at__isnull=False, gone=False, left_at=None, link_hash="", holders=None
)
"""The condition for places in a league for which nobody can play: without a link and holders."""


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


class Waiting(models.Model):
    """A guest who came by the invite after the start: told of the next season, and free to join it."""

    league = models.ForeignKey(League, models.CASCADE, related_name="waiting")
    guest = models.ForeignKey(Guest, models.CASCADE, related_name="awaited_seasons")
    asked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "waiting"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["league", "guest"], name="one_wait_a_guest_and_league"),
        ]

    def __str__(self) -> str:
        return f"{self.guest} waits for {self.league}"


def _further_seat() -> models.ForeignKey[Any, Any]:
    return models.ForeignKey(Place, models.CASCADE, null=True, related_name="+", db_index=False)


class Fixture(models.Model):
    """A row of the schedule: the participants `a` to `h` have the seats A to H of `match`.

    `match` is None until its round begins, and for ever if the fixture is decided before. `decided` is "", a
    value of `Decided`, or VOID. `forfeit` has letters of seats given up; between two, only of players who
    left before it began. `finish` has the finishing order, such as `B/AC/D`. `early` is True if not all had
    sealed twice. In a cup, `division` is the number of the tie, and `round` counts stages.
    """

    VOID = "void"
    """The value of `decided` for a match that does not count: closed by a moderator, or by a removal."""

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
    early = models.BooleanField("ended before all had sealed twice", default=False, db_default=False)

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


def seating(places: Any) -> Q:
    """Returns a Q condition: one of the participants `places` sits in the fixture."""
    how = "" if isinstance(places, Place) else "__in"
    return reduce(or_, (Q(**{f"{at}{how}": places}) for at in COLUMNS))
