"""The moderators' reports, and names in the admin."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.urls import reverse

from robosite.leagues.models import League, Place
from robosite.matches.models import Match, Seat
from robosite.moderation import reports
from robosite.moderation.models import Measure, Report
from robosite.people.models import Guest
from robosite.talk.models import Message
from robosite.web.written_names import FIRST, LAST
from tests.site.browsers import Answer, Browser, Table, guest, has_word, sit_down, text
from tests.site.routes import asks
from tests.site.world import world

pytestmark = pytest.mark.django_db


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


def test_who_holds_a_covered_seat_of_a_shared_device_reads_nothing_of_it_here(
    alice: Browser, bob: Browser
) -> None:
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
    from robosite.people.current_guest import merge

    send(table.alice, table.key, "seat-B")
    merge(guest("Bob"), guest("Alice"))
    assert Report.objects.get().guest == guest("Alice")


NAME = "שרה"
ISOLATED = re.compile(rf"<bdi>[^<]*</bdi>|{FIRST}[^{FIRST}{LAST}<>]*{LAST}")
ALONE = re.compile(
    rf"""<(?:t[dh]|dd|div|p|blockquote|li)\b[^>]*>\s*(?:<a\b[^>]*>)?{NAME}\s*(?:</a>\s*)?(?=</(?!a>))"""
    rf"""|<(?:input|option|textarea)\b[^>]*>(?:{NAME})?"""
)
"""A name that has a cell, a line or a field to itself."""


def in_company(page: str) -> list[str]:
    """The places where the name stands beside other words without an isolate, with what is around it."""
    rest = ALONE.sub("", ISOLATED.sub("", html.unescape(page)))
    return [rest[max(0, found.start() - 60) : found.end() + 40] for found in re.finditer(NAME, rest)]


def test_no_page_of_the_admin_has_a_name_beside_other_words_without_an_isolate() -> None:
    there = world()
    Seat.objects.exclude(name="").update(name=NAME)
    Guest.objects.exclude(name="").update(name=NAME)
    Message.objects.update(name=NAME)
    League.objects.update(name=NAME)
    Place.objects.exclude(name="").update(name=NAME)
    assert Report.objects.exists() and Measure.objects.exists()
    seen, wrong = 0, {}
    for ask in asks(there):
        if not ask.name.startswith("admin:"):
            continue
        answer = there.ask("staff", ask)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            page = answer.content.decode()
            seen += NAME in page
            if found := in_company(page):
                wrong[ask.path] = found
    assert wrong == {}
    assert seen >= 15
    seat = Seat.objects.filter(name=NAME, holds__isnull=False).order_by("pk")[0]
    for kind in ("revoke", "rename"):
        data = {"action": kind, "_selected_action": [seat.pk], "name": "Zoe"}
        page = there.people["staff"].post(reverse("admin:matches_seat_changelist"), data).content.decode()
        assert NAME in page and in_company(page) == [], "what a measure will do"
