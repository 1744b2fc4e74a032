"""What is kept of people and for how long, by one table; being forgotten, in small steps."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.management import call_command
from django.db import OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from games import newest
from robosite.api.models import KeptAnswer, NamedProgram
from robosite.leagues.models import Place, PlaceHold
from robosite.matches import clock, flow, missing_keys
from robosite.matches.models import Hold, Match, Program, Seat
from robosite.notices import outbox
from robosite.notices.models import Channel, Notice
from robosite.ops import periods
from robosite.ops.periods import RETENTIONS
from robosite.people import current_guest
from robosite.people.models import Guest, Ticket
from robosite.talk.models import Message
from tests import at_once
from tests.site.browsers import FIRST, OTHER, Browser, Table, text
from tests.site.leagues.conftest import join as join_league
from tests.site.leagues.conftest import make as make_league
from tests.site.people.test_ways_back import facts
from tests.site.routes import asks, some
from tests.site.world import world


def prune(*args: str) -> dict[str, int]:
    """Runs `prune`; returns the number deleted of each kind."""
    out = StringIO()
    call_command("prune", *args, stdout=out)
    lines = [line.split() for line in out.getvalue().splitlines() if "(kept" in line]
    return {line[-4]: int(line[-5]) for line in lines}


def gone() -> dict[str, int]:
    return {kept.name: 0 for kept in RETENTIONS}


def test_only_what_nobody_needs_any_more_is_deleted(table: Table, alice: Browser) -> None:
    played, empty, off = table.match, alice.make(), alice.make()
    flow.seal(table.a, 0, FIRST)
    flow.seal(table.b, 0, OTHER)
    flow.cancel_before_start(off.seats.select_related("match").get(letter="A"))
    Guest.objects.create(name="Nobody")
    KeptAnswer.objects.create(found_by="x", locked=b"")
    for days in (-3, 1):
        Ticket.objects.create(kind="back", secret_hash=days, expires_at=timezone.now() + timedelta(days=days))
    assert prune("--yes") == {**gone(), "tickets": 1}
    for kept, old in ((Match, "changed_at"), (Guest, "created_at"), (KeptAnswer, "made_at")):
        kept._default_manager.update(**{old: timezone.now() - timedelta(days=100)})
    due = {**gone(), "matches": 2, "guests": 1, "answers": 1}
    assert prune() == due  # a dry run …
    assert Match.objects.count() == 3 and Guest.objects.filter(name="Nobody").exists()
    assert prune("--yes") == due
    assert prune("--yes") == gone()
    assert list(Match.objects.all()) == [played]
    assert set(Guest.objects.values_list("name", flat=True)) == {"Alice", "Bob"}
    assert alice.get(f"/m/{empty.key}/").status_code == 404
    assert alice.get(f"/m/{played.key}/A/").status_code == 200


def test_a_match_that_ended_for_a_lost_key_was_played_and_expired_sessions_go(table: Table) -> None:
    Match.objects.update(status="aborted", turn=0, changed_at=timezone.now() - timedelta(days=400))
    old = SessionStore()
    old.save()
    Session.objects.filter(pk=old.session_key).update(expire_date=timezone.now() - timedelta(seconds=5))
    before = Session.objects.count()
    assert prune("--yes") == {**gone(), "sessions": 1}
    assert Session.objects.count() == before - 1
    assert table.alice.get(f"/m/{table.key}/A/").status_code == 200


def test_notices_and_what_became_of_them_go_after_a_while(table: Table) -> None:
    bob = Guest.objects.get(name="Bob")
    way = Channel.objects.create(guest=bob, kind="mail", tells=["turn"])
    table.play((FIRST, FIRST))
    table.play((FIRST, FIRST))
    long_ago = timezone.now() - outbox.KEPT_FOR - timedelta(days=1)
    Notice.objects.update(noted_at=long_ago)
    done = Notice.objects.exclude(done_at=None).update(done_at=long_ago)
    sent = way.parcels.update(state="sent", closed_at=long_ago)
    assert done and sent and Notice.objects.filter(done_at=None).exists()
    assert prune("--yes") == {**gone(), "notices": done, "parcels": sent}
    assert Notice.objects.filter(done_at=None).exists()  # what waits for somebody stays


def test_nothing_is_deleted_where_the_host_keeps_it_for_good(alice: Browser, settings: Any) -> None:
    settings.KEEP_OPEN_DAYS = settings.KEEP_GUESTS_DAYS = 0
    alice.make()
    Guest.objects.create(name="Nobody")
    Match.objects.update(changed_at=timezone.now() - timedelta(days=4000))
    Guest.objects.update(created_at=timezone.now() - timedelta(days=4000))
    assert prune("--yes") == gone()


def test_what_is_used_again_meanwhile_stays(
    alice: Browser, bob: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bob sits down between the look and the deletion."""
    match = alice.make()
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    Match.objects.update(changed_at=timezone.now() - timedelta(days=100))
    atomic = transaction.atomic

    def late() -> Any:
        monkeypatch.undo()
        bob.join(invite)
        return atomic()

    monkeypatch.setattr(transaction, "atomic", late)
    (matches,) = [one for one in RETENTIONS if one.name == "matches"]
    assert list(periods.prune(matches)) == [0]
    assert Match.objects.get().status == "playing"


