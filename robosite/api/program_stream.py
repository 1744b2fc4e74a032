"""The event stream of a program, for all its matches. After an event, the program reads the match.

Events are derived by comparing each match with its previous state, so a lost push only delays them. An
event's id is a time: with Last-Event-ID the program gets what has come since, some of it perhaps twice.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from channels.db import database_sync_to_async
from django.db.models import F, Q
from django.utils import timezone

from robosite.api import challenges
from robosite.api.models import NamedProgram
from robosite.api.proposals import kinds_to_answer, rematches_for
from robosite.api.stream import BEAT, SECONDS, retry_line
from robosite.matches import flow
from robosite.matches.flow import seat_requests
from robosite.matches.live import push
from robosite.matches.live.push import Message as Push
from robosite.matches.live.push import hub
from robosite.matches.models import Match, Seat, held_by
from robosite.play.waiting import with_waits
from robosite.talk.models import Message, Recipient
from robosite.web.limits import OpenCount

MOST_MATCHES = 300
"""The maximum number of matches that a stream follows. Of more matches, it follows those changed last."""
OVER_FOR = timedelta(days=7)
"""The time for which a stream follows a match that has ended: there may be messages and a rematch."""
GATHERS = 0.1
"""Seconds that a stream waits after a push, so that several pushes are handled together."""
OVERLAP = timedelta(seconds=30)
"""The longest time from a row's timestamp to its commit; searches for missed events begin earlier by it."""

streams = OpenCount("streams of a program")

Event = tuple[str, dict[str, Any]]
"""The type of an event, and its data."""


@dataclass(frozen=True, slots=True)
class MatchState:
    """The state of a program's match, from which events are derived; `seat` is the letter of its seat."""

    pk: int
    key: str
    seat: str
    turn: int
    taken_back: int
    status: str
    waits: bool
    asked: bool
    """A flag: True if there is an open request for the program's seat."""
    kinds: frozenset[str]
    changed_at: datetime

    @property
    def goes_on(self) -> bool:
        return self.status in flow.GOING_ON

    def as_event(self, **more: Any) -> dict[str, Any]:
        """Returns an event's data: the match's key, turn and `taken_back`, the program's seat, and `more`."""
        at = {"turn": self.turn, "taken_back": self.taken_back}
        return {"match": self.key, "seat": self.seat, **at, **more}


def events_between(before: MatchState | None, now: MatchState) -> Iterator[Event]:
    """Yields the events for a change; without a `before`, for whatever is open in the state `now`."""
    moved = before is None or (before.turn, before.taken_back) != (now.turn, now.taken_back)
    if before and now.turn > before.turn:
        yield "revealed", now.as_event()
    if now.waits and (moved or not (before and before.waits)):
        yield "turn", now.as_event()
    for kind in sorted(now.kinds - (before.kinds if before else frozenset())):
        yield "proposal", now.as_event(kind=kind)
    if now.asked and not (before and before.asked):
        yield "seat", now.as_event(what="asked for")
    if before and before.seat != now.seat:
        yield "seat", now.as_event(what="taken")
    if before and before.goes_on and not now.goes_on:
        yield "over", now.as_event(status=now.status)


def missed_events(now: MatchState, since: datetime) -> Iterator[Event]:
    """Yields the events `revealed` and `over` that a program may have missed in a match after `since`."""
    if now.changed_at > since:
        if now.turn:
            yield "revealed", now.as_event()
        if not now.goes_on:
            yield "over", now.as_event(status=now.status)


