"""The arithmetic of time reserves, against a count that goes second by second."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.core import Seat as Letter
from robosite.matches.time.reserves import Reserves
from tests.games.sizes import size

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


def test_a_turn_that_is_given_back_costs_nothing() -> None:
    clock = Clock(10, 60)
    clock.settle({"A", "B"})
    clock.walk(25)
    clock.settle({"A"})
    assert clock.reserves.of(Letter("B")).rest == 45 * SECOND
    clock.reserves.begin_turn("1.0", refund=True)
    assert [clock.reserves.of(at).rest for at in SEATS] == [60 * SECOND] * 3
