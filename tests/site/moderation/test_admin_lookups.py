"""Looking people up, letters that are answered, and names in the admin."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import Group, User
from django.db import connection
from django.db.models import Model
from django.db.models.expressions import RawSQL
from django.test import Client
from django.urls import reverse

from robosite.leagues.models import League, Place
from robosite.matches import flow
from robosite.matches.models import Match, Seat
from robosite.moderation import watched
from robosite.moderation.admin import MatchAdmin
from robosite.moderation.models import Measure, Report
from robosite.notices.models import Channel
from robosite.people import personal_data
from robosite.people.current_guest import forget_step_of_oldest
from robosite.people.models import Guest
from robosite.talk import turn_notes
from robosite.talk.models import Message, TurnNote
from robosite.trail.models import Entry
from robosite.web.written_names import FIRST as FIRST_OF_NAME
from robosite.web.written_names import LAST as LAST_OF_NAME
from tests.games.cases import size
from tests.site.browsers import FIRST, OTHER, Browser, Table, asked, guest, has_word, logged_in, text
from tests.site.routes import asks
from tests.site.world import world

pytestmark = pytest.mark.usefixtures("staff_groups")


EVERY_PAGE = list(admin.site._registry.values())
LOOKUPS = ("", "exact", "iexact", "startswith", "gt", "lt", "in", "isnull", "regex", "contains", "range")
NAMES = ("name", "key", "number", "username", "match")
"""The text by which a row is named wherever it is shown."""
ON_ITS_PAGE = {"report": {"number", "shown", "guest"}, "measure": {"number", "network", "guest", "ends_at"}}
"""The columns that the pages of reports and measures show in their own words."""


def member(*groups: str) -> Client:
    user = User.objects.create_user(f"a {' and '.join(groups)}", is_staff=True)
    user.groups.set(Group.objects.filter(name__in=groups))
    return logged_in(user)


@pytest.fixture
def moderator() -> Client:
    return member("moderator")


@pytest.fixture
def boss() -> Client:
    return logged_in(User.objects.create_superuser("boss"))


def paths(model: type[Model], deep: int = 2) -> Iterator[str]:
    """Every column of a model, and of all that it leads to, as lookups name them."""
    for field in model._meta.get_fields():
        if field.is_relation and field.related_model and deep:
            yield field.name
            yield from (f"{field.name}__{inner}" for inner in paths(field.related_model, deep - 1))  # type: ignore[arg-type]
        else:
            yield field.name


def declared(page: ModelAdmin[Any]) -> set[str]:
    """The columns by which the page's own filters ask."""
    names = {one if isinstance(one, str) else str(one.parameter_name) for one in page.list_filter}
    return names | ({page.date_hierarchy} if page.date_hierarchy else set())


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: page.opts.label_lower)
def test_no_page_filters_sorts_or_searches_by_what_it_does_not_show(rf: Any, page: ModelAdmin[Any]) -> None:
    request = rf.get("/")
    request.user = User.objects.create_superuser("boss")
    allowed = {
        lookup
        for path in paths(page.model)
        for lookup in (f"{path}__{how}".removesuffix("__") for how in LOOKUPS)
        if page.lookup_allowed(lookup, "x", request)
    }
    assert {lookup.removesuffix("__id__exact").partition("__")[0] for lookup in allowed} <= declared(page)
    assert not [lookup for lookup in allowed if lookup.endswith(("startswith", "regex", "contains", "range"))]
    assert not [one for one in allowed if one.count("__") > 1 and not one.endswith("__id__exact")]
    changelist: ChangeList = page.get_changelist_instance(request)
    sorts = {changelist.get_ordering_field(name) for name in changelist.list_display}
    by = {str(one).lstrip("-") for one in sorts if one} | {
        one.lstrip("=^@") for one in page.get_search_fields(request)
    }
    shown = {*page.list_display, *map(str, page.get_fields(request))}
    shown |= ON_ITS_PAGE.get(str(page.opts.model_name), set())
    for path in by:
        first, _, rest = path.partition("__")
        assert path in shown or (rest.rpartition("__")[2] in NAMES if rest else False), path
        assert first in (*shown, "seats", "match", "seat", "guest", "times"), path


