"""Messages among the players of a league, with the same rules as messages in a match."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from django.db.models import Case, Count, IntegerField, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce
from django.dispatch import Signal
from django.utils import timezone

from games.core import SEATS
from robosite.leagues.flow import locked_league
from robosite.leagues.models import COLUMNS, League, LeagueMessage, Place, PlaceHold
from robosite.matches.flow import Refused, SeatLost
from robosite.matches.live import push
from robosite.matches.models import Program, Seat
from robosite.talk import messages
from robosite.talk.strangers import SEALS
from robosite.web.signals import send_to_all

SHOWN = messages.SHOWN

said = Signal()
"""Signal sent inside the transaction in which a `message` was written."""
heard = Signal()
"""Signal sent when a `guest` has read the messages of a `league`."""


def say(hold: PlaceHold, text: str, phrase: str = "", *, once: str = "") -> LeagueMessage:
    """Adds a message by the guest who holds a place in a league, and returns the message.

    `phrase` is the key of a quick phrase (a ready-made text), or "". `once` is a random mark that identifies
    the form, or "". If the same message was already sent with this mark, no message is added, and the earlier
    one is returned.

    Raises SeatLost if the guest no longer holds the place, or if the organiser has removed it. Raises Refused
    if the message is not allowed, for example if it is typed while only quick phrases are allowed.
    """
    text, phrase = messages.clean(text, phrase)
    once = messages.content_mark(once, text, phrase)
    messages.keep_pace(f"place {hold.place_id}")
    with locked_league(hold.place.league_id) as league:
        place = Place.objects.filter(pk=hold.place_id, gone=False, removed=False).first()
        if place is None or not PlaceHold.objects.filter(pk=hold.pk, guest=hold.guest_id).exists():
            raise SeatLost
        before = LeagueMessage.objects.filter(league=league, place=place, once=once).first() if once else None
        if before:
            return before
        if text and only_phrases(league):
            raise Refused("Until everybody has sealed twice, you choose from the quick phrases.")
        message = LeagueMessage.objects.create(
            league=league,
            place=place,
            guest_id=hold.guest_id,
            name=place.name,
            phrase=phrase,
            text=text,
            sent_at=timezone.now(),
            once=once,
        )
        send_to_all(said, LeagueMessage, league.key, message=message)
        push.league_changed(hearers(message).values_list("guest", flat=True))
    return message


def only_phrases(league: League) -> bool:
    """Returns True if players may send only quick phrases (ready-made texts), as a protection from strangers.

    Before the start, this holds in each league that strangers may join. After the start, it holds if one of
    the players is a stranger, until each human player has sealed a few orders (SEALS) or the league is over.
    Players who have left do not count.
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
    """Returns the latest messages that the holder of a place in a league may read, oldest first.

    At most SHOWN messages are returned; with `before`, only messages sent before that time.
    """
    rows = _audible(place).filter(sent_at__lt=before) if before else _audible(place)
    last = list(rows.order_by("-sent_at", "-pk")[: SHOWN + 1])[::-1]
    return messages.Said(last[-SHOWN:], len(last) > SHOWN)  # type: ignore[arg-type]


def unread(guest: int, since: datetime | OuterRef, *, listed: bool) -> Subquery:
    """A subquery for a query of places: how many messages of the league a guest has not read; NULL if none.

    `guest` is a primary key. Messages from the place itself are not counted. If the guest has read no
    messages yet, messages count from `since`, the time at which the league was made. In a league that
    strangers may join (`listed`), typed messages from before the place was taken are not counted.
    """
    upto = PlaceHold.objects.filter(place=OuterRef(OuterRef("pk")), guest=guest).values("heard_upto")[:1]
    new = LeagueMessage.objects.filter(league=OuterRef("league")).exclude(place=OuterRef("pk"))
    new = new.filter(sent_at__gt=Coalesce(Subquery(upto), since))
    if listed:
        new = new.filter(Q(sent_at__gte=OuterRef("taken_at")) | Q(text=""))
    count = new.order_by().values("league").annotate(n=Count("pk")).values("n")
    return Subquery(count, output_field=IntegerField())


def unread_at_places(guest: int) -> Case:
    """An expression for a query of places: the number of unread messages in each place's league.

    The messages are counted as in `unread`; the number is NULL if there are none. `guest` is a primary key.
    """
    since = OuterRef("league__created_at")
    new = {listed: unread(guest, since, listed=listed) for listed in (True, False)}
    return Case(When(league__listed=True, then=new[True]), default=new[False])


def note_heard(hold: PlaceHold, shown: messages.Said) -> None:
    """Stores that a guest has read the messages in `shown`, and sends the signal `heard` if any are new.

    `hold` is the guest's right to play for a place in the league.
    """
    if not shown.messages:
        return
    upto = shown.messages[-1].sent_at
    if hold.heard_upto is None or hold.heard_upto < upto:
        PlaceHold.objects.filter(pk=hold.pk).update(heard_upto=upto)
        send_to_all(heard, LeagueMessage, hold.place.league.key, league=hold.place.league, guest=hold.guest)


def hearers(message: LeagueMessage) -> QuerySet[PlaceHold]:
    """Returns the holds (rights to play for a place) of all guests who may read a message.

    The author and all other holders of the author's place are left out.
    """
    holds = PlaceHold.objects.filter(place__league=message.league_id, place__gone=False, place__removed=False)
    holds = holds.exclude(place=message.place_id).exclude(guest=message.guest_id)
    if message.text and message.league.listed:
        holds = holds.filter(place__taken_at__lte=message.sent_at)
    return holds


def _audible(place: Place) -> QuerySet[LeagueMessage]:
    """Returns the messages that the holder of a place in a league may read.

    These are all messages of the league, except, in a league that strangers may join, typed messages from
    before the place was taken.
    """
    rows = LeagueMessage.objects.filter(league=place.league_id)
    if place.taken_at and place.league.listed:
        rows = rows.exclude(Q(sent_at__lt=place.taken_at) & ~Q(text=""))
    return rows
