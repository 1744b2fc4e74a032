"""The tables of matches, seats, holds and programs. Positions are replayed from the programs, not stored."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import IntFlag
from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Upper
from django.utils import timezone

from games import GAMES
from games.core import Game, Outcome
from games.core import Seat as Letter
from robosite.engine.prepared import forget_rows, know_rows, known_rows
from robosite.matches import site_models  # noqa: F401 - more tables of this app
from robosite.matches.seals import encrypted
from robosite.people.models import Guest
from robosite.web.http import path_of
from robosite.web.link_secrets import new_key
from robosite.web.written_names import Name, Named

DEADLINE = "deadline"
"""The value of `Seat.timed_out` for a seat that the deadline itself made resign, not another player."""

FORMER_WORDS = {"claim": "wait", "fill": "draft", "forfeit": "out"}
"""The present value of `Match.Late` for each former one, which older matches and programs still use."""

LISTED_FOR = timedelta(days=7)
"""The time for which a match stays on the list of open tables, until its creator lists it again."""


class MatchFlag(IntFlag):
    """Rare things that a match may have, whose rows are queried only if the flag is set.

    Code that stores such a row also sets its flag, inside the match's lock. A flag is never removed.
    """

    NUDGES = 1
    REQUESTS = 2
    HOLIDAYS = 4
    """A player has taken a holiday since they sat down, or had an unfinished one when they sat down."""
    TAKEN_OVER = 8
    """The first turns were copied from another match (`flow/continuation.py`)."""
    STRANGERS = 16
    """Somebody came without an invite, here or where the match comes from (`talk/strangers.py`)."""
    BINDING = 32
    """The match counts in a competition: its players cannot pause it, call it off or take turns back."""
    REPLIES = 64
    """A player has planned replies to the other seat's orders (`flow/replying.py`)."""
    KEPT_SEATS = 128
    """No player may hand their seat over to somebody else (`flow/handover.py`)."""
    SAME_SEATS = 256
    """Both players have the seats of the match before, since the one who made this match chose so."""
    REACTIONS = 512
    DECIDER = 1024
    """The match decides who comes first in a league that ended level; the league doesn't count it."""


class Played:
    """Mixin of Match and League: their game, its options, and the time for a turn."""

    @property
    def game(self: Any) -> Game:
        return GAMES[self.game_slug][self.rules]

    @property
    def options(self: Any) -> Any:
        return self.game.read_options(self.given_options)

    @property
    def turn_hours(self: Any) -> float | None:
        """The hours for a turn, without reserves; None if turns are played at the hour `reveal_at`."""
        return None if self.reveal_at else self.deadline_hours