@pytest.mark.parametrize(
    "lookup", ["email__startswith", "email__isnull", "phrase_hash__gt", "round", "pk__in"]
)
def test_a_moderator_learns_nothing_of_a_guest_by_asking(moderator: Client, lookup: str) -> None:
    Guest.objects.create(name="Gus", email="gus@robots.example", phrase_hash="scrypt$1")
    page = reverse("admin:people_guest_changelist")
    assert "Gus" in moderator.get(page).content.decode()
    answer = moderator.get(page, {lookup: "gus"})
    assert answer.status_code == 400 and not has_word(answer.content.decode(), "Gus")


@pytest.mark.integration
@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: page.opts.label_lower)
def test_every_filter_that_a_page_offers_works(boss: Client, page: ModelAdmin[Any]) -> None:
    """Also after it was clicked, with whatever links it shows then."""
    at = reverse(f"admin:{page.opts.app_label}_{page.opts.model_name}_changelist")
    seen: set[str] = set()
    left = [""]
    while left and len(seen) < 60:
        query = left.pop()
        seen.add(query)
        answer = boss.get(at + query)
        assert answer.status_code == 200, query
        for spec in answer.context_data["cl"].filter_specs:
            offered = [c["query_string"] for c in spec.choices(answer.context_data["cl"])]
            some = size({*offered[:2], *offered[-1:]}, {*offered})
            left += [one for one in offered if one in some - seen and one.count("=") == 1]


@pytest.mark.parametrize("to_field", ["email", "phrase_hash", "name", "link_hash"])
@pytest.mark.parametrize("flag", ["_popup", "_to_field"])
def test_popups_lead_to_no_hidden_column(moderator: Client, to_field: str, flag: str) -> None:
    Guest.objects.create(name="Gus", email="gus@robots.example")
    page = reverse("admin:people_guest_changelist")
    answer = moderator.get(
        page, {"_popup": "1", "_to_field": to_field} if flag == "_popup" else {flag: to_field}
    )
    assert answer.status_code == 400 and "gus@" not in answer.content.decode()
    found = reverse("admin:people_guest_change", args=["gus@robots.example"])
    assert moderator.get(found, {"_to_field": to_field}).status_code in (400, 302)


def test_a_search_finds_a_key_or_a_whole_name_in_whatever_case(boss: Client, table: Table) -> None:
    def found(page: str, term: str) -> int:
        answer = boss.get(reverse(f"admin:{page}_changelist"), {"q": term})
        return int(answer.context_data["cl"].result_count)

    table.play((OTHER, OTHER))
    for term in (table.key, "alice", " Alice "):
        assert found("matches_match", term) == 1
    assert found("matches_match", "Ali") == found("matches_match", table.key[:-1]) == 0
    assert found("matches_seat", table.key) == 2 and found("matches_seat", "bob") == 1
    assert found("matches_program", table.key) == 2 and found("matches_program", "bob") == 1
    assert found("people_guest", "alice") == 1 and found("people_guest", "ali") == 0


def test_a_long_list_counts_up_to_a_bound_and_can_be_gone_through_by_days(
    boss: Client, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched, "MOST_COUNTED", 1)
    answer = boss.get(reverse("admin:matches_seat_changelist"))
    assert answer.context_data["cl"].result_count == 1
    at = reverse("admin:moderation_report_changelist")
    assert boss.get(at, {"made_at__year": "2026", "made_at__month": "11"}).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_list_that_takes_too_long_is_given_up(boss: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite does not watch over statements")
    monkeypatch.setattr(watched, "SECONDS", 0.05)
    slow = RawSQL("SELECT 1 FROM pg_sleep(1)", ())
    rows = Match.objects.annotate(slow=slow).filter(slow=1)
    monkeypatch.setattr(MatchAdmin, "get_queryset", lambda page, request: rows)
    Match.objects.create(game_slug="pigs", rules=1)
    answer = boss.get(reverse("admin:matches_match_changelist"))
    assert answer.status_code == 503 and "takes too long" in answer.content.decode()
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)


