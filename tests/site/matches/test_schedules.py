"""Hours that count, and schedules by chance."""

from __future__ import annotations

import contextlib
import logging
from datetime import UTC, date, datetime, timedelta
from functools import partial
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from games import newest
from games.core import IllegalOrder
from robosite.matches import flow
from robosite.matches.flow import pauses
from robosite.matches.history import state_of
from robosite.matches.models import Match, Seat
from robosite.matches.site_models import Heartbeat, Holiday
from robosite.matches.time.calendar import Calendar, limited, midnight
from robosite.people.models import Guest
from tests.at_once import tick
from tests.games.cases import size

MINUTE = timedelta(minutes=1)
STARTS = [
    datetime(2026, 3, 26, 12, tzinfo=UTC),  # the week in which clocks go forward in Europe
    datetime(2026, 10, 22, 12, tzinfo=UTC),  # … and back
    datetime(2026, 10, 30, 12, tzinfo=UTC),  # back in America
    datetime(2026, 12, 29, 12, tzinfo=UTC),
]
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]
letters = st.sampled_from("AB")


class Schedule(RuleBasedStateMachine):
    """One match. `spent` says how many minutes of the present turn have counted, past periods too."""

    def __init__(self) -> None:
        super().__init__()
        self.now = STARTS[0]
        self.real_now = timezone.now
        logging.disable(logging.WARNING)
        timezone.now = lambda: self.now
        self.undo = transaction.atomic()
        self.undo.__enter__()
        self.chance = Random(0)
        self.away: dict[str, tuple[datetime, datetime]] = {}
        self.missed = {"A": 0, "B": 0}
        self.spent = 0
        self.exact = True  # not once the clock was put back: then all may last an hour longer

    def teardown(self) -> None:
        timezone.now = self.real_now
        logging.disable(logging.NOTSET)
        transaction.set_rollback(True)
        self.undo.__exit__(None, None, None)

    @initialize(
        start=st.sampled_from(STARTS),
        hours=st.sampled_from([1, 5, 24, 72]),
        late=st.sampled_from(["claim", "fill", "forfeit"]),
        weekends_off=st.booleans(),
        zone=st.sampled_from(ZONES),
    )
    def make(self, start: datetime, hours: int, late: str, weekends_off: bool, zone: str) -> None:
        self.now, self.period, self.late = start, hours * 60, late
        self.weekends_off, self.zone = weekends_off, ZoneInfo(zone)
        self.guests = {at: Guest.objects.create(name=at) for at in "AB"}
        tick()
        kind = newest("pigs")
        match, _, invite = flow.create(
            kind,
            kind.read_options({"ends": "last_standing"}),
            2,
            "Alice",
            deadline_hours=hours,
            late=late,
            weekends_off=weekends_off,
            zone=zone,
            guest=self.guests["A"],
        )
        flow.join(match, "Bob", invite=invite, guest=self.guests["B"])
        self.pk = match.pk
        self.was = self.match

    @property
    def match(self) -> Match:
        return Match.objects.get(pk=self.pk)

    def seat(self, at: str) -> Seat:
        return Seat.objects.select_related("match").get(match=self.pk, letter=at)

    # What passes

    def counts(self, minute: datetime, owing: list[Any]) -> bool:
        weekend = self.weekends_off and minute.astimezone(self.zone).weekday() >= 5
        return not weekend and not any(
            begins <= minute < ends for at, (begins, ends) in self.away.items() if at in owing
        )

    def pass_(self, minutes: int, *, up: bool) -> None:
        match = self.match
        if up and match.status == "playing" and not match.paused:
            owing = flow.owing(match)
            self.spent += sum(self.counts(self.now + n * MINUTE, owing) for n in range(minutes))
        self.now += minutes * MINUTE
        for at, (_, ends) in list(self.away.items()):
            if ends <= self.now:
                del self.away[at]

    @rule(minutes=st.integers(1, 4_000), first=st.booleans())
    def time_passes(self, minutes: int, first: bool) -> None:
        self.pass_(minutes, up=True)
        Heartbeat.objects.update(at=self.now)
        self.look(first)

    @rule(minutes=st.integers(1, 5), first=st.booleans())
    def the_clock_is_silent_for_a_little(self, minutes: int, first: bool) -> None:
        self.pass_(minutes, up=True)
        self.look(first)

    @rule(minutes=st.integers(6, 4_000), first=st.booleans())
    def the_site_is_down(self, minutes: int, first: bool) -> None:
        self.pass_(minutes, up=False)
        self.look(first)

    @rule(first=st.booleans())
    def clocks_are_put_forward(self, first: bool) -> None:
        self.pass_(60, up=False)
        self.look(first)

    @rule(first=st.booleans())
    def clocks_are_put_back(self, first: bool) -> None:
        self.now -= 60 * MINUTE
        self.exact = False
        self.look(first)
        Heartbeat.objects.update(at=self.now)  # the beat that is ahead is forgotten within five minutes

    def look(self, clock_first: bool) -> None:
        """Charlie looks, or the clock ticks first; then two more clocks find nothing to do."""
        if not clock_first:
            flow.apply_due(self.match)
            self.check()
        tick()
        self.check()
        before = self.match.version, self.match.due, self.match.turn
        tick()
        tick()
        assert (self.match.version, self.match.due, self.match.turn) == before

    def check(self) -> None:
        """Checks that time has decided what it should have since, and nothing else."""
        was, match = self.was, self.match
        self.was = match
        if was.status != "playing":
            return
        over = match.turn > was.turn or match.status != "playing" or match.overdue > was.overdue
        if over:
            assert self.spent >= self.period
            late = [at for at, n in self.missed.items() if self.seat(at).missed > n]
            assert late, "nobody was late"
            periods = self.spent // self.period
            assert all(1 <= self.seat(at).missed - self.missed[at] <= periods for at in late)
            if match.turn > was.turn:
                assert match.turn == was.turn + 1
            if match.status == "aborted" and self.late != "forfeit":
                assert all(self.seat(at).missed >= 2 for at in "AB")
            self.begin(match)
        elif self.exact and not match.overdue and not match.paused:
            assert self.spent < self.period, "the deadline was not applied"
        if match.status == "aborted":
            assert match.outcome_json is None
        self.missed = {at: self.seat(at).missed for at in "AB"}

    def begin(self, match: Match) -> None:
        if match.turn > 0 and not match.overdue:
            self.spent = 0

    # What people do

    def do(self, deed: Any, *given: Any) -> bool:
        """Does it; returns whether it was accepted. No time passes, so nothing else follows from time."""
        if self.match.status != "playing":
            return False
        turn = self.match.turn
        done = False
        with contextlib.suppress(flow.Refused, IllegalOrder):
            deed(*given)
            done = True
        match = self.match
        if match.turn > turn:
            self.spent = 0
        self.was = match
        self.missed = {at: self.seat(at).missed for at in "AB"}
        return done

    @rule(at=letters)
    def seals(self, at: str) -> None:
        match = self.match
        state = state_of(match)
        if match.status == "playing" and at in state.to_act():
            seat = self.seat(at)
            self.do(flow.seal, seat, match.turn, state.view(seat.at).sample(seat.at, self.chance))
            assert self.match.status != "playing" or self.seat(at).missed == 0

    @rule(at=letters)
    def reopens(self, at: str) -> None:
        self.do(flow.reopen, self.seat(at), self.match.turn)

    @rule(at=letters)
    def claims(self, at: str) -> None:
        other = "AB"[at == "A"]
        owing, spent = flow.owing(self.match), self.spent
        if self.do(flow.claim, self.seat(at), self.seat(other)):
            assert self.late == "claim" and spent >= self.period
            assert at not in owing and other in owing

    @rule(at=letters)
    def asks_for_a_pause(self, at: str) -> None:
        overdue = self.match.overdue
        self.do(pauses.ask_pause, self.seat(at))
        if self.match.paused and overdue:
            self.spent = 0

    @rule(at=letters)
    def plays_on(self, at: str) -> None:
        paused = self.match.paused
        if self.do(pauses.play_on, self.seat(at)) and paused:
            self.spent = min(self.spent, max(self.period - 60, 0))

    @rule(at=letters, days=st.integers(0, 3), long=st.integers(0, 4))
    def goes_on_holiday(self, at: str, days: int, long: int) -> None:
        if at in self.away or self.match.status != "playing":
            return
        first: date = self.now.date() + timedelta(days)
        last, zone = first + timedelta(long), ZoneInfo("UTC")
        begin = partial(pauses.begin, first=first, last=last, zone=zone, now=self.now)
        if self.do(begin, self.guests[at]):
            taken = Holiday.objects.latest("pk")
            self.away[at] = taken.begins, taken.ends

    @rule(at=letters)
    def is_back(self, at: str) -> None:
        if at in self.away and self.match.status == "playing":
            del self.away[at]
            taken = self.guests[at].holidays.latest("pk")
            assert self.do(pauses.end, self.guests[at], taken.pk, ZoneInfo("UTC"), self.now)