class Match(Played, models.Model):
    class Status(models.TextChoices):
        OPEN = "open", "open"
        PLAYING = "playing", "playing"
        OVER = "over", "over"
        ABORTED = "aborted", "called off"

    class Late(models.TextChoices):
        WAIT = "wait", "the others may stop waiting"
        BOT = "bot", "a bot plays the turn"
        DRAFT = "draft", "the draft is played, else a bot plays the turn"
        OUT = "out", "who is late resigns"
        CLAIM = "claim", "the former word for WAIT"
        FILL = "fill", "the former word for DRAFT"
        FORFEIT = "forfeit", "the former word for OUT"

    key = models.CharField(max_length=16, unique=True, default=new_key, editable=False)
    game_slug = models.SlugField("game", max_length=32)
    rules = models.PositiveSmallIntegerField()
    given_options = models.JSONField("options", default=dict)
    setup = models.JSONField(default=dict)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.OPEN, db_index=True)
    turn = models.PositiveIntegerField("turns played", default=0)
    taken_back = models.PositiveIntegerField("turns taken back", default=0)
    to_act = models.CharField("who acts in the present turn", max_length=8, null=True)
    version = models.PositiveIntegerField(default=1)
    listed = models.BooleanField("an open table", default=False)
    listed_at = models.DateTimeField("on the list of open tables since", null=True, blank=True)
    listed_from = models.CharField(
        "hash of the address that listed it", max_length=33, default="", db_default=""
    )
    watched = models.BooleanField("watchers are welcome", default=True)
    invite_hash = models.CharField(max_length=64, blank=True, db_index=True)
    opened_at = models.DateTimeField("invite opened", null=True)
    opened_by = models.CharField(max_length=200, blank=True)
    deadline_hours = models.FloatField(null=True)
    reserve_hours = models.FloatField("time reserve of each seat, in hours", default=0, db_default=0)
    reserves: Any = models.JSONField("what is left of the reserves", null=True, blank=True)
    reveal_at: Any = models.JSONField("hour of the day at which turns are played", null=True, blank=True)
    open_since = models.DateTimeField("since when the present turn could be sealed", null=True)
    revealed_at = models.DateTimeField("the last hour at which a turn was played", null=True)
    revealed_turn = models.PositiveIntegerField("the turn that was played then", null=True)
    late = models.CharField(max_length=8, choices=Late.choices, default=Late.CLAIM)
    weekends_off = models.BooleanField("Saturdays and Sundays do not count", default=False)
    zone = models.CharField("time zone of the table", max_length=64, default="UTC")
    deadline = models.DateTimeField(null=True)
    overdue = models.BooleanField("the deadline has been noted as past", default=False)
    due = models.DateTimeField("when something follows from time alone", null=True, db_index=True)
    left = models.DurationField("time left while the clock stands still", null=True)
    breaks = models.JSONField("holidays by which the clock goes", default=list, blank=True)
    paused = models.BooleanField("all people still in it want a pause", default=False)
    handover_at = models.DateTimeField("when a lost seat passes", null=True, db_index=True)
    outcome_json = models.JSONField("outcome", null=True)
    lane = models.PositiveSmallIntegerField("in which its bots wait", default=0)
    flags = models.PositiveSmallIntegerField("flags of rare things", default=0, db_column="extras")
    series: Any = models.JSONField("its place in a series", null=True, blank=True)
    imported = models.BooleanField("made from a record, not played here", default=False)
    rematch_of = models.OneToOneField("self", models.SET_NULL, null=True, related_name="rematch")
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    changed_at = models.DateTimeField(auto_now=True, db_index=True)

    seats: models.Manager[Seat]

    replayed: Any = None
    """The turns and states (`Replayed`) that are cached on this instance (`history.py`)."""

    class Meta:
        verbose_name_plural = "matches"
        indexes: ClassVar = [
            models.Index(fields=["created_at"], name="imported_matches", condition=Q(imported=True)),
            models.Index(fields=["changed_at"], name="matches_without_a_turn", condition=Q(turn=0)),
            models.Index(fields=["id"], name="open_tables", condition=Q(listed=True, status="open")),
        ]

    def __str__(self) -> str:
        return f"{self.game_slug} {self.key}"

    def get_absolute_url(self) -> str:
        return path_of("match", self.key)

    @property
    def known_seats(self) -> Iterable[Seat] | None:
        """The seats that are cached on this instance, or None if they have not been read."""
        return known_rows(self, "seats")

    def know_seats(self, seats: list[Seat]) -> None:
        """Caches these seats, so that `seats.all()` of this instance returns them, as after a prefetch."""
        know_rows(self, "seats", seats, Seat, by="match")

    def forget_seats(self) -> None:
        forget_rows(self)

    def may_have(self, flag: MatchFlag) -> bool:
        return bool(self.flags & flag)

    @property
    def listed_until(self) -> datetime | None:
        """The time when an open, listed match leaves, or left, the list of open tables; else None."""
        if not self.listed or self.status != self.Status.OPEN:
            return None
        return (self.listed_at or self.created_at) + LISTED_FOR

    @property
    def is_open_table(self) -> bool:
        """Returns True if anybody may join without an invite: the match has not begun and is still listed."""
        until = self.listed_until
        return until is not None and until > timezone.now()

    @property
    def needs_no_invite(self) -> bool:
        """Returns True if joining the match needs no invite, or would fail for another reason anyway."""
        return self.is_open_table or (self.listed and self.status != self.Status.OPEN)

    @property
    def if_late(self) -> Late:
        """The treatment of a late player: the value of `late`, with the present word for a former one."""
        return self.Late(FORMER_WORDS.get(self.late, self.late))

    @property
    def is_binding(self) -> bool:
        return self.may_have(MatchFlag.BINDING)

    @property
    def is_decider(self) -> bool:
        return self.may_have(MatchFlag.DECIDER)

    def set_flag(self, flag: MatchFlag) -> None:
        """Sets the flag in the database and in this instance. Call it inside the match's lock."""
        if not self.may_have(flag):
            self.flags |= flag
            Match.objects.filter(pk=self.pk).update(flags=self.flags)

    def may_be_watched_by(self, guest: Guest | None) -> bool:
        return self.watched or (
            guest is not None and Hold.objects.filter(guest=guest, seat__match=self).exists()
        )

    @property
    def outcome(self) -> Outcome | None:
        if self.outcome_json is None:
            return None
        scores = {Letter(seat): share for seat, share in self.outcome_json["scores"].items()}
        return Outcome(scores, self.outcome_json["reason"])