GUESTS = "/admin/people/guest/"


@pytest.fixture
def host() -> Client:
    return member("host")


def page(guest: Guest) -> str:
    return reverse("admin:people_guest_change", args=[guest.pk])


def test_a_host_finds_the_guest_of_a_letter_and_takes_no_measures(host: Client, table: Table) -> None:
    bob = guest("Bob")
    Guest.objects.filter(pk=bob.pk).update(email="bob@example.org")
    for term in ("bob", table.key, "Bob@Example.org"):
        assert page(bob) in text(host.get(GUESTS, {"q": term})), term
    for term in ("bob@example", "nobody@example.org", "xyz"):
        assert page(bob) not in text(host.get(GUESTS, {"q": term})), term
    shown = text(host.get(page(bob)))
    assert str(table.match) in shown and "bob@example.org" not in shown
    host.post(GUESTS, {"action": "ban", "_selected_action": [guest("Bob").pk], "days": "7"})
    assert not Entry.objects.filter(action="measure-ban").exists()


def test_a_moderator_finds_nobody_by_an_address_and_has_no_such_buttons(
    moderator: Client, table: Table
) -> None:
    bob = guest("Bob")
    Guest.objects.filter(pk=bob.pk).update(email="bob@example.org")
    assert page(bob) not in text(moderator.get(GUESTS, {"q": "bob@example.org"}))
    shown = text(moderator.get(page(bob)))
    assert 'value="export"' not in shown and 'value="erase"' not in shown
    for do in ("export", "erase"):
        assert moderator.post(page(bob), {"do": do}).status_code == 403
    assert Guest.objects.filter(pk=bob.pk, leaving_at=None).exists()
    assert not Entry.objects.filter(action__in=("export-guest", "erase-guest")).exists()


def test_the_export_is_the_guests_own(host: Client, table: Table) -> None:
    table.play((FIRST, OTHER))
    table.bob.do(table.b, "talk", text="Well played")
    bob = guest("Bob")
    answer = host.post(page(bob), {"do": "export"})
    assert answer["Content-Disposition"].startswith("attachment") and "no-store" in answer["Cache-Control"]
    told, own = json.loads(answer.content), table.bob.get("/me/export/").json()
    assert told.pop("left_out") == personal_data.LEFT_OUT
    assert told == own and OTHER in json.dumps(told)
    entry = Entry.objects.order_by("-number")[0]
    assert (entry.action, entry.subject) == ("export-guest", f"guest:{bob.pk}")


def test_nothing_sealed_private_or_secret_is_in_it(host: Client, table: Table) -> None:
    bob = guest("Bob")
    flow.draft(table.b, 0, "v v v v v")
    secrets = ["v v v v v"]
    turn_notes.write(table.b, TurnNote.Kind.WORD, 0, "Wordlast")
    turn_notes.write(table.b, TurnNote.Kind.NOTE, 0, "Notemine")
    table.bob.do(table.b, "talk", text="Whispered", to="A")
    way = Channel(guest=bob, kind=Channel.Kind.NTFY)
    way.store_secret("https://ntfy.example/topicsecret")
    way.save()
    secrets += ["Wordlast", "Notemine", "Whispered", "topicsecret"]
    told = host.post(page(bob), {"do": "export"}).content.decode()
    own = table.bob.get("/me/export/").content.decode()
    assert all(one in own for one in secrets[1:]), "they’re there, and the guest may read them"
    flow.seal(table.b, 0, OTHER)
    told += host.post(page(bob), {"do": "export"}).content.decode()
    for secret in (*secrets, OTHER):
        assert secret not in told, secret
    flow.seal(table.a, 0, FIRST)
    told = host.post(page(bob), {"do": "export"}).content.decode()
    assert "Wordlast" in told and OTHER in told and "Notemine" not in told  # revealed to everybody