class ProgramStream:
    """The events of a program's matches: an asynchronous iterator over the text of an event stream."""

    def __init__(self, program: NamedProgram, since: datetime | None) -> None:
        self.program = program
        self.since = since and max(since, timezone.now() - OVER_FOR) - OVERLAP
        self.said_after = self.since or timezone.now()
        self.who = str(program.pk)
        self.invitations = push.of_program(program.pk)
        self.known: dict[str, MatchState] = {}
        self.listened: set[str] = set()
        self.changed: set[str] = set()
        self.heard: set[int] = set()
        self.invited: set[str] = set()
        self.news = asyncio.Event()
        self.first = True
        self.ends = 0.0

    def hear(self, message: Push) -> None:
        """Receives a message about a match or an invitation, and wakes the stream if the message matters."""
        if message["type"] in ("changed", "said"):
            self.changed.add(message["match"])
        elif message["type"] == "end":
            self.ends = 0.0
        if message["type"] in ("changed", "said", "invited", "end"):
            self.news.set()

    async def __aiter__(self) -> AsyncIterator[str]:
        streams.opened(self.who)
        self.ends = asyncio.get_running_loop().time() + SECONDS
        try:
            yield retry_line()
            await hub().add(self.invitations, self.hear)
            while (events := await self.look()) is not None:
                for kind, data in events:
                    number = round(timezone.now().timestamp() * 1_000_000)
                    yield f"id: {number}\nevent: {kind}\ndata: {json.dumps(data)}\n\n"
                left = self.ends - asyncio.get_running_loop().time()
                if left <= 0:
                    return
                try:
                    await asyncio.wait_for(self.news.wait(), min(left, BEAT))
                    await asyncio.sleep(GATHERS)
                except TimeoutError:
                    yield ":\n\n"
                self.news.clear()
        finally:
            for key in (*self.listened, self.invitations):
                hub().remove(key, self.hear)
            streams.ended(self.who)

    async def look(self) -> list[Event] | None:
        """Returns the events since the last comparison, or None if the token is no longer valid.

        Subscribes to new matches before reading them, so that no change is missed in between.
        """
        keys = await database_sync_to_async(listed)(self.program)
        if keys is None:
            return None
        invitations = challenges.open_to(self.program).values_list("match__key", flat=True)
        invited = await database_sync_to_async(set)(invitations)
        new, changed = keys - self.listened, self.changed
        self.changed = set()
        for key in sorted(new):
            await hub().add(key, self.hear)
            self.listened.add(key)
        events = list(self._forget(self.listened - keys))
        for now in await database_sync_to_async(match_states)(self.program, new | (changed & keys)):
            events += self._compared(now)
        by_pk = {self.known[key].pk: self.known[key] for key in (new | changed) & self.known.keys()}
        for key in sorted(invited - self.invited):
            events.append(("challenge", {"match": key}))
        self.invited = invited
        messages = await database_sync_to_async(said_since)(self.program, list(by_pk), self.said_after)
        unheard = [(number, match) for number, match in messages if number not in self.heard]
        self.heard |= {number for number, _match in unheard}
        events += [
            ("talk", by_pk[match].as_event()) for match in dict.fromkeys(match for _n, match in unheard)
        ]
        self.first = False
        return events

    def _compared(self, now: MatchState) -> Iterator[Event]:
        before = self.known.get(now.key)
        self.known[now.key] = now
        if before is None and not self.first:
            yield "seat", now.as_event(what="taken")
        if self.first and self.since:
            yield from missed_events(now, self.since)
        yield from events_between(before, now)

    def _forget(self, gone: Collection[str]) -> Iterator[Event]:
        for key in sorted(gone):
            hub().remove(key, self.hear)
            self.listened.discard(key)
            before = self.known.pop(key, None)
            if before and before.goes_on:
                yield "seat", before.as_event(what="lost")


def listed(program: NamedProgram) -> set[str] | None:
    """Returns the keys of the matches that a program's stream follows; None if its token is not valid."""
    if not NamedProgram.objects.filter(pk=program.pk, token_hash=program.token_hash).exists():
        return None
    lately = Q(status__in=flow.GOING_ON) | Q(changed_at__gt=timezone.now() - OVER_FOR)
    own = Match.objects.filter(lately, held_by(program.guest, "seats__")).order_by("-changed_at", "-pk")
    return set(own.values_list("key", flat=True)[:MOST_MATCHES])


def match_states(program: NamedProgram, keys: Collection[str]) -> list[MatchState]:
    """Reads the present states of the program's matches with these keys."""
    if not keys:
        return []
    rows: Any = with_waits(Seat.objects.filter(held_by(program.guest), match__key__in=keys))
    seats = list(rows.select_related("match").prefetch_related("match__seats").order_by("pk"))
    over = [seat.match_id for seat in seats if seat.match.status == Match.Status.OVER]
    rematches = {match: ["rematch"] for match in rematches_for(program.guest, over)}
    return [
        MatchState(
            pk=seat.match_id,
            key=seat.match.key,
            seat=seat.letter,
            turn=seat.match.turn,
            taken_back=seat.match.taken_back,
            status=seat.match.status,
            waits=bool(seat.waits),
            asked=seat_requests.is_asked_for(seat.match, seat),
            kinds=frozenset([*kinds_to_answer(seat.match, seat), *rematches.get(seat.match_id, ())]),
            changed_at=seat.match.changed_at,
        )
        for seat in seats
    ]


def said_since(program: NamedProgram, matches: Collection[int], since: datetime) -> list[tuple[int, int]]:
    """Sorted primary keys (message, match) of others' messages after `since` that the program may read."""
    seats = Seat.objects.filter(held_by(program.guest), match__in=matches, addressed=True)
    own = dict(seats.values_list("pk", "match")) if matches else {}
    if not own:
        return []
    messages = Message.objects.filter(match__in=own.values(), watchers=False, to_all=True, sent_at__gt=since)
    private = Recipient.objects.filter(seat__in=own, sent_at__gt=since, sent_at__gte=F("seat__taken_at"))
    found = [
        *messages.exclude(seat__in=own).values_list("pk", "match"),
        *private.exclude(message__seat__in=own).values_list("message", "message__match"),
    ]
    return sorted(found)
