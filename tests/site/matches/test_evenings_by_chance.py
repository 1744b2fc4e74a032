"""Evenings by chance: seals, pauses, holidays and outages, against a model that knows each hour in advance.

Alice and Bob share a match of Robo Battle Pigs. The model looks at the hours one by one and says of each
whether it plays a turn, makes somebody late, or passes over.
"""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from games import newest
from games.core import IllegalOrder
from robosite.matches import flow
from robosite.matches.flow import holidays, pauses
from robosite.matches.history import state_of
from robosite.matches.models import Heartbeat, Holiday, Match, Program, Seat
from robosite.matches.time import evenings
from robosite.people.models import Guest
from tests.clock import tick
from tests.games.sizes import size
from tests.site.conftest import Time

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
STARTS = [
    datetime(2026, 3, 26, 12, tzinfo=UTC),
    datetime(2026, 10, 23, 12, tzinfo=UTC),
    datetime(2026, 12, 29, 12, tzinfo=UTC),
]
HOURS = [("20:00", "Europe/Madrid"), ("02:30", "Europe/Madrid"), ("01:45", "Australia/Lord_Howe")]


class Chance:
    """A match, and the model of it. `open` is the moment since which everybody could seal."""

    def __init__(self, seed: int, time: Time) -> None:
        self.chance, self.time = Random(seed), time
        time.present = self.chance.choice(STARTS) + timedelta(minutes=self.chance.randrange(1_440))
        Heartbeat.objects.update(at=time.present)
        hour, zone = self.chance.choice(HOURS)
        days = self.chance.choice([range(7), range(5), [1, 4, 6]])
        self.late = self.chance.choice(["fill", "claim"])
        self.guests = {at: Guest.objects.create(name=f"{at}{seed}") for at in "AB"}
        game = newest("pigs")
        options = game.read_options({"ends": "last_standing"})
        terms = {"late": self.late, **evenings.terms_of(hour, zone, days)}
        match, _, invite = flow.create(game, options, 2, "Alice", guest=self.guests["A"], **terms)
        flow.join(match, "Bob", invite=invite, guest=self.guests["B"])
        self.pk, self.hour, self.open = match.pk, evenings.hour_of(match), time.present

    @property
    def match(self) -> Match:
        return Match.objects.get(pk=self.pk)

    def seat(self, at: str) -> Seat:
        return Seat.objects.select_related("match").get(match=self.pk, letter=at)

    def is_away(self, at: str, moment: datetime) -> bool:
        held = Holiday.objects.filter(guest=self.guests[at], begins__lte=moment, ends__gt=moment)
        return held.exists()

    def pass_(self, long: timedelta, *, up: bool) -> None:
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
        pauses.ask(seat)

    def _on(self, _match: Match, seat: Seat) -> None:
        pauses.play_on(seat)

    def _holiday(self, _match: Match, seat: Seat) -> None:
        first = self.time.present.date()
        last = first + timedelta(days=self.chance.randrange(3))
        holidays.begin(
            self.guests[seat.letter], first=first, last=last, zone=ZoneInfo("UTC"), now=self.time.present
        )

    def _back(self, _match: Match, seat: Seat) -> None:
        taken: Any = holidays.coming(self.guests[seat.letter], self.time.present).first()
        if taken:
            holidays.end(self.guests[seat.letter], taken.pk, ZoneInfo("UTC"), self.time.present)


@pytest.mark.integration
@pytest.mark.fuzz
@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(size(2, 200)))
def test_evenings_by_chance(seed: int, time: Time) -> None:
    tick()
    table = Chance(seed, time)
    for _ in range(60):
        if table.match.status != Match.Status.PLAYING:
            break
        up = table.chance.random() < 0.85
        table.pass_(timedelta(minutes=table.chance.randrange(1, 600)), up=up)
        for _deed in range(table.chance.randrange(3)):
            if table.match.status == Match.Status.PLAYING:
                table.act()