@pytest.mark.fuzz
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize(
    ("schedules", "steps"), [(size(2, 12), 18), pytest.param(1_000, 30, marks=pytest.mark.slow)]
)
def test_schedules_by_chance(schedules: int, steps: int) -> None:
    run_state_machine_as_test(
        Schedule,
        settings=settings(
            max_examples=schedules,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


BERLIN, BEIRUT = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Beirut")
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def at(zone: ZoneInfo, text: str, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold)


@pytest.mark.parametrize(
    ("start", "hours", "end"),
    [
        ("2026-11-19 10:00", 24, "2026-11-20 10:00"),  # Thursday to Friday
        ("2026-11-20 10:00", 14, "2026-11-21 00:00"),  # Friday's last moment, and no moment later
        ("2026-11-20 10:00", 15, "2026-11-23 01:00"),
        ("2026-11-21 10:00", 1, "2026-11-23 01:00"),  # from a Saturday
        ("2026-11-22 23:59", 24, "2026-11-24 00:00"),
        ("2026-11-20 10:00", 336, "2026-12-10 10:00"),  # ten days of two weeks, and three weekends
        ("2026-03-27 10:00", 24, "2026-03-30 10:00"),  # clocks are put forward on that Sunday
        ("2026-10-23 10:00", 24, "2026-10-26 10:00"),  # and back on this one
    ],
)
def test_weekends_do_not_count(start: str, hours: int, end: str) -> None:
    week = Calendar(BERLIN, weekends_off=True)
    assert week.later(at(BERLIN, start), hours * HOUR) == at(BERLIN, end)
    assert week.counted(at(BERLIN, start), at(BERLIN, end)) == hours * HOUR


def test_a_day_has_24_hours_whatever_clocks_are_put_to() -> None:
    every_day = Calendar(BERLIN)
    assert every_day.later(at(BERLIN, "2026-03-28 12:00"), DAY) == at(BERLIN, "2026-03-29 13:00")
    assert every_day.later(at(BERLIN, "2026-10-24 12:00"), DAY) == at(BERLIN, "2026-10-25 11:00")
    first, second = at(BERLIN, "2026-10-25 02:30"), at(BERLIN, "2026-10-25 02:30", fold=1)
    assert every_day.counted(first, second) == HOUR, "an hour that comes twice"
    assert midnight(date(2026, 3, 29), BEIRUT) == datetime(2026, 3, 28, 22, tzinfo=UTC), "from 0:00 to 1:00"


def test_of_each_year_so_much_and_no_more() -> None:
    new_year = datetime(2027, 1, 1, tzinfo=UTC)
    spans = [(new_year - 3 * DAY, new_year + 3 * DAY), (new_year + 4 * DAY, new_year + 5 * DAY)]
    assert limited(spans, 2 * DAY) == ((new_year - 3 * DAY, new_year - DAY), (new_year, new_year + 2 * DAY))
    assert limited(spans, 9 * DAY) == tuple(spans)
    assert limited([(spans[0][0], new_year), (new_year - DAY, new_year + DAY)], 9 * DAY) == (
        (new_year - 3 * DAY, new_year + DAY),
    )


ZONES_COUNTING_TIME = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Beirut",
    "America/Havana",
]

moments = st.datetimes(datetime(2026, 1, 1), datetime(2028, 1, 1)).map(
    lambda moment: moment.replace(second=0, microsecond=0, tzinfo=UTC)
)
"""Near enough to each other that changes of the clock come up often."""


@st.composite
def schedules(draw: st.DrawFn) -> tuple[Calendar, datetime, timedelta]:
    start = draw(moments)
    breaks = []
    for _ in range(draw(st.integers(0, 3))):
        begins = start + MINUTE * draw(st.integers(-3_000, 9_000))
        breaks.append((begins, begins + MINUTE * draw(st.integers(1, 6_000))))
    zone = ZoneInfo(draw(st.sampled_from(ZONES_COUNTING_TIME)))
    calendar = Calendar(zone, draw(st.booleans()), tuple(breaks))
    return calendar, start, MINUTE * draw(st.integers(0, 4_000))


def counts(calendar: Calendar, minute: datetime) -> bool:
    """Tell whether the minute that begins then counts, by a second implementation of the calendar."""
    weekend = calendar.weekends_off and minute.astimezone(calendar.zone).weekday() >= 5
    return not weekend and not any(begins <= minute < ends for begins, ends in calendar.breaks)


@settings(max_examples=size(50, 1_000), deadline=None)
@given(schedules())
def test_a_thousand_schedules_against_a_count_of_minutes(
    schedule: tuple[Calendar, datetime, timedelta],
) -> None:
    calendar, start, left = schedule
    end, minutes = calendar.later(start, left), 0
    minute = start
    while minute < end:
        minutes += counts(calendar, minute)
        minute += MINUTE
    assert minutes * MINUTE == left  # not early
    assert left == timedelta() or counts(calendar, end - MINUTE)  # and not late
    assert calendar.counted(start, end) == left
    middle = start + (end - start) // 2
    assert calendar.counted(start, middle) + calendar.counted(middle, end) == left
    assert calendar.later(middle, calendar.counted(middle, end)) == end
