"""Time reserves, and time that is given back."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db.models import DateField
from hypothesis import given, settings
from hypothesis import strategies as st

from games.core import Seat as Letter
from robosite.api.models import KeptAnswer
from robosite.leagues import flow as leagues
from robosite.leagues.models import League
from robosite.matches.flow import listing
from robosite.matches.models import Match
from robosite.matches.site_models import Asking, Heartbeat
from robosite.matches.time.reserves import Reserves
from robosite.people import letters
from robosite.people.models import Guest, SentForm, Ticket
from tests.clock import tick
from tests.games.sizes import size
from tests.site.browsers import Browser, Table
from tests.site.conftest import Time
from tests.site.leagues.test_leagues import Api, Group

pytestmark = pytest.mark.django_db


AWAY = timedelta(hours=10)
MOVED = """
Asking.asked_at Asking.due KeptAnswer.made_at League.ends League.next_round_at League.starts_at Match.deadline
Match.due Match.handover_at Match.listed_at Match.open_since SentForm.made_at Ticket.expires_at
"""
STAYS = {
    "what has happened, or was seen": """
    Challenge.made_at Channel.failed_at Channel.made_at Channel.succeeded_at Entry.at
    FormerHold.sat_at GroupChannel.looked_at GroupChannel.made_at
    Guest.created_at Guest.email_confirmed_at Guest.leaving_at Guest.phrase_made_at
    Guest.seen_at Heard.upto KeptReceipt.sealed_at League.changed_at League.created_at League.over_at
    League.started_at
    Letter.closed_at Match.changed_at Match.created_at Match.opened_at Match.revealed_at Measure.lifted_at
    Measure.made_at Measure.objected_at Measure.read_at Message.read_at Message.sent_at NamedProgram.made_at
    NamedProgram.used_at Note.made_at Notice.done_at Notice.noted_at Nudge.at Parcel.closed_at Place.left_at
    Place.passed_at Place.stays_at Place.taken_at PlaceHold.heard_upto Program.sealed_at Recipient.read_at
    Recipient.sent_at
    Recount.at Report.closed_at Report.made_at Seat.passed_at Seat.taken_at SecondFactor.created_at
    SecondFactor.last_used_at TakenBack.sealed_at TakenBack.taken_back_at Waiting.asked_at
    """,
    "days of a calendar": "Holiday.begins Holiday.ends Holiday.first Holiday.last Tally.day",
    "whoever is barred was told until when": "Measure.ends_at",
    "sent as soon as the site is back": """
    GroupChannel.claimed_until GroupChannel.due_at
    Letter.claimed_until Letter.due_at Parcel.claimed_until Parcel.due_at Telling.due_at
    """,
    "the site's own": """
    Figures.at Heartbeat.agreed_at Heartbeat.at Heartbeat.booted_at JobRun.at ProcessHeartbeat.at Salt.made_at
    """,
}
"""Why a downtime does not move these columns. Sessions, which are Django's, are moved."""


def away(time: Time) -> None:
    Heartbeat.objects.update_or_create(pk=1, defaults={"at": time.now()})
    time.down(hours=10)
    tick()
    while leagues.settle_some():
        pass


@pytest.fixture
def api(db: Any) -> Api:
    return Api()


def test_leagues_go_on_and_start_later_for_as_long_as_they_had_left(api: Api, time: Time) -> None:
    season = Group(api, 3)
    League.objects.update(starts_at=time.now() + timedelta(days=1, hours=3))
    group = Group(api, 4, every_days=3, ends_days=60)
    group.start()
    before = group.league
    time.pass_(days=1)
    away(time)
    after = group.league
    assert before.ends and before.next_round_at
    assert after.ends == before.ends + AWAY
    assert after.next_round_at == before.next_round_at + AWAY
    assert season.league.status == League.Status.OPEN
    assert season.league.starts_at == time.now() + timedelta(hours=3)
    League.objects.update(ends=time.now() + timedelta(hours=3), starts_at=None)
    away(time)  # its last day passes while the site is away
    assert group.league.status == League.Status.PLAYING
    assert {one["status"] for one in group.matches()} == {"playing"}
    assert group.league.ends == time.now() + timedelta(hours=3)


def test_a_league_of_evenings_has_as_many_evenings_left(api: Api, time: Time) -> None:
    time.present = datetime(2026, 11, 20, 9, tzinfo=UTC)
    hour = {"time": "20:00", "zone": "Europe/Madrid", "days": [0, 1, 2, 3, 4, 5, 6]}
    group = Group(api, 3, ends_days=60, reveal_at=hour)
    group.start()
    League.objects.update(ends=datetime(2026, 11, 20, 23, tzinfo=UTC))  # this evening is the last one
    time.pass_(hours=9)  # 19:00 in Madrid
    away(time)
    assert group.league.ends == datetime(2026, 11, 21, 23, tzinfo=UTC)
    assert {match.due for match in Match.objects.all()} == {datetime(2026, 11, 21, 19, tzinfo=UTC)}


def test_links_forms_and_requests_work_for_as_long_as_they_had_left(table: Table, time: Time) -> None:
    letter = letters.write(Ticket.Kind.BACK, "alice@example.org", "http://testserver")
    gone = Ticket.objects.create(kind="back", secret_hash="x", expires_at=time.now() - timedelta(minutes=1))
    asked = Asking.objects.create(
        seat=table.a, guest=Guest.objects.get(name="Bob"), asked_at=time.now() - timedelta(days=6, hours=23)
    )
    KeptAnswer.objects.create(found_by="x", locked=b"")
    form = SentForm.objects.create(found_by="x", locked=b"", made_at=time.now())
    expires = Session.objects.order_by("pk").values_list("expire_date", flat=True)
    before = list(expires.all())
    away(time)
    asked.refresh_from_db()
    assert asked.stands
    assert Ticket.objects.get(pk=letter.ticket.pk).expires_at == letter.ticket.expires_at + AWAY
    assert Ticket.objects.get(pk=gone.pk).expires_at == gone.expires_at, "what had run out stays so"
    assert SentForm.objects.get(pk=form.pk).made_at == form.made_at + AWAY
    assert KeptAnswer.objects.get().made_at == time.now()
    assert list(expires.all()) == [at + AWAY for at in before]


def test_an_open_table_stays_on_the_list_for_as_long_as_it_had_left(
    alice: Browser, time: Time, settings: Any
) -> None:
    settings.OPEN_TABLES = True
    match = alice.make()
    Match.objects.filter(pk=match.pk).update(listed=True, listed_at=time.now())
    time.pass_(days=6, hours=23)
    away(time)
    assert list(listing.open_tables()) == [match]
    time.pass_(hours=2)
    assert not listing.open_tables().exists()


def test_of_each_moment_that_is_stored_it_is_decided_whether_a_downtime_moves_it() -> None:
    columns = {
        f"{model.__name__}.{field.name}"
        for model in apps.get_models()
        if model.__module__.startswith("robosite.")
        for field in model._meta.fields
        if isinstance(field, DateField)
    }
    stays = " ".join(STAYS.values()).split()
    assert sorted([*MOVED.split(), *stays]) == sorted(columns)


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
