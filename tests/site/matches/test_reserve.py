"""A time reserve: each seat's bank for the whole match, spent once the time for a turn is over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import newest
from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.flow import pauses, takeback
from robosite.matches.history import state_of
from robosite.matches.models import Match
from robosite.matches.site_models import Heartbeat
from robosite.matches.time import timekeeping
from robosite.matches.time.reserves import Reserves
from robosite.people.models import Guest
from tests.at_once import tick
from tests.games.cases import size
from tests.site.browsers import FIRST, OTHER

HOUR = timedelta(hours=1)
NAMES = ("Ann", "Ben")


class Played:
    """A match of two with one hour a turn and ten hours in reserve; the pigs unless it is another game."""

    def __init__(
        self, time: Any, game: str = "pigs", names: Sequence[str] = ("Ann", "Ben"), **terms: Any
    ) -> None:
        self.time = time
        kind = newest(game)
        options = kind.read_options({"ends": "last_standing"} if game == "pigs" else {})
        given = {"deadline_hours": 1, "reserve_hours": 10, **terms}
        self.guests = {at: Guest.objects.create(name=name) for at, name in zip("ABC", names, strict=False)}
        seats = len(names) + len(terms.get("bots", ()))
        match, _, invite = flow.create(kind, options, seats, names[0], guest=self.guests["A"], **given)
        for guest in list(self.guests.values())[1:]:
            flow.join(match, guest.name, invite=invite, guest=guest)
        self.pk = match.pk

    @property
    def match(self) -> Match:
        return Match.objects.get(pk=self.pk)

    def seat(self, at: str) -> Any:
        return self.match.seats.select_related("match").get(letter=at)

    def seal(self, at: str, order: str = OTHER) -> None:
        flow.seal(self.seat(at), self.match.turn, order)

    def left(self, at: str) -> float:
        """The hours left in the reserve of a seat."""
        return timekeeping.reserves_of(self.match).of(at).rest / HOUR  # type: ignore[arg-type]

    def deadline(self, at: str) -> Any:
        """In how many hours the seat is late; None while the clock stands still."""
        moment = timekeeping.deadline_of(self.match, at)
        return None if moment is None else (moment - self.time.now()) / HOUR

    def pass_(self, hours: float) -> None:
        self.time.pass_(hours=hours)
        tick()


@pytest.fixture
def played(time: Any) -> Played:
    return Played(time)


def test_what_is_spent_beyond_the_turns_time_is_taken_off_at_the_seal_to_the_second(played: Played) -> None:
    assert played.deadline("A") == played.deadline("B") == 11
    assert played.match.deadline == played.time.now() + 11 * HOUR
    played.pass_(1)
    played.seal("A")
    played.seal("B")
    assert (played.left("A"), played.left("B")) == (10, 10)
    played.pass_(1 + 1.5 + 1 / 3600)
    assert played.left("A") == 10
    played.seal("A")
    assert played.left("A") == pytest.approx(8.5 - 1 / 3600)
    played.pass_(2)
    played.seal("B")
    assert played.match.turn == 2
    assert played.left("B") == pytest.approx(6.5 - 1 / 3600)
    assert played.left("A") == pytest.approx(8.5 - 1 / 3600)
    assert played.deadline("A") == pytest.approx(9.5 - 1 / 3600)


@pytest.mark.parametrize("both", [False, True])
def test_a_seat_is_late_once_its_reserve_is_gone_and_of_two_the_match_is_called_off(
    played: Played, both: bool
) -> None:
    played.pass_(4)
    if not both:
        played.seal("B")
    played.pass_(6.99)
    before = played.match
    assert not before.overdue
    assert flow.standing_of(before).claimable(played.seat("B").at) == []
    played.pass_(0.01)
    after = played.match
    assert after.overdue and after.version == before.version + 1
    if both:
        played.pass_(0.9)
        assert played.match.status == "playing"
        played.pass_(0.1)
        assert played.match.status == "aborted", "after one more period"
    else:
        flow.claim(played.seat("B"), played.seat("A"))
        assert played.match.outcome_json == {"scores": {"A": 0, "B": 1}, "reason": "resigned"}
        assert played.left("A") == 0 and played.left("B") == 7


def test_only_who_has_no_time_left_can_be_claimed(time: Any) -> None:
    played = Played(time, names=[*NAMES, "Dora"])
    played.pass_(6)
    played.seal("A")
    played.seal("C")
    played.pass_(2)
    played.seal("B")  # now A and C have 5 hours, and B 3
    played.seal("A")
    played.pass_(4)
    standing = flow.standing_of(played.match)
    assert standing.late == ["B"] and standing.owing == ["B", "C"]
    assert standing.claimable(played.seat("A").at) == ["B"]
    with pytest.raises(flow.Refused, match="isn’t late yet"):
        flow.claim(played.seat("A"), played.seat("C"))
    assert played.seat("B").missed == 1 and played.seat("C").missed == 0
    flow.claim(played.seat("A"), played.seat("B"))
    assert not played.match.overdue and played.deadline("C") == 2
    played.pass_(2)
    assert flow.standing_of(played.match).late == ["C"]


def test_filling_waits_for_the_reserve(time: Any) -> None:
    played = Played(time, late="fill")
    played.seal("A")
    played.pass_(10.9)
    assert played.match.turn == 0
    played.pass_(0.1)
    assert played.match.turn == 1
    assert played.left("B") == 0 and played.left("A") == 10
    assert played.deadline("B") == 1
    played.seal("A", state_of(played.match).sample(Letter("A"), Random(1)))  # what was filled may have hit
    played.pass_(1)
    assert played.match.turn == 2


def test_where_one_is_filled_the_other_still_has_time(time: Any) -> None:
    played = Played(time, late="fill")
    played.seal("A")
    played.pass_(6)
    played.seal("B")  # has 5 left
    played.pass_(6)
    match = played.match
    assert match.turn == 1 and not match.overdue
    assert flow.owing(match) == ["A"]
    assert match.deadline == played.time.now() + 5 * HOUR


def test_a_seal_comes_in_time_until_the_reserve_runs_out_and_later_where_nobody_has_claimed(
    played: Played,
) -> None:
    played.seal("B")
    played.time.pass_(hours=11, microseconds=-1)
    played.seal("A")
    assert played.match.turn == 1 and played.left("A") == pytest.approx(0, abs=1e-9)
    played.seal("B")
    played.time.pass_(hours=1, microseconds=1)
    flow.apply_due(played.match)
    assert played.match.overdue
    played.seal("A")
    after = played.match
    assert (after.turn, after.overdue, played.left("A")) == (2, False, 0)


def test_a_pause_after_the_deadline_begins_a_new_turns_time_without_reserve(played: Played) -> None:
    played.seal("A")
    played.pass_(11)
    assert played.match.overdue
    for at in "AB":
        pauses.ask_pause(played.seat(at))
    pauses.play_on(played.seat("A"))
    assert played.deadline("B") == 1 and played.left("B") == 0 and played.left("A") == 10
    for at in "AB":
        flow.offer_ending(played.seat(at), flow.Ending.OFF, True)
    played.pass_(20)
    assert played.match.status == "aborted" and played.left("A") == 10, "to call it off stops the reserves"


def test_who_asks_to_take_a_turn_back_pays_and_the_other_does_not(time: Any) -> None:
    played = Played(time, "robble")
    played.pass_(3)
    played.seal("A", "d4")  # two hours spent
    played.pass_(4)  # three hours of Ben's
    takeback.ask(played.seat("A"), 1, 0)
    takeback.answer_takeback(played.seat("B"), 1, 0, accept=True)
    assert played.match.turn == 0
    assert (played.left("A"), played.left("B")) == (8, 10)
    assert played.deadline("A") == 9


def test_against_a_bot_taking_back_gives_no_time_back(time: Any) -> None:
    played = Played(time, "robble", names=["Ann"], bots={"B": "random"})
    played.seal("A", "d4")
    flow.seal_for_bot(played.seat("B"), 1, "a1")
    time.pass_(hours=4)
    takeback.ask(played.seat("A"), 2, 0)
    assert played.match.turn == 0 and played.left("A") == 7


@pytest.mark.parametrize("series", [None, {"of": 3, "number": 1, "points": {}}])
def test_the_reserve_of_a_rematch_and_in_a_series_is_whole_again(time: Any, series: Any) -> None:
    played = Played(time, **({"series": series} if series else {}))
    played.pass_(3)
    flow.resign(played.seat("A"))
    made = flow.rematch(played.match, played.seat("B"), played.guests["B"])
    assert made is not None
    assert made[0].reserve_hours == 10 and made[0].deadline_hours == 1
    if series:
        assert made[0].status == "playing" and made[0].deadline == time.now() + 11 * HOUR
    else:
        assert made[0].reserves is None


def test_a_release_without_reserves_may_play_a_turn_between(played: Played) -> None:
    """During a rolling upgrade the older release sets the clock by the turn's time alone."""
    played.pass_(3)
    played.seal("A")  # 2 spent
    reserves = played.match.reserves
    played.seal("B")
    Match.objects.filter(pk=played.pk).update(
        reserves=reserves, due=played.time.now() + HOUR, deadline=played.time.now() + HOUR
    )
    played.pass_(1)
    match = played.match
    assert not match.overdue
    assert played.left("A") == 8 and played.deadline("A") == 8
    Heartbeat.objects.update(at=played.time.now())
    played.seal("A", FIRST)
    assert played.left("A") == 8


