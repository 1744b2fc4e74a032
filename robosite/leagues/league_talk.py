"""Messages among the players of a league, with the same rules as messages in a match."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, IntegerField, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext as _

from games.core import SEATS
from robosite.leagues.flow import locked_league
from robosite.leagues.models import COLUMNS, League, Place, PlaceHold
from robosite.matches.flow import Refused, SeatLost
from robosite.matches.live import push
from robosite.matches.models import Program, Seat
from robosite.people.models import Guest
from robosite.play.decorators import Request
from robosite.talk import messages, undo
from robosite.talk.conversations import Conversation, read_by, read_page
from robosite.talk.models import Message
from robosite.talk.strangers import SEALS
from robosite.web.http import path_of
from robosite.web.transactions import send_to_all

heard = Signal()
"""Signal sent when a `guest` has read the messages of a `league`."""


def hold_in(league: League, guest: Guest | None) -> PlaceHold | None:
    """Returns the guest's hold in a league; None if they have none, or if the organiser has removed them."""
    held = PlaceHold.objects.filter(
        place__league=league, place__gone=False, place__removed=False, guest=guest
    )
    return held.select_related("place__league", "guest").first() if guest else None


class InLeague(Conversation):
    """The talk among the players of a league, for the guest who holds a place there."""

    def __init__(self, request: Request, hold: PlaceHold) -> None:
        super().__init__(request)
        self.hold, self.seat, self.league = hold, hold.place, hold.place.league

    def say(self, text: str, phrase: str) -> Message:
        return say(self.hold, text, phrase)

    def take_back(self, sent_at: datetime) -> Message | None:
        return take_back(self.hold, sent_at)

    def is_own(self, message: Message) -> bool:
        return message.place_id == self.seat.pk and message.guest_id == self.hold.guest_id

    def read(self, before: datetime | None) -> dict[str, Any]:
        return read_page(said_to(self.seat, before))

    def note_heard(self, said: list[Any]) -> None:
        note_heard(self.hold, said)

    def around(self) -> dict[str, Any]:
        people = self.league.places.filter(gone=False).exclude(taken_at=None)
        others = list(people.exclude(kind=Seat.Kind.BOT).exclude(pk=self.seat.pk))
        beside = League.objects.filter(Q(following=self.league) | Q(previous=self.league)).order_by("pk")
        return {
            "title": _("Chat"),
            "league": self.league,
            "here": self.request.path,
            "seasons_heard": [one for one in beside if hold_in(one, self.hold.guest)],
            "hint": read_by(others) if others else _("Anyone who joins can read this."),
            "why_only_phrases": why_only_phrases(self.league),
            "report": path_of("report-league", self.league.key),
        }


def say(hold: PlaceHold, text: str, phrase: str = "") -> Message:
    text, phrase = messages.clean(text, phrase)
    messages.keep_pace(("talk", f"place {hold.place_id}"))
    with locked_league(hold.place.league_id, quiet=True) as league:
        place = _confirmed(hold)
        if text and (why := why_only_phrases(league)):
            raise why
        message = Message.objects.create(
            league=league,
            place=place,
            guest_id=hold.guest_id,
            name=place.name,
            phrase=phrase,
            text=text,
            sent_at=timezone.now(),
        )
        send_to_all(messages.said, Message, league.key, message=message)
        push.league_changed(hearers(message).values_list("guest", flat=True))
    return message


def take_back(hold: PlaceHold, sent_at: datetime) -> Message | None:
    """Takes back a message by the guest who holds a place in a league, as `undo.at_table` does in a match."""
    messages.keep_pace(("talk", f"place {hold.place_id}"))
    with locked_league(hold.place.league_id, quiet=True):
        own = Message.objects.filter(place=_confirmed(hold), guest=hold.guest_id)
        message = undo.delete(own, sent_at)
        if message:
            push.league_changed(hearers(message).values_list("guest", flat=True))
        return message


def _confirmed(hold: PlaceHold) -> Place:
    place = Place.objects.filter(pk=hold.place_id, gone=False, removed=False).first()
    if place is None or not PlaceHold.objects.filter(pk=hold.pk, guest=hold.guest_id).exists():
        raise SeatLost
    return place


