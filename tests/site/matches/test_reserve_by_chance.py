"""Time reserves in matches by chance, against a count of minutes with rules of its own.

Ann and Ben seal, reopen, pause and go on holiday; there are weekends, and the site is down now and then. The
count goes minute by minute and knows neither deadlines nor sums of spans.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from games import newest
from robosite.matches import flow
from robosite.matches.flow import holidays, pauses
from robosite.matches.history import state_of
from robosite.matches.models import Heartbeat, Match
from robosite.matches.time import timekeeping
from robosite.people.models import Guest
from tests.clock import tick
from tests.games.sizes import size

MINUTE = timedelta(minutes=1)
PERIOD, WHOLE = 60, 600
START = datetime(2026, 11, 26, 9, tzinfo=UTC)
"""A Thursday."""


class Walk:
    """A match of two, and the same by the count."""

    def __init__(self, time: Any, seed: int) -> None:
        self.time, self.chance = time, Random(seed)
        time.present = START
        Heartbeat.objects.update_or_create(pk=1, defaults={"at": START})
        self.weekends_off = self.chance.random() < 0.5
        self.guests = {at: Guest.objects.create(name=name) for at, name in (("A", "Ann"), ("B", "Ben"))}
        game = newest("pigs")
        match, _, invite = flow.create(
            game,
            game.read_options({"ends": "last_standing"}),
            2,
            "Ann",
            guest=self.guests["A"],
            deadline_hours=PERIOD / 60,
            reserve_hours=WHOLE / 60,
            weekends_off=self.weekends_off,
            zone="Europe/Berlin",
        )
        flow.join(match, "Ben", invite=invite, guest=self.guests["B"])
        self.pk = match.pk
        self.left = dict.fromkeys("AB", WHOLE)
        self.passed = 0
        self.owing = set("AB")
        self.away: dict[str, datetime] = {}
        self.paused = False

    @property
    def match(self) -> Match:
        return Match.objects.get(pk=self.pk)

    def seat(self, at: str) -> Any:
        return self.match.seats.select_related("match").get(letter=at)

    @property
    def late(self) -> set[str]:
        return {at for at in self.owing if self.passed >= PERIOD and not self.left[at]}

    # The count

    def minute(self) -> None:
        """One minute passes, and the site is up."""
        now = self.time.present
        weekend = self.weekends_off and now.astimezone(ZoneInfo("Europe/Berlin")).weekday() >= 5
        if not (self.paused or weekend or any(now < self.away[at] for at in self.owing & set(self.away))):
            for at in self.owing if self.passed >= PERIOD else ():
                self.left[at] -= 1
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
        nearest = min(max(PERIOD - self.passed, 0) + self.left[at] for at in self.owing)
        if not self.paused and nearest > PERIOD:
            for at in "AB":
                pauses.ask(self.seat(at))
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
        holidays.begin(self.guests[at], first=now.date(), last=last, zone=ZoneInfo("UTC"), now=now)
        self.away[at] = self.guests[at].holidays.latest("pk").ends

    def check(self) -> None:
        match = self.match
        assert {str(at) for at in flow.standing_of(match).late} == self.late
        found = timekeeping.reserves_of(match)
        sealed = {at for at in "AB" if at not in self.owing}
        assert {at: found.of(self.seat(at).at).rest for at in sealed} == {
            at: self.left[at] * MINUTE for at in sealed
        }
        for at in self.owing - self.late if match.deadline else ():
            self._check_deadline(match, at)

    def _check_deadline(self, match: Match, at: str) -> None:
        """The deadline is as far away, in time that counts, as the count has minutes left."""
        deadline = timekeeping.deadline_of(match, at)
        assert deadline is not None
        minutes = timekeeping.calendar(match).counted(self.time.present, deadline)
        assert minutes == (max(PERIOD - self.passed, 0) + self.left[at]) * MINUTE


@pytest.mark.fuzz
@pytest.mark.django_db
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
