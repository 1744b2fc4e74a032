"""Evenings and reserves, played by chance."""

from __future__ import annotations

import contextlib
from datetime import UTC, date, datetime, time, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.core import IllegalOrder
from robosite.matches import flow
from robosite.matches.flow import pauses
from robosite.matches.history import state_of
from robosite.matches.models import Match, Program, Seat
from robosite.matches.site_models import Heartbeat, Holiday
from robosite.matches.time import evenings, timekeeping
from robosite.matches.time.reveal_hours import WEEK, RevealHour
from tests.at_once import tick
from tests.games.cases import size
from tests.site.conftest import Time
from tests.site.matches.test_reserve import Played

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
STARTS = [
    datetime(2026, 3, 26, 12, tzinfo=UTC),
    datetime(2026, 10, 23, 12, tzinfo=UTC),
    datetime(2026, 12, 29, 12, tzinfo=UTC),
]
HOURS = [("20:00", "Europe/Madrid"), ("02:30", "Europe/Madrid"), ("01:45", "Australia/Lord_Howe")]


class Chance(Played):
    """A match, and the model of it. `open` is the moment since which everybody could seal."""

    def __init__(self, seed: int, time: Time) -> None:
        self.chance = Random(seed)
        time.present = self.chance.choice(STARTS) + timedelta(minutes=self.chance.randrange(1_440))
        Heartbeat.objects.update(at=time.present)
        hour, zone = self.chance.choice(HOURS)
        days = self.chance.choice([range(7), range(5), [1, 4, 6]])
        self.late = self.chance.choice(["fill", "claim"])
        super().__init__(time, late=self.late, **evenings.terms_of(hour, zone, days))
        self.hour, self.open = evenings.hour_of(self.match), time.present

    def is_away(self, at: str, moment: datetime) -> bool:
        held = Holiday.objects.filter(guest=self.guests[at], begins__lte=moment, ends__gt=moment)
        return held.exists()

    def go_on(self, long: timedelta, *, up: bool) -> None:
        """Time goes by, with at most one hour of the match in it; then two clocks look."""
        before, hour = self.match, self.hour.after(self.time.present)
        comes = hour <= self.time.present + long
        owing, after = flow.owing(before), self.time.present + long
        plays = False
        if comes and up and not before.paused:
            held = any(self.is_away(at, hour) for at in owing)
            spared = owing and not before.overdue and hour - self.open < HOUR
            plays = not held and not spared and (not owing or self.late == "fill")
        self.time.pass_(seconds=long.total_seconds()) if up else self.time.down(seconds=long.total_seconds())
        tick()
        tick()
        match = self.match
        if match.status != Match.Status.PLAYING:
            return
        assert match.turn - before.turn == plays, (before.turn, hour, owing, up)
        if plays:
            assert match.revealed_at == hour and match.revealed_turn == before.turn
            assert not Program.objects.filter(seat__match=match, turn=before.turn, order="").exists()
            self.open = after
        if not up and long > timedelta(minutes=5):
            self.open = after

    def act(self) -> None:
        at = self.chance.choice("AB")
        match, seat = self.match, self.seat(at)
        told = match.due
        deed = self.chance.choice(["seal", "seal", "seal", "reopen", "pause", "on", "holiday", "back"])
        with contextlib.suppress(flow.Refused, IllegalOrder):
            getattr(self, f"_{deed}")(match, seat)
        now = self.match
        nearer = bool(told and now.due and now.due < told)
        if (match.paused and not now.paused) or nearer:
            self.open = self.time.present

    def _seal(self, match: Match, seat: Seat) -> None:
        flow.seal(seat, match.turn, state_of(match).view(seat.at).sample(seat.at, self.chance))

    def _reopen(self, match: Match, seat: Seat) -> None:
        flow.reopen(seat, match.turn)

    def _pause(self, _match: Match, seat: Seat) -> None:
        pauses.ask_pause(seat)

    def _on(self, _match: Match, seat: Seat) -> None:
        pauses.play_on(seat)

    def _holiday(self, _match: Match, seat: Seat) -> None:
        first = self.time.present.date()
        last = first + timedelta(days=self.chance.randrange(3))
        pauses.begin(
            self.guests[seat.letter], first=first, last=last, zone=ZoneInfo("UTC"), now=self.time.present
        )

    def _back(self, _match: Match, seat: Seat) -> None:
        taken: Any = pauses.coming(self.guests[seat.letter], self.time.present).first()
        if taken:
            pauses.end(self.guests[seat.letter], taken.pk, ZoneInfo("UTC"), self.time.present)