GOING_ON = (Match.Status.OPEN, Match.Status.PLAYING)


class Seat(Named, models.Model):
    class Kind(models.TextChoices):
        HUMAN = "human", "human"
        BOT = "bot", "bot"
        PROGRAM = "program", "program that plays over the API"

    match = models.ForeignKey(Match, models.CASCADE, related_name="seats")
    letter = models.CharField(max_length=1)
    name = models.CharField(max_length=200, blank=True)
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.HUMAN)
    player = models.CharField("which program plays a bot's seat", max_length=16, blank=True)
    host = models.BooleanField("made the match", default=False)
    link_hash = models.CharField(max_length=64, blank=True, db_index=True)
    offer_hash = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)
    sitting = models.PositiveIntegerField("how often who may act was decided anew", default=0)
    taken_at = models.DateTimeField(null=True)
    was = models.CharField("letter before the start with fewer", max_length=1, blank=True)
    resigned_turn = models.PositiveIntegerField("gives resign for turn", null=True)
    timed_out = models.CharField(
        "resigned by being late", max_length=8, blank=True, default="", db_default=""
    )
    """DEADLINE, or the letter of the seat that stopped waiting."""
    draw_turn = models.PositiveIntegerField("offered a draw in turn", null=True)
    draw_no = models.PositiveIntegerField("declined a draw in turn", null=True)
    off_turn = models.PositiveIntegerField("asked to call the match off in turn", null=True)
    off_no = models.PositiveIntegerField("declined to call it off in turn", null=True)
    wish_turn = models.PositiveIntegerField("asked to take its turn back in turn", null=True)
    wish_declined = models.BooleanField("the others declined", default=False)
    missed = models.PositiveSmallIntegerField("deadlines missed in a row", default=0)
    wants_pause = models.BooleanField("wants a pause", default=False)
    passed_at = models.DateTimeField("when it passed to who had asked for it", null=True)
    passed_turn = models.PositiveIntegerField("turns played when it passed", null=True)
    addressed = models.BooleanField("messages were written to it", default=False)
    holidays_taken: Any = models.JSONField("holidays of those who have lost it", null=True, blank=True)
    stranger_from = models.CharField(
        "hash of the address of a stranger who has not sealed", max_length=33, default="", db_default=""
    )

    programs: models.Manager[Program]

    hold: Hold | None = None
    """The hold by which a request acts for this seat; None for an API token, a bot, or the site itself."""

    class Meta:
        ordering = ("letter",)
        indexes: ClassVar = [
            models.Index(Upper("name"), name="seats_by_name"),
            models.Index(fields=["match"], name="seats_of_bots", condition=Q(kind="bot")),
            models.Index(fields=["stranger_from"], name="strangers", condition=~Q(stranger_from="")),
            models.Index(fields=["offer_hash"], name="offered_seats", condition=~Q(offer_hash="")),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["match", "letter"], name="one_seat_a_letter")
        ]

    def __str__(self) -> str:
        return f"{self.letter} {Name(self.name)}".strip()

    def get_absolute_url(self) -> str:
        return path_of("seat", self.match.key, self.letter)

    @property
    def at(self) -> Letter:
        return Letter(self.letter)

    @property
    def taken(self) -> bool:
        return self.taken_at is not None

    @property
    def is_bot(self) -> bool:
        """Returns True if a bot of the site holds this seat. A program of the API is not such a bot."""
        return self.kind == self.Kind.BOT

    @property
    def is_program(self) -> bool:
        """Returns True if a bot of the site, or a program that uses the API, holds this seat."""
        return self.kind != self.Kind.HUMAN


def held_by(guest: Guest | int, seats: str = "") -> Q:
    """The condition for seats that a guest holds; `seats` is the lookup prefix, such as `seat__`."""
    return Q((f"{seats}holds__guest", guest), (f"{seats}holds__sitting", F(f"{seats}sitting")))


HELD = ("id", "seat_id", "guest_id", "sitting", "seen_turn")


def seats_for(guest: Guest) -> models.QuerySet[Seat]:
    """All seats, each annotated with the guest's valid hold on it, if any."""
    valid = Q(("holds__guest", guest), ("holds__sitting", F("sitting")))
    columns = {f"held_{name}": F(f"own__{name}") for name in HELD}
    return Seat.objects.annotate(own=models.FilteredRelation("holds", condition=valid), **columns)


