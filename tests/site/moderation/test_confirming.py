"""Reports, confirming, and the traces that are left."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import serializers
from django.db import DatabaseError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from robosite.matches import flow
from robosite.matches.models import Match
from robosite.moderation import measures, reports, traces
from robosite.moderation.confirming import ASKED
from robosite.moderation.measures import DOES, LIFTED, ImpossibleMeasure
from robosite.moderation.models import Measure, Report, Salt, Trace
from robosite.ops.periods import RETENTIONS, prune
from robosite.people.current_guest import merge
from robosite.people.models import Guest
from robosite.talk.models import Message
from robosite.trail.models import Entry
from tests.site.browsers import (
    Answer,
    Browser,
    Table,
    asked,
    confirm,
    guest,
    has_word,
    logged_in,
    sit_down,
    text,
)

MATCHES = "/admin/matches/match/"
SEATS = "/admin/matches/seat/"
GUESTS = "/admin/people/guest/"
QUEUE = "/admin/moderation/report/"


@pytest.fixture
def boss() -> Client:
    return logged_in(User.objects.create_superuser("boss"))


@pytest.fixture
def report(table: Table) -> Report:
    table.alice.post(f"/report/{table.key}/", {"about": "seat-B", "reason": "insult"})
    return Report.objects.get()


def page(report: Report) -> str:
    return reverse("admin:moderation_report_change", args=[report.pk])


def rows(action: str, *chosen: Any) -> dict[str, Any]:
    return {"action": action, "_selected_action": [one.pk for one in chosen], "index": "0"}


def test_closing_a_match_says_for_whom_and_waits_for_a_yes(boss: Client, table: Table) -> None:
    answer = boss.post(MATCHES, rows("close", table.match))
    shown = text(answer)
    assert (
        f"{table.match} ({table.match.get_status_display()}) is called off for Alice and Bob: nobody wins"
        in shown
    )
    assert table.match.status == Match.Status.PLAYING and not Entry.objects.filter(action="close").exists()
    assert boss.post(MATCHES, asked(answer)).status_code == 302
    assert table.match.status == Match.Status.ABORTED


def test_every_measure_that_cannot_be_undone_is_asked_for(boss: Client, table: Table, report: Report) -> None:
    bob = Guest.objects.get(name="Bob")
    for at, action, row in (
        (SEATS, "revoke", table.b),
        (SEATS, "rename", table.b),
        (GUESTS, "rename", bob),
        (QUEUE, "rename", report),
    ):
        assert "Bob" in text(boss.post(at, rows(action, row))), (at, action)
        assert "cannot be undone" in text(boss.post(at, rows(action, row))), (at, action)
    assert not Measure.objects.exists()
    confirm(boss, GUESTS, rows("rename", bob))
    assert Measure.objects.get().kind == "rename" and table.b.name == "Player B"
    confirm(boss, SEATS, rows("revoke", table.b))
    assert Measure.objects.filter(kind="revoke").count() == 1
    assert set(DOES) - set(LIFTED) <= set(ASKED)


def test_what_can_be_lifted_is_done_at_once_and_asking_is_in_the_trail(boss: Client, report: Report) -> None:
    before = Entry.objects.count()
    assert boss.post(page(report), {"do": "mute", "days": "7"}).status_code == 302
    assert Measure.objects.get().kind == "mute"
    confirm(boss, page(report), {"do": "close"})
    told = list(Entry.objects.order_by("number").values_list("action", flat=True)[before:])
    assert told == ["measure-mute", "asks", "measure-close"]


@pytest.mark.parametrize("sure", ["1", "", "0" * 64])
def test_a_forged_yes_does_nothing(boss: Client, table: Table, report: Report, sure: str) -> None:
    assert boss.post(page(report), {"do": "close", "sure": sure}).status_code == 200
    assert boss.post(MATCHES, {**rows("close", table.match), "sure": sure}).status_code == 200
    assert table.match.status == Match.Status.PLAYING and not Measure.objects.exists()


def test_a_yes_is_for_its_own_rows_and_its_own_reader(boss: Client, table: Table, alice: Browser) -> None:
    other = alice.make()
    yes = asked(boss.post(MATCHES, rows("close", table.match)))
    boss.post(MATCHES, {**yes, "_selected_action": [other.pk]})
    mia = logged_in(User.objects.create_superuser("mia"))
    mia.post(MATCHES, yes)
    assert set(Match.objects.values_list("status", flat=True)) == {"playing", "open"}


def test_a_yes_without_the_forms_token_is_refused(table: Table, report: Report) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.create_superuser("boss"))
    asking = Client()
    asking.cookies = strict.cookies
    yes = asked(asking.post(page(report), {"do": "close"}))
    assert strict.post(page(report), yes).status_code == 403
    assert table.match.status == Match.Status.PLAYING


def test_a_yes_sent_again_does_nothing_twice_and_throws_out_nobody_who_sat_down_since(
    boss: Client, table: Table, report: Report
) -> None:
    """The seat passed to somebody else: the code of the page that was read fits no more."""
    yes = {**asked(boss.post(page(report), {"do": "revoke"})), "csrfmiddlewaretoken": "x" * 64}
    boss.get(page(report))
    assert boss.post(page(report), yes).status_code == 302
    assert boss.post(page(report), yes).status_code == 302
    assert Measure.objects.count() == 1
    seat = table.b
    with flow.locked_match(seat.match):
        flow.reseat(seat, link_hash="0" * 64)
    answer = boss.post(page(report), {**yes, "csrfmiddlewaretoken": "y" * 64})
    assert "Something has changed since you were asked" in text(answer)
    seat.refresh_from_db()
    assert seat.link_hash == "0" * 64 and Measure.objects.count() == 1


HOME, SIXTH, ELSEWHERE = "198.51.100.7", "2001:db8:1:2:3::4", "203.0.113.9"


def makes(browser: Browser, address: str) -> Answer:
    """A match against a bot, made from there."""
    return browser.post("/play/", {"game": "pigs", "name": browser.name}, REMOTE_ADDR=address)


def ban(name: str, **more: Any) -> Measure:
    given = {"why": "You asked Ben three times", "address_too": True, **more}
    return measures.take("ban", None, guest=guest(name), ends_at=measures.until("90"), **given)


@pytest.mark.parametrize("address", [HOME, SIXTH])
def test_who_clears_the_browser_is_banned_all_the_same_if_that_is_asked(
    alice: Browser, bob: Browser, address: str
) -> None:
    assert makes(bob, address).status_code == 302
    measures.lift(ban("Bob", address_too=False), None)
    assert makes(alice, address).status_code == 302
    ban("Bob")
    assert makes(bob, ELSEWHERE).status_code == 403
    assert makes(Browser("Bobby"), address).status_code == 403
    assert makes(alice, ELSEWHERE).status_code == 302
    call = json.dumps({"game": "pigs", "name": "Bobby"})
    answer = alice.post("/api/v1/matches", call, content_type="application/json", REMOTE_ADDR=address)
    assert answer.status_code == 403


def test_who_shares_the_address_may_object_and_learns_nothing_of_the_other(
    alice: Browser, bob: Browser
) -> None:
    makes(bob, HOME)
    page = ban("Bob").get_absolute_url()
    barred = text(makes(alice, HOME))
    assert "Someone on your network is banned." in barred and not has_word(barred, "Bob")
    shown = text(alice.get(page, REMOTE_ADDR=HOME))
    assert "Someone on your network is banned." in shown
    assert not has_word(shown, "Bob") and "I’ve read this" not in shown
    alice.post(page, {"read": "1"}, REMOTE_ADDR=HOME)
    assert Measure.objects.get().read_at is None
    assert alice.post(page, {"words": "It was not me"}, REMOTE_ADDR=HOME)["Location"] == page
    assert alice.get(page, REMOTE_ADDR=ELSEWHERE).status_code == 404
    assert "You asked Ben three times" in text(bob.get(page, REMOTE_ADDR=ELSEWHERE))


def test_it_follows_where_somebody_goes_and_what_he_does(table: Table) -> None:
    def trace() -> str:
        return traces.trace_of(guest("Bob")).code

    before = trace()
    table.bob.get(f"/m/{table.key}/B/talk/", REMOTE_ADDR=HOME)
    assert trace() == before
    deeds = (
        (f"/m/{table.key}/B/talk/", {"text": "Hello"}),
        (f"/report/{table.key}/", {"about": "match", "reason": "spam"}),
        ("/matches/", {"game": "pigs", "seats": "2", "name": "Bob"}),
    )
    for n, (page, given) in enumerate(deeds):
        assert table.bob.post(page, given, REMOTE_ADDR=f"198.51.100.{n}").status_code == 302
        assert trace() == traces.code_of(Salt.objects.get(), f"198.51.100.{n}")


def test_codes_end_after_four_weeks_and_no_address_was_ever_kept(
    alice: Browser, bob: Browser, time: Any
) -> None:
    makes(bob, HOME)
    first = traces.trace_of(guest("Bob"))
    assert first
    kept = serializers.serialize("json", [*Trace.objects.all(), *Salt.objects.all(), *Guest.objects.all()])
    assert HOME not in kept
    time.pass_(days=8)
    makes(bob, HOME)
    second = traces.trace_of(guest("Bob"))
    assert second and second.code != first.code and Salt.objects.count() == 2
    made = ban("Bob")
    time.pass_(days=27)
    assert made.is_in_force and makes(alice, HOME).status_code == 403
    time.pass_(days=2)
    assert made.is_in_force and makes(alice, HOME).status_code == 302
    assert makes(bob, ELSEWHERE).status_code == 403
    assert [one.made_at for one in Salt.objects.all()] == [timezone.now()]  # a new one, and no other


def test_prune_erases_them_too_and_a_code_keeps_no_name_that_nobody_needs(
    bob: Browser, settings: Any, time: Any
) -> None:
    makes(bob, HOME)
    rows = {one.name: one for one in RETENTIONS}
    time.pass_(days=27)
    assert not list(prune(rows["traces"])) and Trace.objects.exists()
    time.pass_(days=2)
    assert traces.trace_of(guest("Bob")) is None
    assert list(prune(rows["traces"])) == [1] and not Trace.objects.exists()
    settings.KEEP_GUESTS_DAYS = 1
    traces.note_trace(Guest.objects.create(name="Idle"), HOME)
    Guest.objects.update(created_at=timezone.now() - timedelta(days=2))
    list(prune(rows["guests"]))
    assert not Guest.objects.filter(name="Idle").exists() and not Trace.objects.exists()


def test_where_no_code_could_be_kept_what_was_done_stands_and_the_guest_alone_can_be_banned(
    bob: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> Salt:
        raise DatabaseError

    monkeypatch.setattr(traces, "_present_salt", fails)
    assert makes(bob, HOME).status_code == 302
    assert guest("Bob").holds.count() == 1 and not Trace.objects.exists()
    with pytest.raises(ImpossibleMeasure, match="ban the guest alone"):
        ban("Bob")
    assert not Measure.objects.exists()


def test_of_two_guests_who_become_one_the_newer_code_stays(alice: Browser, bob: Browser, time: Any) -> None:
    makes(alice, ELSEWHERE)
    time.pass_(days=8)
    makes(bob, HOME)
    merge(guest("Bob"), guest("Alice"))
    trace = Trace.objects.get()
    assert trace.guest.name == "Alice" and trace.code == traces.code_of(trace.salt, HOME)


def test_a_guest_gets_his_code_with_his_data_and_it_goes_with_him(bob: Browser) -> None:
    makes(bob, HOME)
    told = bob.get("/me/export/").json()["moderation"]["address_code"]
    assert told["code"] == Trace.objects.get().code
    bob.post("/me/forget/", {"sure": "1"})
    assert not Trace.objects.exists()


def send(browser: Browser, key: str, about: str, reason: str = "insult", words: str = "") -> Answer:
    return browser.post(f"/report/{key}/", {"about": about, "reason": reason, "words": words})


@pytest.fixture
def said(table: Table) -> Message:
    table.bob.do(table.b, "talk", text="You play like a toaster")
    return Message.objects.get()


def test_a_report_keeps_what_was_reported_and_its_receipt_says_how_it_stands(
    table: Table, said: Message
) -> None:
    for page in ("more/", "A/more/", "A/talk/"):
        assert f'href="/report/{table.key}/' in text(table.alice.get(f"/m/{table.key}/{page}"))
    receipt = send(table.alice, table.key, f"message-{said.pk}", words="Please look.")["Location"]
    report = Report.objects.get()
    assert receipt == f"/report/received/{report.number}/"
    assert (report.shown, report.message, report.guest, report.by) == (
        "You play like a toaster", said, guest("Bob"), guest("Alice"),
    )  # fmt: skip
    assert (report.reason, report.words, report.status) == ("insult", "Please look.", "open")
    shown = text(table.alice.get(receipt))
    assert report.said_number in shown and "is waiting for a moderator" in shown
    assert "toaster" not in shown and not has_word(shown, "Bob")
    Report.objects.update(status="dealt")
    assert "taken action" in text(table.alice.get(receipt))
    assert table.alice.get(f"/report/received/{report.number + 1}/").status_code == 404


@pytest.mark.parametrize(
    ("about", "what", "shown", "who"),
    [("name-B", "name", "Bob", "Bob"), ("seat-B", "seat", "B Bob", "Bob"), ("match", "match", "", None)],
)
def test_a_name_a_seat_and_a_match_can_be_reported_by_who_only_watches(
    table: Table, about: str, what: str, shown: str, who: str | None
) -> None:
    assert send(table.charlie, table.key, about).status_code == 302
    report = Report.objects.get()
    assert report.what == what and shown in report.shown and report.match == table.match
    assert (report.guest.name if report.guest else None) == who and report.by is None


def test_who_reports_is_never_shown_to_the_reported(table: Table, said: Message) -> None:
    send(table.alice, table.key, f"message-{said.pk}", words="It was Bob who said it")
    pages = ["/", "/me/", "/mine/", f"/m/{table.key}/B/", f"/m/{table.key}/B/talk/", f"/report/{table.key}/"]
    for page in [*pages, "/me/export/"]:
        shown = text(table.bob.get(page))
        assert "It was Bob who said it" not in shown and str(Report.objects.get().number) not in shown


def test_only_what_one_hears_can_be_reported_and_at_its_own_table(table: Table, said: Message) -> None:
    assert f"message-{said.pk}" in text(table.alice.get(f"/report/{table.key}/"))
    for browser in (table.charlie, table.bob):  # a watcher, and its author
        assert f"message-{said.pk}" not in text(browser.get(f"/report/{table.key}/"))
        assert send(browser, table.key, f"message-{said.pk}").status_code == 422
    other = sit_down(Browser("Erin"), Browser("Finn"), Browser("Gus"))
    assert send(table.alice, other.key, f"message-{said.pk}").status_code == 422
    assert not Report.objects.exists()


def test_a_private_message_is_reported_by_who_got_it_and_known_to_nobody_else(
    three: Table, dora: Browser
) -> None:
    three.bob.do(three.b, "talk", text="Only for Dora", to="C")
    about = f"message-{Message.objects.get().pk}"
    assert send(three.alice, three.key, about).status_code == 422
    assert send(dora, three.key, about).status_code == 302


def test_players_hear_watchers_after_the_end_and_report_them_then(table: Table) -> None:
    table.charlie.post(f"/m/{table.key}/talk/", {"text": "Boo", "name": "Charlie"})
    about = f"message-{Message.objects.get().pk}"
    assert send(table.alice, table.key, about).status_code == 422
    Match.objects.update(status="over")
    assert send(table.alice, table.key, about).status_code == 302
    assert Report.objects.get().guest == guest("Charlie")
    Match.objects.update(watched=False)  # for its players only, and reported by them alone
    assert table.charlie.get(f"/report/{table.key}/").status_code == 403
    assert send(table.charlie, table.key, "match").status_code == 403
    assert send(table.alice, table.key, "match").status_code == 302


def test_who_holds_a_covered_seat_of_a_shared_device_reads_nothing_of_it_here(alice: Browser) -> None:
    alice.post("/matches/", {"game": "pigs", "name": "Alice", "with": "here", "here": "Ann"})
    match = Match.objects.get()
    alice.post(f"/m/{match.key}/A/here/")
    alice.do(match.seats.get(letter="A"), "talk", text="Tea?")
    assert "Tea?" not in text(alice.get(f"/report/{match.key}/"))


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"about": "match"},
        {"about": "match", "reason": "rude"},
        {"about": "seat-C", "reason": "spam"},
        {"about": "name-A", "reason": "spam"},
        {"about": "match", "reason": "spam", "words": "x" * 501},
    ],
)
def test_what_is_no_report_is_refused_and_stays_typed(table: Table, given: dict[str, str]) -> None:
    answer = table.alice.post(f"/report/{table.key}/", given)
    assert answer.status_code == 422 and 'role="alert"' in text(answer)
    assert given.get("words", "") in text(answer)
    assert not Report.objects.exists()


def test_the_same_report_again_is_the_same_one(table: Table) -> None:
    first = send(table.alice, table.key, "seat-B")
    assert send(table.alice, table.key, "seat-B")["Location"] == first["Location"]
    Report.objects.update(status="dealt")
    assert send(table.alice, table.key, "seat-B")["Location"] != first["Location"]
    assert Report.objects.count() == 2


def test_who_reports_a_lot_is_told_when_to_go_on(table: Table, limited: Any) -> None:
    held = limited.BUCKETS["report"].capacity
    answers = [send(table.charlie, table.key, "match", words=str(n)) for n in range(held + 1)]
    assert [one.status_code for one in answers] == [302] * held + [429]
    assert int(answers[-1]["Retry-After"]) > 0 and "network" in text(answers[-1])
    assert Report.objects.count() == held


def test_so_many_reports_of_one_guest_wait_and_no_more(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MOST_OPEN", 1)
    assert send(table.alice, table.key, "match").status_code == 302
    answer = send(table.alice, table.key, "seat-B")
    assert answer.status_code == 422 and "are still waiting" in text(answer)


def test_a_seat_of_a_bot_has_nobody_to_report(alice: Browser) -> None:
    alice.post("/play/", {"game": "pigs", "name": "Alice"})
    assert "seat-B" not in text(alice.get(f"/report/{Match.objects.get().key}/"))


def test_a_report_is_in_the_reporters_data_and_the_names_of_both_go_when_they_are_forgotten(
    table: Table,
) -> None:
    send(table.alice, table.key, "name-B", words="He sleeps")
    data = table.alice.get("/me/export/").json()["moderation"]
    assert data["reports"][0]["words"] == "He sleeps" and data["measures"] == []
    table.alice.post("/me/forget/", {"sure": "1"})
    report = Report.objects.get()
    assert report.by is None and "Bob" in report.shown
    table.bob.post("/me/forget/", {"sure": "1"})
    report.refresh_from_db()
    assert report.guest is None and "Bob" not in report.shown


def test_reports_of_a_guest_who_became_another_one_are_the_others(table: Table) -> None:
    send(table.alice, table.key, "seat-B")
    merge(guest("Bob"), guest("Alice"))
    assert Report.objects.get().guest == guest("Alice")
