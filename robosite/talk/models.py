"""Messages in a match or a league, up to when they are read, and texts that players write for turns."""

from typing import ClassVar

from django.db import models

from robosite.matches.models import Hold, Match, Seat
from robosite.matches.seals import encrypted
from robosite.people.models import Guest
from robosite.web.written_names import Named


class Message(Named, models.Model):
    """A message in the talk of a match or of a league.

    In a match, it comes from a player to players or, with `watchers`, from a watcher to watchers. A player's
    message with `to_all` may be read by all players. One without is private: only the seats that have a
    Recipient may read it, and no other player learns of it. In a league, it is to all players.
    """

    match = models.ForeignKey(Match, models.CASCADE, null=True, related_name="messages")
    league = models.ForeignKey("leagues.League", models.CASCADE, null=True, related_name="messages")
    watchers = models.BooleanField("among watchers", default=False)
    to_all = models.BooleanField(default=True)
    seat = models.ForeignKey(Seat, models.SET_NULL, null=True, related_name="messages")
    place = models.ForeignKey("leagues.Place", models.SET_NULL, null=True, related_name="+")
    guest = models.ForeignKey(Guest, models.SET_NULL, null=True, related_name="messages")
    name = models.CharField(max_length=200)
    """The author's name when the message was sent, or a name that has replaced it."""
    phrase = models.CharField(max_length=16, blank=True)
    """The key of a stock phrase (`messages.py: STOCK`), or ""."""
    text = models.TextField(blank=True)
    hidden = models.BooleanField("hidden by a moderator", default=False)
    read_at = models.DateTimeField("first read by somebody else", null=True)
    sent_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["match", "watchers", "to_all", "sent_at"], name="said_at_a_table"),
            models.Index(
                fields=["league", "sent_at"], condition=~models.Q(league=None), name="said_among_a_league"
            ),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(match=None, league__isnull=False)
                | models.Q(match__isnull=False, league=None),
                name="said_in_a_match_or_a_league",
            ),
        ]

    def __str__(self) -> str:
        return f"message {self.pk}"

    @property
    def author(self) -> int | None:
        """The primary key of the author's seat in the match, or of their place in the league."""
        return self.place_id if self.league_id else self.seat_id


class Recipient(models.Model):
    """A seat that may read a private message: a recipient's seat, or the author's own.

    `sent_at` is the message's; `read_at` is the time at which a page first showed it to this seat.
    """

    message = models.ForeignKey(Message, models.CASCADE, related_name="recipients")
    seat = models.ForeignKey(Seat, models.CASCADE, related_name="recipients")
    sent_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["seat", "sent_at"], name="said_to_a_seat")]

    def __str__(self) -> str:
        return f"message {self.message_id} for {self.seat_id}"


class Heard(models.Model):
    """The time up to which a guest who holds a seat has read the messages to all in the seat's match."""

    hold = models.OneToOneField(Hold, models.CASCADE, primary_key=True, related_name="heard")
    upto = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.hold_id} up to {self.upto}"


@encrypted("secret")
class TurnNote(models.Model):
    """A player's encrypted text for a turn: a message that is revealed with the turn, or a private note.

    The former is called a word, and goes with its turn. `line` counts the turns taken back when it was
    written.
    """

    class Kind(models.TextChoices):
        WORD = "word"
        NOTE = "note"

    seat = models.ForeignKey(Seat, models.CASCADE, related_name="turn_notes")
    turn = models.PositiveIntegerField()
    kind = models.CharField(max_length=4, choices=Kind.choices)
    line = models.PositiveIntegerField(default=0)
    secret = models.BinaryField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["seat", "turn", "kind"], name="one_scribble_a_turn"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.seat_id}, turn {self.turn}"