SECOND = timedelta(seconds=1)


SEATS = [Letter(at) for at in "ABC"]


SOME_TIME = datetime(2026, 11, 26, tzinfo=UTC)


HORIZON = 10**6


@dataclass
class Walker:
    """The same rules, walked second by second: no sums, no difference of two moments."""

    turn_time: int
    left: dict[str, int]
    passed: int = 0
    owing: set[str] = field(default_factory=set)
    late: set[str] = field(default_factory=set)

    def walk(self, seconds: int) -> None:
        for _ in range(seconds):
            for at in self.owing:
                if self.passed >= self.turn_time and self.left[at] > 0:
                    self.left[at] -= 1
            self.passed += 1
            self.look()

    def look(self) -> None:
        for at in self.owing:
            if self.passed >= self.turn_time and self.left[at] == 0:
                self.late.add(at)

    def begin_turn(self) -> None:
        self.passed, self.owing, self.late = 0, set(), set()


class Clock:
    """Drives `Reserves` as a match's clock does: by the time left until it rings next."""

    def __init__(self, turn_time: int, whole: int) -> None:
        self.turn_time, self.reserves = turn_time, Reserves(whole * SECOND)
        self.begin_turn()

    def begin_turn(self) -> None:
        self.reserves.begin_turn("0.0")
        self.left = self.turn_time * SECOND

    @property
    def offset(self) -> timedelta:
        return self.reserves.until - self.left

    def settle(self, owing: set[str]) -> None:
        offset = self.offset
        self.reserves.note_owing({Letter(at) for at in owing}, offset)
        rings = self.reserves.next_late()
        self.reserves.until = offset + HORIZON * SECOND if rings is None else rings
        self.left = self.reserves.until - offset
        self.reserves = Reserves.read(self.reserves.whole, self.reserves.as_json())  # as a match stores it

    def walk(self, seconds: int) -> None:
        passing = seconds * SECOND
        while self.left <= passing:
            passing -= self.left
            self.reserves.mark_late(SOME_TIME)
            rings = self.reserves.next_late()
            self.left = HORIZON * SECOND if rings is None else rings - self.reserves.until
            self.reserves.until += self.left
        self.left -= passing

    @property
    def late(self) -> set[str]:
        return {str(at) for at, seat in self.reserves.seats.items() if seat.is_late}