def why_only_phrases(league: League) -> Refused | None:
    """The reason why players may send only quick phrases, or None if they may type."""
    if not only_phrases(league):
        return None
    return Refused("Strangers may play here. Until everyone has sealed twice, pick from the quick phrases.")


def only_phrases(league: League) -> bool:
    """Returns True if players may send only quick phrases (ready-made texts), as a protection from strangers.

    Before the start, this holds if strangers may join. Afterwards, it holds if a stranger plays, until all
    people who have not left have sealed SEALS orders, or the league is over.
    """
    if league.listed and league.status == League.Status.OPEN:
        return True
    people = league.places.filter(gone=False, left_at=None).exclude(taken_at=None)
    if league.status == League.Status.OVER or not people.filter(stranger=True).exists():
        return False
    own = Program.objects.filter(by="", sealed_at__isnull=False, seat__match__fixture__league=league)
    own = own.exclude(seal="")
    sealed: Counter[int] = Counter()
    for letter, column in list(zip(SEATS, COLUMNS, strict=True))[: league.table_seats]:
        of_seat = own.filter(seat__letter=letter)
        sealed.update(of_seat.values_list(f"seat__match__fixture__{column}", flat=True))
    who_play = people.exclude(kind__in=(Seat.Kind.PROGRAM, Seat.Kind.BOT)).values_list("pk", flat=True)
    return any(sealed[pk] < SEALS for pk in who_play)


def said_to(place: Place, before: datetime | None = None) -> messages.Said:
    """Returns the latest messages that the holder of a place in a league may read, oldest first."""
    return messages.last_page(_audible(place), before)


def unread(guest: int, since: datetime | OuterRef, *, listed: bool) -> Subquery:
    """A subquery for a query of places: how many messages of the league a guest has not read; NULL if none.

    Those from the place itself do not count, nor, in a `listed` league, texts from before it was taken. They
    count from `since` if the guest has read none.
    """
    upto = PlaceHold.objects.filter(place=OuterRef(OuterRef("pk")), guest=guest).values("heard_upto")[:1]
    new = Message.objects.filter(league=OuterRef("league")).exclude(place=OuterRef("pk"))
    new = new.filter(sent_at__gt=Coalesce(Subquery(upto), since))
    if listed:
        new = new.filter(Q(sent_at__gte=OuterRef("taken_at")) | Q(text=""))
    count = new.order_by().values("league").annotate(n=Count("pk")).values("n")
    return Subquery(count, output_field=IntegerField())


def unread_at_places(guest: int) -> Case:
    """An expression for a query of places: the number of unread messages in each place's league."""
    since = OuterRef("league__created_at")
    new = {listed: unread(guest, since, listed=listed) for listed in (True, False)}
    return Case(When(league__listed=True, then=new[True]), default=new[False])


def note_heard(hold: PlaceHold, said: Sequence[Message]) -> None:
    """Stores that a guest has read these messages, oldest first, and sends `heard` if any are new."""
    if not said:
        return
    upto = said[-1].sent_at
    if hold.heard_upto is None or hold.heard_upto < upto:
        PlaceHold.objects.filter(pk=hold.pk).update(heard_upto=upto)
        send_to_all(heard, Message, hold.place.league.key, league=hold.place.league, guest=hold.guest)


def hearers(message: Message) -> QuerySet[PlaceHold]:
    """Returns the holds of all guests who may read a message, without those who share the author's place."""
    holds = PlaceHold.objects.filter(place__league=message.league_id, place__gone=False, place__removed=False)
    holds = holds.exclude(place=message.place_id).exclude(guest=message.guest_id)
    if message.text and message.league and message.league.listed:
        holds = holds.filter(place__taken_at__lte=message.sent_at)
    return holds


def _audible(place: Place) -> QuerySet[Message]:
    rows = Message.objects.filter(league=place.league_id)
    if place.taken_at and place.league.listed:
        rows = rows.exclude(Q(sent_at__lt=place.taken_at) & ~Q(text=""))
    return rows
