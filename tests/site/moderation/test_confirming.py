"""A page asks before what cannot be taken back: it says what happens to whom, and is confirmed once."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from robosite.matches import flow
from robosite.matches.models import Match
from robosite.moderation import measures
from robosite.moderation.confirming import ASKED
from robosite.moderation.measures import DOES, LIFTED
from robosite.moderation.models import Measure, Report
from robosite.people.models import Guest
from robosite.trail.models import Entry
from tests.site.browsers import Browser, Table, text
from tests.site.confirmed import asked, confirm

pytestmark = pytest.mark.django_db
MATCHES = "/admin/matches/match/"
SEATS = "/admin/matches/seat/"
GUESTS = "/admin/people/guest/"
QUEUE = "/admin/moderation/report/"


@pytest.fixture
def boss(db: Any) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("boss"))
    return client


@pytest.fixture
def report(table: Table) -> Report:
    table.alice.post(f"/report/{table.key}/", {"about": "seat-B", "reason": "insult"})
    return Report.objects.get()


def page(report: Report) -> str:
    return reverse("admin:moderation_report_change", args=[report.pk])


def rows(action: str, *chosen: Any) -> dict[str, Any]:
    return {"action": action, "_selected_action": [one.pk for one in chosen], "index": "0"}


def test_every_measure_that_cannot_be_undone_is_asked_for() -> None:
    assert set(DOES) - set(LIFTED) <= set(ASKED)


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


@pytest.mark.parametrize("kind", ["close", "revoke", "rename"])
def test_the_queue_asks_before_each(boss: Client, table: Table, report: Report, kind: str) -> None:
    given = {"do": kind, "reason": "insult", "why": "Not here", "days": "3", "name": "Quiet"}
    answer = boss.post(page(report), given)
    assert "Bob" in text(answer) and not Measure.objects.exists()
    assert boss.post(page(report), asked(answer)).status_code == 302
    made = Measure.objects.get()
    assert (made.kind, made.why, made.report) == (kind, "Not here", report)


def test_the_lists_ask_before_each(boss: Client, table: Table, report: Report) -> None:
    bob = Guest.objects.get(name="Bob")
    for at, action, row in (
        (SEATS, "revoke", table.b),
        (SEATS, "rename", table.b),
        (GUESTS, "rename", bob),
        (QUEUE, "rename", report),
    ):
        assert "Bob" in text(boss.post(at, rows(action, row))), (at, action)
        assert "cannot be taken back" in text(boss.post(at, rows(action, row))), (at, action)
    assert not Measure.objects.exists()
    confirm(boss, GUESTS, rows("rename", bob))
    assert Measure.objects.get().kind == "rename" and table.b.name == "Player B"
    confirm(boss, SEATS, rows("revoke", table.b))
    assert Measure.objects.filter(kind="revoke").count() == 1


def test_what_can_be_lifted_is_done_at_once(boss: Client, report: Report) -> None:
    assert boss.post(page(report), {"do": "mute", "days": "7"}).status_code == 302
    assert Measure.objects.get().kind == "mute"


@pytest.mark.parametrize("sure", ["1", "", "0" * 64])
def test_a_forged_yes_does_nothing(boss: Client, table: Table, report: Report, sure: str) -> None:
    assert boss.post(page(report), {"do": "close", "sure": sure}).status_code == 200
    assert boss.post(MATCHES, {**rows("close", table.match), "sure": sure}).status_code == 200
    assert table.match.status == Match.Status.PLAYING and not Measure.objects.exists()


def test_a_yes_is_for_its_own_rows_and_its_own_reader(boss: Client, table: Table, alice: Browser) -> None:
    other = alice.make()
    yes = asked(boss.post(MATCHES, rows("close", table.match)))
    boss.post(MATCHES, {**yes, "_selected_action": [other.pk]})
    mia = Client()
    mia.force_login(User.objects.create_superuser("mia"))
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


def test_a_yes_sent_again_does_nothing_twice(boss: Client, table: Table, report: Report) -> None:
    yes = {**asked(boss.post(page(report), {"do": "revoke"})), "csrfmiddlewaretoken": "x" * 64}
    boss.get(page(report))
    assert boss.post(page(report), yes).status_code == 302
    assert boss.post(page(report), yes).status_code == 302
    assert Measure.objects.count() == 1


def test_a_yes_of_yesterday_throws_out_nobody_who_sat_down_since(
    boss: Client, table: Table, report: Report
) -> None:
    """The seat passed to somebody else: the code of the page that was read fits no more."""
    yes = asked(boss.post(page(report), {"do": "revoke"}))
    boss.post(page(report), yes)
    seat = table.b
    with flow.locked_match(seat.match):
        flow.reseat(seat, link_hash="0" * 64)
    answer = boss.post(page(report), {**yes, "csrfmiddlewaretoken": "y" * 64})
    assert "Something has changed since you were asked" in text(answer)
    seat.refresh_from_db()
    assert seat.link_hash == "0" * 64 and Measure.objects.count() == 1


def test_who_may_not_act_is_not_even_asked(table: Table, report: Report) -> None:
    nobody = Client()
    nobody.force_login(User.objects.create_user("nobody", is_staff=True))
    for at, data in ((page(report), {"do": "close"}), (MATCHES, rows("close", table.match))):
        assert nobody.post(at, data).status_code in (403, 404)


def test_asking_and_doing_are_in_the_trail(boss: Client, table: Table, report: Report) -> None:
    before = Entry.objects.count()
    confirm(boss, page(report), {"do": "close"})
    told = list(Entry.objects.order_by("number").values_list("action", flat=True)[before:])
    assert told == ["asks", "measure-close"]


def test_it_says_that_a_match_is_over_already(boss: Client, table: Table) -> None:
    flow.resign(table.a)
    assert "is over already: nothing happens" in text(boss.post(MATCHES, rows("close", table.match)))


# Lifting on the page of one measure


def measure_page(measure: Measure) -> str:
    return reverse("admin:moderation_measure_change", args=[measure.pk])


def test_a_measure_is_lifted_on_its_own_page(boss: Client, report: Report) -> None:
    mute = measures.take("mute", None, report=report)
    assert "Lift the measure" in text(boss.get(measure_page(mute)))
    answer = boss.post(measure_page(mute), {"do": "lift"}, follow=True)
    assert "Lifted." in text(answer) and "Lift the measure" not in text(answer)
    mute.refresh_from_db()
    assert mute.lifted_at and Entry.objects.filter(action="measure-lift").count() == 1
    again = boss.post(measure_page(mute), {"do": "lift"}, follow=True)
    assert "has already ended" in text(again) and Entry.objects.filter(action="measure-lift").count() == 1


def test_what_cannot_be_undone_has_no_such_button(boss: Client, report: Report) -> None:
    closed = measures.take("close", None, report=report)
    assert "Lift the measure" not in text(boss.get(measure_page(closed)))
    assert "cannot be undone" in text(boss.post(measure_page(closed), {"do": "lift"}, follow=True))


def test_lifting_on_its_page_takes_the_same_right_as_in_the_list(report: Report) -> None:
    from django.contrib.auth.models import Permission

    mute = measures.take("mute", None, report=report)
    looker = User.objects.create_user("looker", is_staff=True)
    looker.user_permissions.set(Permission.objects.filter(codename="view_measure"))
    client = Client()
    client.force_login(looker)
    assert "Lift the measure" not in text(client.get(measure_page(mute)))
    assert client.post(measure_page(mute), {"do": "lift"}).status_code == 403
    mute.refresh_from_db()
    assert mute.lifted_at is None


def test_lifting_grants_an_objection_that_waits(boss: Client, table: Table, report: Report) -> None:
    mute = measures.take("mute", None, report=report)
    table.bob.post(mute.get_absolute_url(), {"words": "A toaster is a compliment"})
    assert Report.objects.get(what="objection").status == "open"
    boss.post(measure_page(mute), {"do": "lift"})
    assert Report.objects.get(what="objection").status == "dealt"
