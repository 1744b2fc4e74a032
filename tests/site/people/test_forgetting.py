"""Being forgotten with many seats: at once nobody is that guest any more, the seats follow in small steps."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from games import newest
from robosite.matches import clock, flow, missing_keys
from robosite.matches.models import Hold, Match, Program, Seat
from robosite.people import current_guest
from robosite.people.models import Guest
from tests.site.browsers import Browser, Table, text
from tests.site.people.test_ways_back import facts
from tests.site.routes import asks, some
from tests.site.world import world

SEATS = 8


@pytest.fixture
def busy(alice: Browser, bob: Browser) -> list[Match]:
    """Alice plays with Bob at many tables."""
    matches = [alice.make() for _ in range(SEATS)]
    for match in matches:
        bob.join(alice.own_links(match.seats.get(letter="A"))["invite"])
    return matches


def named(name: str) -> int:
    return Seat.objects.filter(name=name).count()


def test_at_once_nobody_is_the_guest_and_few_seats_are_given_up(busy: list[Match], alice: Browser) -> None:
    assert "With so many matches this takes a few minutes." in text(alice.get("/me/forget/"))
    page, cookies = busy[-1].seats.get(letter="A").get_absolute_url(), dict(alice.cookies)
    answer = alice.post("/me/forget/", {"sure": "1"})
    assert answer.status_code == 302
    assert named("Somebody") == current_guest.AT_ONCE and named("Alice") == SEATS - current_guest.AT_ONCE
    guest = Guest.objects.get(leaving_at__isnull=False)
    assert (guest.name, guest.email, guest.phrase_hash) == ("", "", "")
    alice.cookies.update(cookies)
    assert "Welcome" in text(alice.get("/me/"))
    assert alice.get(page).status_code != 200


def test_the_clock_gives_up_one_seat_after_the_other_until_nothing_is_left(
    busy: list[Match], alice: Browser
) -> None:
    alice.post("/me/forget/", {"sure": "1"})
    for n in range(SEATS - current_guest.AT_ONCE):
        assert named("Somebody") == current_guest.AT_ONCE + n
        assert current_guest.forget_step_of_oldest()
    assert current_guest.forget_step_of_oldest()
    assert not current_guest.forget_step_of_oldest()
    assert Match.objects.filter(status=Match.Status.OVER).count() == SEATS
    assert not Guest.objects.filter(leaving_at__isnull=False).exists()
    assert "alice" not in facts().lower()


def test_a_seat_that_fails_keeps_no_other_waiting(
    busy: list[Match], alice: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.post("/me/forget/", {"sure": "1"})
    bad = Seat.objects.filter(name="Alice").first()
    forgets = flow.forget

    def fails(seat: Seat, guest: Guest) -> None:
        assert bad
        if seat.pk == bad.pk:
            raise RuntimeError
        forgets(seat, guest)

    monkeypatch.setattr(flow, "forget", fails)
    for _ in range(200):
        with suppress(RuntimeError):
            current_guest.forget_step_of_oldest()
    assert [seat.pk for seat in Seat.objects.filter(name="Alice")] == [bad and bad.pk]
    monkeypatch.undo()
    while current_guest.forget_step_of_oldest():
        pass
    assert named("Alice") == 0 and not Guest.objects.filter(leaving_at__isnull=False).exists()


def test_a_newcomer_on_the_seat_stays_when_a_second_clock_comes_late(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    matches = [alice.make(3) for _ in range(5)]
    for match in matches:
        bob.join(alice.own_links(match.seats.get(letter="A"))["invite"])
    alice.post("/me/forget/", {"sure": "1"})
    while current_guest.forget_step_of_oldest():
        pass
    free = Match.objects.filter(status=Match.Status.OPEN, seats__name="Bob").first()
    assert free
    guest = Guest.objects.create(name="Dora")
    invite = flow.new_invite(free.seats.select_related("match").get(name="Bob"))
    flow.join(free, "Dora", invite=invite, at="A", guest=guest)
    while current_guest.forget_step_of_oldest():
        pass
    assert Hold.objects.filter(guest=guest).count() == 1


def test_what_is_warned_of_costs_as_many_questions_however_many_seats(table: Table, alice: Browser) -> None:
    def questions(path: str) -> int:
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assert alice.get(path).status_code == 200
        return len(asked)

    before = questions("/me/forget/"), questions("/me/export/")
    for _ in range(4):
        alice.make()
    assert (questions("/me/forget/"), questions("/me/export/")) == before


def test_the_clock_takes_steps_between_its_looks(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    did: list[str] = []
    settings.CLOCK_SECONDS = 0
    monkeypatch.setattr(clock, "BREATH", 0)
    monkeypatch.setattr(missing_keys, "warn", lambda: None)
    monkeypatch.setattr(clock, "close_old_connections", lambda: None)

    async def tick() -> None:
        did.append("tick")

    monkeypatch.setattr(clock, "move_all_on", tick)

    def step() -> bool:
        did.append("step")
        return did.count("step") % 30 != 0

    monkeypatch.setattr(clock, "step", step)

    async def runs() -> None:
        task = asyncio.create_task(clock.run())
        while did.count("tick") < 3:
            await asyncio.sleep(0.01)
        task.cancel()

    asyncio.run(runs())
    assert did[:33] == ["tick", *["step"] * clock.STEPS, "tick", *["step"] * 10, "tick"]


def test_a_locked_database_is_no_fault_of_the_clock(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The next round does what this one could not: a line, not an error that a host is told of."""
    monkeypatch.setattr(clock, "close_old_connections", lambda: None)
    monkeypatch.setattr(missing_keys, "warn", lambda: None)

    async def locked() -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(clock, "move_all_on", locked)

    async def runs() -> None:
        task = asyncio.create_task(clock.run())
        while not caplog.records:
            await asyncio.sleep(0.01)
        task.cancel()

    asyncio.run(runs())
    assert [(one.levelname, one.exc_info, one.getMessage()) for one in caplog.records] == [
        ("WARNING", None, "the clock missed a look at the time: database is locked")
    ]