@pytest.mark.integration
@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(size(2, 200)))
def test_evenings_by_chance(seed: int, time: Time) -> None:
    tick()
    table = Chance(seed, time)
    for _ in range(60):
        if table.match.status != Match.Status.PLAYING:
            break
        up = table.chance.random() < 0.85
        table.go_on(timedelta(minutes=table.chance.randrange(1, 600)), up=up)
        for _deed in range(table.chance.randrange(3)):
            if table.match.status == Match.Status.PLAYING:
                table.act()


PERIOD, WHOLE = 60, 600
START = datetime(2026, 11, 26, 9, tzinfo=UTC)
"""A Thursday."""


class Walk(Played):
    """A match of two, and the same by the count."""

    def __init__(self, time: Any, seed: int) -> None:
        self.chance = Random(seed)
        time.present = START
        Heartbeat.objects.update_or_create(pk=1, defaults={"at": START})
        self.weekends_off = self.chance.random() < 0.5
        super().__init__(time, weekends_off=self.weekends_off, zone="Europe/Berlin")
        self.spare = dict.fromkeys("AB", WHOLE)
        self.passed = 0
        self.owing = set("AB")
        self.away: dict[str, datetime] = {}
        self.paused = False

    @property
    def late(self) -> set[str]:
        return {at for at in self.owing if self.passed >= PERIOD and not self.spare[at]}

    # The count

    def minute(self) -> None:
        """One minute passes, and the site is up."""
        now = self.time.present
        weekend = self.weekends_off and now.astimezone(ZoneInfo("Europe/Berlin")).weekday() >= 5
        if not (self.paused or weekend or any(now < self.away[at] for at in self.owing & set(self.away))):
            for at in self.owing if self.passed >= PERIOD else ():
                self.spare[at] -= 1
            self.passed += 1
        self.time.present += MINUTE

    # What happens

    def time_passes(self) -> None:
        for _ in range(self.chance.choice([1, 7, 30, 60, 90, 200])):
            self.minute()
            if self.late:
                break
        Heartbeat.objects.update(at=self.time.present)
        tick()

    def the_site_is_down(self) -> None:
        self.time.present += self.chance.randrange(6, 3_000) * MINUTE
        tick()

    def seals(self) -> None:
        at = self.chance.choice("AB")
        match = self.match
        view = state_of(match).view(self.seat(at).at)
        flow.seal(self.seat(at), match.turn, view.sample(self.seat(at).at, self.chance))
        self.owing.discard(at)
        if not self.owing:
            self.passed, self.owing = 0, set("AB")

    def reopens(self) -> None:
        at = self.chance.choice("AB")
        if at not in self.owing:
            flow.reopen(self.seat(at), self.match.turn)
            self.owing.add(at)

    def pause(self) -> None:
        nearest = min(max(PERIOD - self.passed, 0) + self.spare[at] for at in self.owing)
        if not self.paused and nearest > PERIOD:
            for at in "AB":
                pauses.ask_pause(self.seat(at))
            self.paused = True

    def play_on(self) -> None:
        if self.paused:
            pauses.play_on(self.seat(self.chance.choice("AB")))
            self.paused = False

    def holiday(self) -> None:
        at, now = self.chance.choice("AB"), self.time.present
        if self.away.get(at, now) > now:
            return
        last = now.date() + timedelta(self.chance.randrange(2))
        pauses.begin(self.guests[at], first=now.date(), last=last, zone=ZoneInfo("UTC"), now=now)
        self.away[at] = self.guests[at].holidays.latest("pk").ends

    def check(self) -> None:
        match = self.match
        assert {str(at) for at in flow.standing_of(match).late} == self.late
        found = timekeeping.reserves_of(match)
        sealed = {at for at in "AB" if at not in self.owing}
        assert {at: found.of(self.seat(at).at).rest for at in sealed} == {
            at: self.spare[at] * MINUTE for at in sealed
        }
        for at in self.owing - self.late if match.deadline else ():
            self._check_deadline(match, at)

    def _check_deadline(self, match: Match, at: str) -> None:
        """The deadline is as far away, in time that counts, as the count has minutes left."""
        deadline = timekeeping.deadline_of(match, at)
        assert deadline is not None
        minutes = timekeeping.calendar(match).counted(self.time.present, deadline)
        assert minutes == (max(PERIOD - self.passed, 0) + self.spare[at]) * MINUTE


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(size(2, 80)))
def test_a_match_by_chance_spends_what_a_count_of_minutes_gives(time: Any, seed: int) -> None:
    walk = Walk(time, seed)
    deeds = [walk.time_passes] * 4 + [walk.seals] * 4 + [walk.reopens] * 2
    deeds += [walk.reopens, walk.pause, walk.play_on, walk.holiday, walk.the_site_is_down]
    for _ in range(80):
        walk.chance.choice(deeds)()
        if walk.match.status != "playing":
            break
        walk.check()
        if walk.late:
            break