steps = st.lists(
    st.one_of(
        st.tuples(st.just("pass"), st.integers(0, 40)),
        st.tuples(st.sampled_from(["seal", "reopen"]), st.sampled_from("ABC")),
        st.tuples(st.just("next"), st.just(0)),
    ),
    max_size=30,
)


@pytest.mark.fuzz
@settings(max_examples=size(80, 5_000), deadline=None)
@given(turn_time=st.integers(1, 30), whole=st.integers(0, 60), steps=steps)
def test_reserves_are_what_a_count_of_seconds_gives(turn_time: int, whole: int, steps: list) -> None:
    walker = Walker(turn_time, dict.fromkeys("ABC", whole))
    clock = Clock(turn_time, whole)
    owing = set("ABC")

    def settle() -> None:
        walker.owing = set(owing)
        walker.look()
        clock.settle(owing)
        clock.walk(0)

    settle()
    for deed, what in steps:
        if deed == "pass":
            walker.walk(what)
            clock.walk(what)
        elif deed == "seal":
            owing.discard(what)
            settle()
        elif deed == "reopen":
            owing.add(what)
            settle()
        else:
            owing.clear()
            settle()
            walker.begin_turn()
            clock.begin_turn()
            owing |= set("ABC")
            settle()
        assert clock.late == walker.late
    owing.clear()
    settle()
    assert {str(at): clock.reserves.of(at).rest for at in SEATS} == {
        at: left * SECOND for at, left in walker.left.items()
    }