def test_many_rows_go_in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(periods, "AT_A_TIME", 4)
    Guest.objects.bulk_create([Guest(name=f"guest {n}") for n in range(10)])
    Guest.objects.update(created_at=timezone.now() - timedelta(days=400))
    (guests,) = [one for one in RETENTIONS if one.name == "guests"]
    assert list(periods.prune(guests)) == [4, 4, 2]


def test_the_page_tells_the_periods_that_the_command_goes_by(alice: Browser, settings: Any) -> None:
    settings.KEEP_OPEN_DAYS, settings.KEEP_GUESTS_DAYS = 17, 0
    shown = " ".join(text(alice.get("/privacy/")).split())
    assert "after the last change</th><td>17 days" in shown
    assert "after their last visit</th><td>for good" in shown
    for kept in RETENTIONS:
        assert kept.says in shown
    assert 'href="/privacy/"' in text(alice.get("/"))


def later(time: Any, days: int) -> dict[str, int]:
    """So many days go by, with `prune` in the last three nights; returns what was deleted in all."""
    time.pass_(days=days - 3)
    nights = []
    for _night in range(3):
        time.pass_(days=1)
        nights.append(prune("--yes"))
    return {name: sum(night[name] for night in nights) for name in gone()}


def told(guest: Guest) -> list[str]:
    """The subjects of the mails about deletions that have gone to the guest."""
    at_once.send_all()
    return [str(one.subject) for one in mail.outbox if one.to == [guest.email] and "deleted" in one.subject]


def with_mail(name: str) -> Guest:
    guest = Guest.objects.filter(name=name).order_by("pk").last()
    assert guest
    guest.email = f"{name.lower()}@example.org"
    guest.save()
    Channel.objects.create(guest=guest, kind="mail", tells=["turn"])
    return guest


def test_a_league_that_fills_stays_and_its_people_are_told_a_week_before(
    alice: Browser, bob: Browser, time: Any
) -> None:
    league, invite = make_league(alice)
    assert later(time, days=50)["leagues"] == 0
    join_league(bob, invite)  # more than 60 days after it was made somebody is still interested
    organiser, player = with_mail("Alice"), with_mail("Bob")
    assert later(time, days=52)["leagues"] == 0
    assert told(organiser) == told(player) == []
    assert later(time, days=3)["leagues"] == 0
    assert len(told(organiser)) == len(told(player)) == 1, "once, however often it is looked at"
    assert league.name in told(player)[0]
    Message.objects.create(league=league, name="Alice", text="Who else?", sent_at=time.now())
    assert later(time, days=55)["leagues"] == 0
    assert len(told(player)) == 2
    assert later(time, days=6)["leagues"] == 1


def test_who_waits_at_an_open_match_is_told_before_it_goes(alice: Browser, time: Any) -> None:
    match = alice.make()
    guest = with_mail("Alice")
    assert later(time, days=54)["matches"] == 0
    (subject,) = told(guest)
    assert match.game.name in subject
    Message.objects.create(match=match, name="Alice", text="Anybody?", sent_at=time.now())
    assert later(time, days=55)["matches"] == 0, "writing keeps it"
    assert len(told(guest)) == 2
    assert later(time, days=6)["matches"] == 1