def test_erasing_asks_first_and_is_what_forgetting_is(host: Client, table: Table, alice: Browser) -> None:
    """Orders and messages stay under another name; notes go; the trail has the number."""
    table.play((FIRST, OTHER))
    table.bob.do(table.b, "talk", text="Call me Bobby")
    turn_notes.write(table.b, TurnNote.Kind.NOTE, 0, "Mine")
    bob = guest("Bob")
    answer = host.post(page(bob), {"do": "erase"})
    shown = text(answer)
    assert "You resign from one running match" in shown and "Your turns stay" in shown
    assert host.post(page(bob), {"do": "erase", "sure": "1"}).status_code == 200
    other = alice.make()  # Bob sits down there meanwhile: what the page said is not all that happens
    table.bob.join(alice.own_links(other.seats.get(letter="A"))["invite"])
    answer = host.post(page(bob), asked(answer))
    assert "Something has changed" in text(answer) and "2 running matches" in text(answer)
    assert Guest.objects.filter(pk=bob.pk, leaving_at=None).exists()
    yes = asked(answer)
    assert host.post(page(bob), yes).status_code == 302
    while forget_step_of_oldest():
        pass
    assert not Guest.objects.filter(pk=bob.pk).exists()
    seat = Seat.objects.get(match=table.match, letter="B")
    assert seat.name == "Somebody" and seat.programs.get(turn=0).order == OTHER
    said = table.match.messages.get()
    assert (said.name, said.text) == ("Somebody", "Call me Bobby")
    assert not TurnNote.objects.filter(seat=seat).exists()
    assert "Welcome" in text(table.bob.get("/me/"))
    assert host.post(page(bob), yes).status_code == 404
    acts = list(Entry.objects.filter(subject=f"guest:{bob.pk}").values_list("action", flat=True))
    assert acts.count("erase-guest") == 1 and "Bob" not in "".join(one.text for one in Entry.objects.all())


HEBREW = "שרה"
ISOLATED = re.compile(rf"<bdi>[^<]*</bdi>|{FIRST_OF_NAME}[^{FIRST_OF_NAME}{LAST_OF_NAME}<>]*{LAST_OF_NAME}")
ALONE = re.compile(
    rf"""<(?:t[dh]|dd|div|p|blockquote|li)\b[^>]*>\s*(?:<a\b[^>]*>)?{HEBREW}\s*(?:</a>\s*)?(?=</(?!a>))"""
    rf"""|<(?:input|option|textarea)\b[^>]*>(?:{HEBREW})?"""
)
"""A name that has a cell, a line or a field to itself."""


def in_company(page: str) -> list[str]:
    """The places where the name stands beside other words without an isolate, with what is around it."""
    rest = ALONE.sub("", ISOLATED.sub("", html.unescape(page)))
    return [rest[max(0, found.start() - 60) : found.end() + 40] for found in re.finditer(HEBREW, rest)]


def test_no_page_of_the_admin_has_a_name_beside_other_words_without_an_isolate() -> None:
    there = world()
    Seat.objects.exclude(name="").update(name=HEBREW)
    Guest.objects.exclude(name="").update(name=HEBREW)
    Message.objects.update(name=HEBREW)
    League.objects.update(name=HEBREW)
    Place.objects.exclude(name="").update(name=HEBREW)
    assert Report.objects.exists() and Measure.objects.exists()
    seen, wrong = 0, {}
    for ask in asks(there):
        if not ask.name.startswith("admin:"):
            continue
        answer = there.ask("staff", ask)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            page = answer.content.decode()
            seen += HEBREW in page
            if found := in_company(page):
                wrong[ask.path] = found
    assert wrong == {}
    assert seen >= 15
    seat = Seat.objects.filter(name=HEBREW, holds__isnull=False).order_by("pk")[0]
    for kind in ("revoke", "rename"):
        data = {"action": kind, "_selected_action": [seat.pk], "name": "Zoe"}
        page = there.people["staff"].post(reverse("admin:matches_seat_changelist"), data).content.decode()
        assert HEBREW in page and in_company(page) == [], "what a measure will do"