def test_who_asks_twice_at_once_to_be_forgotten_is_forgotten_once(table: Table) -> None:
    """The second request has read the guest before the first one erased him."""
    guest, again = Guest.objects.get(name="Bob"), Guest.objects.get(name="Bob")
    current_guest.forget(guest)
    current_guest.forget(again)
    assert not Guest.objects.filter(pk=again.pk).exists()
    assert table.b.name == "Somebody"


def test_what_the_guest_had_planned_for_a_turn_that_is_then_resigned_is_erased(
    table: Table, alice: Browser
) -> None:
    alice.seal(table.a, "F F F F F")
    assert Program.objects.filter(seat=table.a).exclude(secret=None).exists()
    alice.post("/me/forget/", {"sure": "1"})
    assert list(Program.objects.filter(seat=table.a).values_list("order", "secret", "nonce")) == [
        ("resign", None, "")
    ]


@pytest.mark.integration
@pytest.mark.fuzz
def test_the_seat_of_a_forgotten_guest_is_named_in_each_readers_language(db: None) -> None:
    there = world()
    bob = Guest.objects.get(name="Bob")
    with translation.override("de"):
        for hold in Hold.objects.filter(guest=bob).select_related("seat__match"):
            flow.forget(hold.seat, bob)
    assert named("Somebody") == 2 and named("Jemand") == 0
    Guest.objects.filter(name="Alice").update(language="es")  # that of her feeds
    for who in ("Alice", "watcher"):
        there.people[who].defaults["HTTP_ACCEPT_LANGUAGE"] = "es"
        read = some([one for one in asks(there) if one.method == "GET"])
        said = {one.said: pages_text(there.ask(who, one)) for one in read}
        wrong = [where for where, page in said.items() if re.search(r"\b(Somebody|Jemand)\b", page)]
        assert not wrong, wrong
        for at in ("playing", "over"):
            assert "Alguien" in pages_text(there.people[who].get(f"/m/{there.keys[at]}/?public"))


def pages_text(answer: Any) -> str:
    """The text of a page or feed; "" for pictures, API answers and streams."""
    kind = answer.get("Content-Type", "")
    if answer.streaming or "json" in kind or not kind.startswith(("text/", "application/atom")):
        return ""
    return text(answer)


def test_merging_a_guest_with_many_matches_takes_a_few_queries(db: None) -> None:
    gone, guest = Guest.objects.create(name="Ann"), Guest.objects.create(name="Ben")
    game = newest("pigs")
    for _ in range(30):
        match, taken, _invite = flow.create(game, game.read_options({}), 2, "Ann", guest=gone)
        if match.pk % 3 == 0:  # both may play for the same seat
            Hold.objects.create(seat=taken.seat, guest=guest, sitting=taken.seat.sitting, seen_turn=4)
    with CaptureQueriesContext(connection) as queries:
        current_guest.merge(gone, guest)
    assert Hold.objects.filter(guest=guest).count() == 30 and not Hold.every.filter(guest=gone).exists()
    assert len(queries) < 80


async def test_after_a_long_step_others_are_answered_for_longer_than_it_took(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    present, took, slept = [0.0], [0.05, 0.4, 0.0], []

    def step() -> bool:
        present[0] += took.pop(0)
        return bool(took)

    async def sleep(seconds: float) -> None:
        slept.append(round(seconds, 3))

    monkeypatch.setattr(clock, "step", step)
    monkeypatch.setattr(clock, "monotonic", lambda: present[0])
    monkeypatch.setattr("asyncio.sleep", sleep)
    await clock._do_steps()
    assert slept == [clock.BREATH, 0.8]