def test_nobody_finds_it_gone_who_could_not_be_told(alice: Browser, time: Any) -> None:
    """The site was away for longer than the whole period, or `prune` did not run."""
    alice.make()
    guest = with_mail("Alice")
    time.pass_(days=100)
    assert prune("--yes")["matches"] == 0
    assert len(told(guest)) == 1
    assert later(time, days=6)["matches"] == 0
    assert later(time, days=3)["matches"] == 1


def test_who_has_begun_meanwhile_is_told_nothing(alice: Browser, bob: Browser, time: Any) -> None:
    match = alice.make()
    guest = with_mail("Alice")
    later(time, days=54)
    bob.join(alice.own_links(match.seats.get(letter="A"))["invite"])
    assert told(guest) == []


def test_a_program_with_a_place_in_a_league_stays(alice: Browser, time: Any) -> None:
    program = Guest.objects.create(name="Program")
    NamedProgram.objects.create(guest=program, used_at=time.now())
    league, _invite = make_league(alice)
    place = Place.objects.create(league=league, number=9, name="Program", taken_at=time.now())
    PlaceHold.objects.create(place=place, guest=program)
    NamedProgram.objects.update(used_at=time.now() - timedelta(days=400))
    assert prune("--yes")["programs"] == 0


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
    """The clock gives up one after the other until nothing is left."""
    assert "With so many matches this takes a few minutes." in text(alice.get("/me/forget/"))
    page, cookies = busy[-1].seats.get(letter="A").get_absolute_url(), dict(alice.cookies)
    assert alice.post("/me/forget/", {"sure": "1"}).status_code == 302
    assert named("Somebody") == current_guest.AT_ONCE and named("Alice") == SEATS - current_guest.AT_ONCE
    guest = Guest.objects.get(leaving_at__isnull=False)
    assert (guest.name, guest.email, guest.phrase_hash) == ("", "", "")
    alice.cookies.update(cookies)
    assert "Welcome" in text(alice.get("/me/"))
    assert alice.get(page).status_code != 200
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


def test_a_newcomer_on_the_seat_stays_when_a_second_clock_comes_late(alice: Browser, bob: Browser) -> None:
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
        with CaptureQueriesContext(connection) as asked:
            assert alice.get(path).status_code == 200
        return len(asked)

    before = questions("/me/forget/"), questions("/me/export/")
    for _ in range(4):
        alice.make()
    assert (questions("/me/forget/"), questions("/me/export/")) == before


def runs_until(
    monkeypatch: pytest.MonkeyPatch, is_done: Callable[[], bool], looks: Callable[[], Any]
) -> None:
    """Runs the clock, which looks so at the time."""
    monkeypatch.setattr(missing_keys, "warn", lambda: None)
    monkeypatch.setattr(clock, "close_old_connections", lambda: None)
    monkeypatch.setattr(clock, "move_all_on", looks)

    async def runs() -> None:
        task = asyncio.create_task(clock.run())
        while not is_done():
            await asyncio.sleep(0.01)
        task.cancel()

    asyncio.run(runs())


def test_the_clock_takes_steps_between_its_looks(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    did: list[str] = []
    settings.CLOCK_SECONDS = 0
    monkeypatch.setattr(clock, "BREATH", 0)

    async def tick() -> None:
        did.append("tick")

    def step() -> bool:
        did.append("step")
        return did.count("step") % 30 != 0

    monkeypatch.setattr(clock, "step", step)
    runs_until(monkeypatch, lambda: did.count("tick") >= 3, tick)
    assert did[:33] == ["tick", *["step"] * clock.STEPS, "tick", *["step"] * 10, "tick"]


def test_a_locked_database_is_no_fault_of_the_clock(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The next round does what this one could not: a line, not an error that a host is told of."""

    async def locked() -> None:
        raise OperationalError("database is locked")

    runs_until(monkeypatch, lambda: bool(caplog.records), locked)
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
def test_the_seat_of_a_forgotten_guest_is_named_in_each_readers_language() -> None:
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
        if who == "watcher":  # whose other pages show no match
            read = [one for one in read if one.table != "none"]
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


def test_merging_a_guest_with_many_matches_takes_a_few_queries() -> None:
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