class ValidHolds(models.Manager["Hold"]):
    """Manager of the valid holds: those with the `sitting` of their seat."""

    def get_queryset(self) -> models.QuerySet[Hold]:
        return super().get_queryset().filter(sitting=F("seat__sitting"))


class Hold(models.Model):
    """A guest's right to play for a seat; several guests may hold the same seat.

    It is valid only while its `sitting` equals that of its seat, which rises when the seat's player or link
    changes. Only the flow creates, moves and ends holds, inside the match's lock.
    """

    seat = models.ForeignKey(Seat, models.CASCADE, related_name="holds")
    guest = models.ForeignKey(Guest, models.CASCADE, related_name="holds")
    sitting = models.PositiveIntegerField(default=0)
    seen_turn = models.PositiveIntegerField("turns seen", default=0)

    objects = ValidHolds()
    every = models.Manager["Hold"]()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["seat", "guest"], name="one_hold_a_guest")]

    def __str__(self) -> str:
        return f"{self.guest} holds {self.seat}"


class FormerHold(models.Model):
    """A hold that a guest lost without giving the seat up, when `Seat.taken_at` was `sat_at`."""

    seat = models.ForeignKey(Seat, models.CASCADE, related_name="former_holds")
    guest = models.ForeignKey(Guest, models.CASCADE, related_name="former_holds")
    sat_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.guest} held {self.seat}"


@encrypted("secret")
class Program(models.Model):
    """A seat's order for a turn: a draft at first, sealed once `seal` is set, revealed once `order` is set.

    Until the order is revealed, its text and nonce are encrypted in `secret` (`seals.py`), and `order` and
    `nonce` are empty. A row with an `order` but no `seal` was imported, or is a resignation or a draw.
    `by` is the origin of an order that the player did not seal: a bot's key, “reply”, “deadline” or “record”.
    """

    seat = models.ForeignKey(Seat, models.CASCADE, related_name="programs")
    turn = models.PositiveIntegerField()
    secret = models.BinaryField(null=True)
    seal = models.CharField(max_length=64, blank=True)
    sealed_at = models.DateTimeField(null=True)
    order = models.TextField(blank=True)
    nonce = models.CharField(max_length=64, blank=True)
    by = models.CharField(max_length=8, blank=True)
    by_version = models.PositiveSmallIntegerField(null=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["seat", "turn"], name="one_program_a_turn")]

    def __str__(self) -> str:
        return f"{self.seat.letter}, turn {self.turn}"

    @property
    def sealed(self) -> bool:
        return bool(self.seal)


@encrypted("secret")
class Replies(models.Model):
    """A seat's planned answers to the other's orders, encrypted, for one turn, or why they were dropped."""

    class Dropped(models.TextChoices):
        NO = "", "no"
        OTHERWISE = "other", "none fits what the other seat played"
        ILLEGAL = "illegal", "the answer was not legal any more"
        OWN = "own", "the seat played another order than planned"
        TAKEN_BACK = "back", "a turn was taken back"
        LOST = "lost", "no key opens them"

    seat = models.OneToOneField(Seat, models.CASCADE, related_name="replies")
    turn = models.PositiveIntegerField()
    secret = models.BinaryField(null=True)
    dropped = models.CharField("why they were dropped", max_length=8, choices=Dropped.choices, blank=True)

    class Meta:
        verbose_name_plural = "replies"

    def __str__(self) -> str:
        return f"replies of {self.seat.letter}, turn {self.turn}"


class TakenBack(models.Model):
    """An order that was taken back, with its seal; of turns undone at once, the last has the least number."""

    seat = models.ForeignKey(Seat, models.CASCADE, related_name="taken_back")
    number = models.PositiveIntegerField()
    turn = models.PositiveIntegerField()
    order = models.TextField()
    nonce = models.CharField(max_length=64)
    seal = models.CharField(max_length=64)
    sealed_at = models.DateTimeField(null=True)
    taken_back_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "turn taken back"
        verbose_name_plural = "turns taken back"
        constraints: ClassVar = [models.UniqueConstraint(fields=["seat", "number"], name="one_turn_a_number")]

    def __str__(self) -> str:
        return f"{self.seat.letter}, turn {self.turn}"


class Nudge(models.Model):
    """A reminder, which the player of `seat` sends to players who owe an order for `turn`."""

    seat = models.ForeignKey(Seat, models.CASCADE, related_name="nudges")
    turn = models.PositiveIntegerField()
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.seat} nudges, turn {self.turn}"
