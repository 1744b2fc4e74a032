"""The moderators' overview and desk."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games import newest
from robosite.matches import flow
from robosite.matches.models import Match
from robosite.moderation import measures
from robosite.moderation.models import Measure, Note, Report, Trace
from robosite.moderation.overview import HEIGHT, count
from robosite.moderation.traces import code_of
from robosite.people.models import Guest
from robosite.talk import turn_notes
from robosite.talk.models import Message, TurnNote
from robosite.trail import entries
from robosite.trail.entries import note
from robosite.trail.models import Entry, Tally
from tests.site.browsers import FIRST, OTHER, Table, asked, confirm, logged_in, text

QUEUE = "/admin/moderation/report/"


def staff(*rights: str, name: str = "mod") -> Client:
    user = User.objects.create_user(name, password="a long password", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return logged_in(user)


@pytest.fixture
def mod() -> Client:
    return staff(
        "view_report", "change_report", "add_measure", "view_measure", "change_measure", "view_guest"
    )


@pytest.fixture
def said(table: Table) -> Message:
    table.alice.do(table.a, "talk", text="Good evening")
    table.bob.do(table.b, "talk", text="You play like a toaster")
    table.alice.do(table.a, "talk", text="That was not nice")
    return Message.objects.get(text="You play like a toaster")


@pytest.fixture
def report(table: Table, said: Message) -> Report:
    given = {"about": f"message-{said.pk}", "reason": "insult", "words": "Please look"}
    table.alice.post(f"/report/{table.key}/", given)
    return Report.objects.get()


def page(report: Report) -> str:
    return reverse("admin:moderation_report_change", args=[report.pk])


def listed(mod: Client, query: str = "") -> str:
    return text(mod.get(f"{QUEUE}{query}"))


def test_what_waits_is_listed_most_reported_first(mod: Client, table: Table) -> None:
    def made(shown: str, subject: str, status: str = "open") -> None:
        Report.objects.create(
            shown=shown, subject=subject, what="match", made_at=timezone.now(), status=status
        )

    for shown, subject in (
        ("twice", "match 1"),
        ("twice", "match 1"),
        ("long ago", "match 2"),
        ("newer", "match 3"),
    ):
        made(shown, subject)
    made("settled", "match 4", "dealt")
    shown = listed(mod)
    assert shown.index("twice") < shown.index("newer") < shown.index("long ago")
    assert "settled" not in shown
    assert "settled" in listed(mod, "?status=dealt") and "newer" not in listed(mod, "?status=dealt")
    assert "settled" in listed(mod, "?status=all")


def test_one_view_has_all_there_is_to_a_report(mod: Client, table: Table, report: Report) -> None:
    measures.take("warn", None, guest=report.guest, why="Earlier")
    table.alice.post(f"/report/{table.key}/", {"about": "name-B", "reason": "other"})
    shown = text(mod.get(page(report)))
    for there in (
        "You play like a toaster", "Good evening", "That was not nice", "Please look", "by Alice",
        f'href="/m/{table.key}/"', "a warning", "a name: Something else",
    ):  # fmt: skip
        assert there in shown, there


def test_nothing_sealed_drafted_private_or_secret_is_in_it(mod: Client, three: Table) -> None:
    a, b, alice, bob = three.a, three.b, three.alice, three.bob
    links = alice.own_links(a)
    bob.do(b, "talk", text="Between us", to="A")
    bob.do(b, "talk", text="Aloud")
    flow.seal(b, 0, FIRST)
    flow.draft(a, 0, "TL TL")
    turn_notes.write(b, TurnNote.Kind.WORD, 0, "Gotcha")
    turn_notes.write(b, TurnNote.Kind.NOTE, 0, "Mine")
    alice.post(f"/report/{three.key}/", {"about": "seat-B", "reason": "unfair"})
    shown = text(mod.get(page(Report.objects.get())))
    assert "Aloud" in shown
    for hidden in ("Between us", FIRST, "TL TL", "Gotcha", "Mine", "/s/", *links.values()):
        assert hidden not in shown, hidden


def test_a_private_message_is_in_it_if_it_is_what_was_reported(mod: Client, table: Table) -> None:
    for words in ("First between us", "Second between us"):
        table.bob.do(table.b, "talk", text=words, to="A")
    about = f"message-{Message.objects.get(text='Second between us').pk}"
    table.alice.post(f"/report/{table.key}/", {"about": about, "reason": "insult"})
    shown = text(mod.get(page(Report.objects.get())))
    assert "Second between us" in shown and "First between us" not in shown


@pytest.mark.parametrize("kind", ["warn", "rename", "hide", "mute", "close", "revoke", "ban"])
def test_each_measure_is_one_button_away(mod: Client, table: Table, report: Report, kind: str) -> None:
    assert f'value="{kind}"' in text(mod.get(page(report)))
    given = {"do": kind, "reason": "insult", "why": "Not here", "days": "3", "name": "Quiet"}
    sends = mod.post if kind not in ("rename", "close", "revoke") else partial(confirm, mod)
    assert sends(page(report), given).status_code == 302
    made = Measure.objects.get()
    assert (made.kind, made.why, made.report) == (kind, "Not here", report)
    assert made.by == User.objects.get()
    assert (made.ends_at is not None) == (kind in ("mute", "ban"))
    report.refresh_from_db()
    assert report.status == "dealt"
    if kind == "rename":
        assert table.b.name == "Quiet"


def test_a_ban_can_hold_for_the_address_too(mod: Client, table: Table, report: Report) -> None:
    assert 'name="address_too"' in text(mod.get(page(report)))
    mod.post(page(report), {"do": "warn", "address_too": "1"})
    assert Measure.objects.get().code == ""
    given: Any = {"do": "ban", "days": "3", "address_too": "1"}
    refused = mod.post(page(report), given, follow=True)
    assert "from your own address" in text(refused) and not Measure.objects.filter(kind="ban").exists()
    mod.post(page(report), given, REMOTE_ADDR="198.51.100.1")
    made = Measure.objects.get(kind="ban")
    assert made.salt and made.code == code_of(made.salt, "127.0.0.1")
    assert "Bob, and the address" in text(mod.get("/admin/moderation/measure/"))
    assert '"address_too":true' in Entry.objects.order_by("-pk").filter(action="measure-ban").get().facts
    Trace.objects.all().delete()
    assert 'name="address_too"' not in text(mod.get(page(report)))


def test_dismissing_settling_and_opening_again_and_what_cannot_be_is_told(
    mod: Client, report: Report
) -> None:
    answer = mod.post(page(report), {"do": "unlist"}, follow=True)
    assert "not on the list of open tables" in text(answer) and not Measure.objects.exists()
    for do, status in (("", "open"), ("dismiss", "dismissed"), ("reopen", "open"), ("dealt", "dealt")):
        if do:
            mod.post(page(report), {"do": do})
        report.refresh_from_db()
        assert report.status == status


def test_notes_are_between_moderators(mod: Client, table: Table, report: Report) -> None:
    mod.post(page(report), {"do": "note", "note": "Third time this week"})
    assert Note.objects.get().by == User.objects.get()
    assert "Third time this week" in text(mod.get(page(report)))
    mod.post(page(report), {"do": "mute", "days": ""})
    told = Measure.objects.get().get_absolute_url()
    for browser, where in (
        (table.bob, told),
        (table.bob, "/me/export/"),
        (table.alice, report.get_absolute_url()),
    ):
        assert "Third time" not in text(browser.get(where))


def test_an_objection_is_dealt_with_by_lifting(mod: Client, table: Table, report: Report) -> None:
    mod.post(page(report), {"do": "mute", "days": "30"})
    mute = Measure.objects.get()
    table.bob.post(mute.get_absolute_url(), {"words": "A toaster is a compliment"})
    objection = Report.objects.get(what="objection")
    shown = text(mod.get(page(objection)))
    assert "A toaster is a compliment" in shown and 'value="lift"' in shown and page(report) in shown
    mod.post(page(objection), {"do": "lift"})
    assert not Measure.objects.get().is_in_force
    assert set(Report.objects.values_list("status", flat=True)) == {"dealt"}
    assert "It has been lifted." in text(table.bob.get(mute.get_absolute_url()))


def test_many_reports_and_many_measures_are_dealt_with_at_once(
    mod: Client, table: Table, report: Report
) -> None:
    table.alice.post(f"/report/{table.key}/", {"about": "seat-B", "reason": "unfair"})
    rows = list(Report.objects.values_list("pk", flat=True))
    other = Report.objects.create(subject="match 1", what="match", made_at=timezone.now())
    mod.post(QUEUE, {"action": "dismiss", "_selected_action": [other.pk]})
    mod.post(QUEUE, {"action": "mute", "_selected_action": rows, "days": "30", "why": "Enough"})
    mute = Measure.objects.get()  # one for both: they are about the same guest
    assert mute.why == "Enough" and mute.guest == Guest.objects.get(name="Bob") and mute.ends_at
    assert set(Report.objects.filter(pk__in=rows).values_list("status", flat=True)) == {"dealt"}
    other.refresh_from_db()
    assert other.status == "dismissed"
    made = [mute, *(measures.take(kind, None, report=report) for kind in ("ban", "warn"))]
    given = {"action": "lift", "_selected_action": [one.pk for one in made]}
    mod.post("/admin/moderation/measure/", given)
    assert not Measure.objects.filter(lifted_at=None).exists()


def test_a_range_is_banned_but_not_ones_own(mod: Client) -> None:
    at = reverse("admin:moderation_measure_range")
    assert at in text(mod.get("/admin/moderation/measure/"))
    for network, says in (("127.0.0.0/8", "Your own address"), ("here", "Type an address")):
        answer = mod.post(at, {"network": network, "days": "7", "why": "Open proxies"})
        assert answer.status_code == 200 and says in text(answer)
    assert not Measure.objects.exists()
    assert mod.post(at, {"network": "203.0.113.9/24", "days": "7", "why": "Open proxies"}).status_code == 302
    made = Measure.objects.get()
    assert made.network == "203.0.113.0/24" and made.ends_at and made.by
    assert not [one for one in Entry.objects.all() if "203.0.113" in one.facts + one.subject]


def test_who_may_only_look_does_nothing_and_who_may_nothing_sees_nothing(report: Report) -> None:
    looker, nobody = staff("view_report", "view_measure"), staff(name="nobody")
    shown = text(looker.get(page(report)))
    assert "toaster" in shown and 'name="do"' not in shown
    for do in ("mute", "dismiss", "note", "lift"):
        answer = looker.post(page(report), {"do": do, "note": "x"})
        assert answer.status_code == 403, do
    ranges = reverse("admin:moderation_measure_range")
    assert looker.post(ranges, {"network": "10.0.0.0/24"}).status_code == 403
    looker.post(QUEUE, {"action": "mute", "_selected_action": [report.pk]})
    assert nobody.get(page(report)).status_code == 403
    for do in ("mute", "close"):
        assert nobody.post(page(report), {"do": do}).status_code in (403, 404)
    report.refresh_from_db()
    assert report.status == "open" and not Measure.objects.exists() and not Note.objects.exists()


def test_each_look_and_each_deed_is_in_the_trail(mod: Client, report: Report) -> None:
    before = Entry.objects.count()
    mod.get(page(report))
    mod.post(page(report), {"do": "mute", "days": "7"})
    mod.post(page(report), {"do": "note", "note": "Hm"})
    measures.lift(Measure.objects.get(), User.objects.get())
    told = Entry.objects.order_by("number")[before:]
    assert [one.action for one in told] == ["look", "measure-mute", "report-note", "measure-lift"]
    assert {one.who.split()[-1] for one in told} == {"mod"}
    assert not [one for one in told if "toaster" in one.facts or "Bob" in one.facts]


PROGRAM = "F F F F F"


@pytest.fixture
def staff_moderation() -> Client:
    return logged_in(User.objects.create_superuser("mod", password="a long password"))


def close(client: Client, match: Match) -> str:
    data = {"action": "close", "_selected_action": [match.pk]}
    page = reverse("admin:matches_match_changelist")
    asks = client.post(page, data)
    if asks.status_code != 200:
        return asks.content.decode()
    return client.post(page, asked(asks), follow=True).content.decode()


def test_a_match_is_closed_in_the_middle_of_a_round_by_who_may(
    staff_moderation: Client, table: Table
) -> None:
    table.play((OTHER, OTHER))
    flow.seal(table.a, 1, PROGRAM)
    looker = staff("view_match", name="looker")
    data = {"action": "close", "_selected_action": [table.match.pk]}
    assert 'name="sure"' not in text(looker.post(reverse("admin:matches_match_changelist"), data))
    assert table.match.status == "playing"
    assert "Closed: 1." in close(staff_moderation, table.match)
    assert (table.match.status, table.match.turn, table.match.outcome_json) == ("aborted", 1, None)
    with pytest.raises(flow.Refused, match="over"):
        flow.seal(table.b, 1, PROGRAM)
    assert flow.draft_of(table.match, table.a) == PROGRAM
    Match.objects.update(status="over")
    assert "already over" in close(staff_moderation, table.match) and table.match.status == "over"


def test_the_admin_shows_no_draft_and_no_sealed_order(staff_moderation: Client, table: Table) -> None:
    flow.draft(table.a, 0, "v v v v v")
    receipt = flow.seal(table.b, 0, PROGRAM)
    program, draft = table.b.programs.get(), table.a.programs.get()
    pages = [
        reverse("admin:matches_program_changelist"),
        reverse("admin:matches_program_change", args=[program.pk]),
        reverse("admin:matches_match_change", args=[table.match.pk]),
    ]
    shown = "".join(staff_moderation.get(page).content.decode() for page in pages)
    assert receipt.seal in shown
    assert PROGRAM not in shown
    assert "v v v v v" not in shown
    assert staff_moderation.get(reverse("admin:matches_program_change", args=[draft.pk])).status_code == 302


def play() -> None:
    """A match of which one order is sealed, and that is over then."""
    pigs = newest("pigs")
    match, alice, invite = flow.create(pigs, pigs.read_options({}), 2, "Alice")
    flow.join(match, "Bob", invite=invite)
    flow.seal(alice.seat, 0, "TL TL TL TL TL")
    alice.seat.refresh_from_db()
    flow.resign(alice.seat)


def rows() -> dict[str, list[int]]:
    return {row.name: list(row.counts) for row in count().rows}


def test_each_day_is_counted_in_the_sites_time_zone(time: Any) -> None:
    time.present = time.present.replace(hour=12)
    Tally.objects.create(day=entries.today() - timedelta(days=1), what=entries.ERRORS, count=4)
    Tally.objects.create(day=entries.today() - timedelta(days=30), what=entries.ERRORS, count=9)
    play()
    time.pass_(days=1)
    play()
    play()
    told = rows()
    assert told["Matches created"] == [0] * 12 + [1, 2]
    assert told["Matches finished"] == [0] * 12 + [1, 2]
    assert told["Orders sealed"][:12] == [0] * 12
    assert told["Requests that failed"] == [0] * 11 + [4, 0, 0]
    time.pass_(days=13)
    assert rows()["Matches created"] == [2] + [0] * 13


def test_the_highest_bar_is_as_high_as_the_drawing_and_a_small_number_is_seen(time: Any) -> None:
    for back, n in enumerate((1, 1000, 0)):
        Tally.objects.create(day=entries.today() - timedelta(days=back), what=entries.ERRORS, count=n)
    *_, before, most, one = count().rows[-1].bars
    assert (before.height, most.height, most.y, one.height) == (0, HEIGHT, 0, 1)


def test_the_front_page_draws_it_tells_the_numbers_as_a_table_and_the_trail_to_who_may_read_it() -> None:
    play()
    boss = User.objects.create_superuser("boss")
    note(boss, "look", "match:k3v9qx7m2abc")
    page = logged_in(boss).get(reverse("admin:index")).content.decode()
    assert 'aria-label="Matches created, day by day: 1 at most"' in page
    assert len(re.findall(r"<svg", page)) >= 4 and "style=" not in page and "<script>" not in page
    assert re.search(r"<th scope=\"row\">Matches created</th>\s*<td>1</td>\s*<td>0</td>", page)
    assert "Each day in numbers" in page
    assert "match:k3v9qx7m2abc" in page
    other = text(staff().get(reverse("admin:index")))
    assert "Matches created" in other and "k3v9qx7m2abc" not in other


def measure_page(measure: Measure) -> str:
    return reverse("admin:moderation_measure_change", args=[measure.pk])


def test_a_measure_is_lifted_on_its_own_page_if_it_can_be_undone(
    staff_moderation: Client, table: Table, report: Report
) -> None:
    mute = measures.take("mute", None, report=report)
    table.bob.post(mute.get_absolute_url(), {"words": "A toaster is a compliment"})
    assert Report.objects.get(what="objection").status == "open"
    assert "Lift the measure" in text(staff_moderation.get(measure_page(mute)))
    answer = staff_moderation.post(measure_page(mute), {"do": "lift"}, follow=True)
    assert "Lifted." in text(answer) and "Lift the measure" not in text(answer)
    assert Report.objects.get(what="objection").status == "dealt"
    mute.refresh_from_db()
    assert mute.lifted_at and Entry.objects.filter(action="measure-lift").count() == 1
    again = staff_moderation.post(measure_page(mute), {"do": "lift"}, follow=True)
    assert "has already ended" in text(again) and Entry.objects.filter(action="measure-lift").count() == 1
    closed = measures.take("close", None, report=report)
    assert "Lift the measure" not in text(staff_moderation.get(measure_page(closed)))
    assert "cannot be undone" in text(
        staff_moderation.post(measure_page(closed), {"do": "lift"}, follow=True)
    )


def test_lifting_on_its_page_takes_the_same_right_as_in_the_list(report: Report) -> None:
    mute = measures.take("mute", None, report=report)
    client = staff("view_measure")
    assert "Lift the measure" not in text(client.get(measure_page(mute)))
    assert client.post(measure_page(mute), {"do": "lift"}).status_code == 403
    mute.refresh_from_db()
    assert mute.lifted_at is None