DAY = timedelta(days=1)
ZONES = [
    *("UTC", "Europe/Madrid", "Europe/London", "America/New_York", "America/Sao_Paulo", "Asia/Kathmandu"),
    *("Australia/Lord_Howe", "Africa/Casablanca", "America/Santiago", "Asia/Beirut", "Pacific/Apia"),
    *("America/St_Johns", "Africa/Cairo", "Pacific/Chatham", "Antarctica/Troll", "Asia/Gaza"),
]


def naive(hour: RevealHour, start: datetime) -> datetime:
    def wall(at: datetime) -> datetime:
        return at.astimezone(hour.zone).replace(tzinfo=None)

    at = start.replace(second=0, microsecond=0) - 2 * DAY
    seen = wall(at)
    while True:
        at += MINUTE
        now = wall(at)
        coming = datetime.combine(seen.date(), hour.time)
        while coming <= now:  # a clock that jumps forward may pass over an hour, and one over a whole day
            if coming > seen and coming.weekday() in hour.days and at > start:
                return at
            coming += DAY
        seen = max(seen, now)  # a clock that is put back shows nothing new for a while


def moments() -> st.SearchStrategy[datetime]:
    """Moments near a change of some zone's clock, and others."""
    somewhere = st.datetimes(datetime(2011, 1, 1), datetime(2037, 12, 1)).map(
        lambda at: at.replace(tzinfo=UTC, microsecond=0)
    )
    changes = st.sampled_from(
        [
            *(datetime(2026, 3, 28, tzinfo=UTC), datetime(2026, 10, 24, tzinfo=UTC)),
            *(datetime(2026, 4, 3, tzinfo=UTC), datetime(2026, 10, 3, tzinfo=UTC)),
            *(datetime(2026, 3, 7, tzinfo=UTC), datetime(2026, 10, 31, tzinfo=UTC)),
            *(datetime(2026, 9, 5, tzinfo=UTC), datetime(2011, 12, 29, tzinfo=UTC)),
        ]
    )
    near = st.builds(lambda at, minutes: at + minutes * MINUTE, changes, st.integers(0, 4 * 24 * 60))
    return somewhere | near


hours = st.builds(
    RevealHour,
    st.builds(time, st.integers(0, 23), st.sampled_from([0, 1, 15, 30, 59])),
    st.sampled_from([ZoneInfo(name) for name in ZONES]),
    st.sets(st.sampled_from(WEEK), min_size=4).map(lambda days: tuple(sorted(days))),
)


@pytest.mark.fuzz
@settings(max_examples=size(20, 400), deadline=None)
@given(hour=hours, start=moments())
def test_next_hour_is_the_one_that_a_clock_on_the_wall_shows(hour: RevealHour, start: datetime) -> None:
    found = hour.after(start)
    assert found == naive(hour, start)
    assert hour.before(found) == found
    assert hour.before(found - MINUTE) <= start
    assert hour.from_(found) == found


def at(zone: str, text: str) -> RevealHour:
    return RevealHour(time.fromisoformat(text), ZoneInfo(zone))


def test_hour_follows_summer_time() -> None:
    hour, night = at("Europe/Madrid", "20:00"), at("Europe/Madrid", "02:30")
    assert hour.of_day(date(2026, 3, 28)) == datetime(2026, 3, 28, 19, tzinfo=UTC)
    assert hour.of_day(date(2026, 3, 29)) == datetime(2026, 3, 29, 18, tzinfo=UTC)
    assert night.of_day(date(2026, 3, 29)) == datetime(2026, 3, 29, 1, tzinfo=UTC), "as the clock jumps"
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert night.of_day(date(2026, 10, 25)) == first
    assert night.after(first) == datetime(2026, 10, 26, 1, 30, tzinfo=UTC), "not a second time"


def test_hour_within_a_break_moves_to_the_next_one() -> None:
    hour = at("UTC", "20:00")
    start = datetime(2026, 11, 23, 12, tzinfo=UTC)
    week = (start, start + 3 * DAY)
    assert hour.after(start, [week]) == datetime(2026, 11, 26, 20, tzinfo=UTC)
    until = (start, datetime(2026, 11, 25, 20, tzinfo=UTC))
    assert hour.after(start, [until]) == until[1], "a break that ends at the hour does not hold it"
