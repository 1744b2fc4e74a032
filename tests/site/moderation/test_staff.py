"""Staff: its login, and what the trail tells of whatever is looked at and done in the admin."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from robosite.matches import flow
from robosite.matches.models import Match
from robosite.moderation import second_factor
from robosite.moderation.models import SecondFactor
from robosite.moderation.watched import MOST, Watched
from robosite.trail.entries import ChainCheck, note
from robosite.trail.models import Entry
from tests.site.browsers import Browser, Table, confirm, logged_in, sit_down
from tests.site.conftest import Time

PASSWORD = "six wet robots"
EVERY_PAGE = list(admin.site._registry.values())


@pytest.fixture
def boss() -> User:
    return User.objects.create_superuser("boss", password=PASSWORD)


@pytest.fixture
def client(boss: User) -> Client:
    return logged_in(boss)


def trail() -> list[tuple[str, str]]:
    return list(Entry.objects.order_by("number").values_list("action", "subject"))


def facts() -> dict[str, Any]:
    """The facts of the newest entry."""
    return dict(json.loads(Entry.objects.latest("number").facts))


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: page.opts.label_lower)
def test_every_page_of_the_admin_is_watched_and_adds_and_deletes_nothing(
    client: Client, boss: User, rf: Any, page: ModelAdmin[Any]
) -> None:
    assert isinstance(page, Watched)
    request = rf.get("/")
    request.user = boss
    assert not page.has_add_permission(request) and not page.has_delete_permission(request)
    assert "delete_selected" not in page.get_actions(request)
    assert not page.list_editable
    for inline in page.get_inline_instances(request):
        assert not inline.has_add_permission(request, None) and not inline.has_delete_permission(request)
        assert not inline.has_change_permission(request)
    name = f"admin:{page.opts.app_label}_{page.opts.model_name}"
    assert client.get(reverse(f"{name}_add")).status_code == 403
    assert client.post(reverse(f"{name}_add"), {}).status_code == 403
    note(boss, "look", "trail")
    newest_row = page.model._default_manager.order_by("-pk").first()
    if newest_row is not None:
        gone = client.post(reverse(f"{name}_delete", args=[newest_row.pk]), {"post": "yes"})
        assert gone.status_code == 403
    if page.model is not User:  # a superuser says who is staff
        assert not page.has_change_permission(request)
    before = Entry.objects.count()
    assert client.get(reverse(f"{name}_changelist")).status_code == 200
    assert trail()[before:] == [("list", page.opts.model_name)]


def test_every_look_is_in_the_trail(client: Client, table: Table) -> None:
    client.get(reverse("admin:matches_match_changelist"), {"q": "Alice", "status__exact": "playing"})
    assert facts() == {"searched": True, "given": ["status__exact"]}
    client.get(reverse("admin:matches_match_change", args=[table.match.pk]))
    client.get(reverse("admin:matches_seat_change", args=[table.a.pk]))
    assert trail() == [("list", "match"), ("look", f"match:{table.key}"), ("look", f"seat:{table.a.pk}")]
    assert "Alice" not in "".join(Entry.objects.values_list("facts", flat=True))
    assert set(Entry.objects.values_list("who", flat=True)) == {f"staff:{User.objects.get().pk} boss"}
    history = client.get(reverse("admin:matches_match_history", args=[table.match.pk]), follow=True)
    said = history.content.decode()
    assert history.status_code == 200 and f"match:{table.key}" in said and "look" in said


def test_a_look_that_cannot_be_noted_is_none(
    client: Client, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Entry, *args: Any, **given: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Entry, "save", full)
    client.raise_request_exception = False
    for page in (
        reverse("admin:matches_match_change", args=[table.match.pk]),
        reverse("admin:matches_match_changelist"),
    ):
        answer = client.get(page)
        assert answer.status_code == 500
        assert table.key not in answer.content.decode()


def test_there_is_no_look_past_the_trail_and_who_may_not_look_leaves_no_entry(
    client: Client, table: Table
) -> None:
    """Django's search of related rows, and its way from a row's number to a page, would note nothing."""
    asked = {"app_label": "matches", "model_name": "hold", "field_name": "guest", "term": "Alice"}
    assert client.get(reverse("admin:autocomplete"), asked).status_code == 403
    for row in (table.match, table.a):
        kind = ContentType.objects.get_for_model(row)
        assert client.get(f"/admin/r/{kind.pk}/{row.pk}/").status_code == 404
    looker = logged_in(User.objects.create_user("looker", is_staff=True))
    assert looker.get(reverse("admin:matches_match_change", args=[table.match.pk])).status_code == 403
    assert not trail()


def act(client: Client, *matches: Match) -> Any:
    data = {"action": "close", "_selected_action": [match.pk for match in matches]}
    return confirm(client, reverse("admin:matches_match_changelist"), data)


def test_an_action_is_noted_as_asked_and_as_done_and_is_for_so_many_at_once(
    client: Client, table: Table, charlie: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, ended = table.match, sit_down(charlie, table.bob, table.alice)
    monkeypatch.setattr("robosite.moderation.watched.MOST", 1)
    assert MOST == 100
    data = {"action": "close", "_selected_action": [one.pk, ended.match.pk]}
    client.post(reverse("admin:matches_match_changelist"), data)
    assert not trail()
    assert set(Match.objects.values_list("status", flat=True)) == {"playing"}
    monkeypatch.undo()
    flow.resign(ended.a)
    act(client, one, ended.match)
    both = [("asks", f"match:{one.key}"), ("asks", f"match:{ended.key}")]
    assert sorted(trail()[:4]) == sorted(both * 2)  # for the page that asks, and with the yes
    assert trail()[4:] == [("close", f"match:{one.key}")]
    assert json.loads(Entry.objects.get(number=1).facts) == {"action": "close"}
    assert json.loads(Entry.objects.get(number=3).facts) == {"action": "close", "sure": True}
    assert not ChainCheck().fault


def test_a_superuser_says_who_is_staff_and_it_is_noted_as_new_passwords_are(
    client: Client, boss: User
) -> None:
    mia = User.objects.create_user("mia", is_staff=True)
    group, _ = Group.objects.get_or_create(name="moderator")
    page = reverse("admin:auth_user_change", args=[mia.pk])
    flags = dict.fromkeys(("is_active", "is_staff", "is_superuser"), "on")
    assert client.post(page, {**flags, "username": "eve", "groups": [group.pk]}).status_code == 302
    mia.refresh_from_db()
    assert (mia.username, mia.is_superuser, list(mia.groups.all())) == ("mia", False, [group])
    assert trail()[-1] == ("change", f"user:{mia.pk}")
    assert facts()["groups"] == ["moderator"] and facts()["active"] is True
    client.post(page, {"is_staff": "on"})
    assert facts()["active"] is False and facts()["groups"] == []
    new = {"password1": "seven dry robots", "password2": "seven dry robots"}
    page = reverse("admin:auth_user_password_change", args=[mia.pk])
    assert client.post(page, {**new, "usable_password": "true"}).status_code == 302
    assert trail()[-1] == ("change", f"user:{mia.pk}")
    own = {"old_password": PASSWORD, "new_password1": "eight odd robots", "new_password2": "eight odd robots"}
    assert client.post(reverse("admin:password_change"), own).status_code == 302
    assert trail()[-1] == ("password", f"user:{boss.pk}")
    assert "robots" not in "".join(entry.text for entry in Entry.objects.all())


def test_nobody_but_a_superuser_sees_accounts() -> None:
    mia = User.objects.create_user("mia", is_staff=True)
    mia.user_permissions.set(Permission.objects.filter(content_type__app_label="auth"))
    client = logged_in(mia)
    assert client.get(reverse("admin:auth_user_changelist")).status_code == 403
    for page in ("auth_user_change", "auth_user_password_change"):
        assert client.get(reverse(f"admin:{page}", args=[mia.pk])).status_code == 403


def test_the_list_of_accounts_shows_groups_and_second_factors_and_finds_by_them(
    client: Client, staff_groups: None
) -> None:
    for name, group in (("mia", "moderator"), ("hal", "host")):
        call_command("staff", name, "--group", group, stdout=io.StringIO())
    second_factor.begin(User.objects.get(username="hal"))  # not set up yet
    factor = second_factor.begin(User.objects.get(username="mia"))
    SecondFactor.objects.filter(pk=factor.pk).update(confirmed=True)
    page = reverse("admin:auth_user_changelist")

    def listed(query: str = "") -> dict[str, tuple[str, bool]]:
        shown = client.get(page + query).content.decode()
        rows = re.findall(
            r'>(\w+)</a></th><td class="field-rights">([^<]*)</td>'
            r'<td class="field-has_second_factor"><img [^>]*alt="(\w+)"',
            re.sub(r">\s+<", "><", shown),
        )
        return {name: (rights, has_one == "True") for name, rights, has_one in rows}

    assert listed() == {"boss": ("superuser", False), "hal": ("host", False), "mia": ("moderator", True)}
    host = Group.objects.get(name="host")
    assert list(listed(f"?groups__id__exact={host.pk}")) == ["hal"]
    assert list(listed("?factor=1")) == ["mia"] and sorted(listed("?factor=0")) == ["boss", "hal"]


def log_in(client: Client, name: str = "boss", password: str = "wrong", at: str = "192.0.2.1") -> Any:
    data = {"username": name, "password": password, "next": "/admin/"}
    return client.post(reverse("admin:login"), data, REMOTE_ADDR=at)


def test_logins_are_noted_good_ones_and_refused_ones(boss: User) -> None:
    client = Client()
    log_in(client)
    log_in(client, "six wet robots")
    log_in(client, password=PASSWORD)
    client.post(reverse("admin:logout"))
    me = f"user:{boss.pk}"
    assert trail() == [
        ("login-refused", me),
        ("login-refused", "user:unknown"),
        ("login", me),
        ("logout", me),
    ]
    told = "".join(entry.text for entry in Entry.objects.all())
    assert "wrong" not in told and "robots" not in told and "192.0.2.1" not in told


def test_an_address_may_not_try_as_often_as_it_likes(boss: User, limited: None) -> None:
    assert {log_in(Client(), password=PASSWORD).status_code for _ in range(30)} == {302}
    client = Client()
    answers = [log_in(client) for _ in range(9)]
    assert [answer.status_code for answer in answers] == [200] * 8 + [429]
    assert 0 < int(answers[-1]["Retry-After"]) <= 960 + 120
    assert "network" in answers[-1].content.decode()
    assert log_in(client, password=PASSWORD).status_code == 429  # the right one does not help
    assert Entry.objects.filter(action="login-refused").count() == 8
    assert log_in(Client(), password=PASSWORD, at="192.0.2.2").status_code == 302


def test_a_name_may_not_be_tried_from_everywhere(boss: User, limited: None) -> None:
    home = Client()
    assert log_in(home, password=PASSWORD, at="198.51.100.1").status_code == 302
    home.post(reverse("admin:logout"))
    answers = (log_in(Client(), "BOSS", at=f"192.0.2.{n}") for n in range(60))  # some are forgiven meanwhile
    refused = next((answer for answer in answers if answer.status_code == 429), None)
    assert refused and 0 < int(refused["Retry-After"]) <= 480 + 30
    # who has been here under that name before is not locked out
    assert log_in(home, password=PASSWORD, at="198.51.100.1").status_code == 302
    # and others are not at all
    User.objects.create_user("mia", password=PASSWORD, is_staff=True)
    assert log_in(Client(), "mia", PASSWORD, at="192.0.2.99").status_code == 302


def test_the_cookie_of_a_known_browser_opens_nothing(boss: User, limited: None) -> None:
    home = Client()
    log_in(home, password=PASSWORD)
    cookie = home.cookies["staff"]
    assert cookie["httponly"] and cookie["samesite"] == "Lax"
    other = Client()
    other.cookies["staff"] = cookie.value
    assert other.get(reverse("admin:index")).status_code == 302
    # and one that was made up counts as none
    made_up = Client()
    for n in range(60):  # some are forgiven meanwhile
        made_up.cookies["staff"] = cookie.value[:-1]
        answer = log_in(made_up, at=f"192.0.2.{n + 10}")
        if answer.status_code == 429:
            break
    assert answer.status_code == 429


def test_staff_are_logged_in_for_twelve_hours(client: Client, time: Time) -> None:
    client.logout()
    assert log_in(client, password=PASSWORD).status_code == 302
    time.pass_(hours=11, minutes=59)
    assert client.get(reverse("admin:index")).status_code == 200
    time.pass_(minutes=1)
    answer = client.get(reverse("admin:index"))
    assert answer.status_code == 302 and "/admin/login/" in answer["Location"]
    assert "_auth_user_id" not in client.session
    assert client.post(reverse("admin:password_change"), {}).status_code == 302
    assert log_in(client, password=PASSWORD).status_code == 302
    assert client.get(reverse("admin:index")).status_code == 200


def test_looking_again_and_again_makes_a_login_no_longer(client: Client, boss: User, time: Time) -> None:
    client.force_login(boss)
    for _ in range(4):
        time.pass_(hours=2, minutes=59)
        client.get(reverse("admin:index"))
    assert client.get(reverse("admin:index")).status_code == 200
    time.pass_(minutes=5)
    assert client.get(reverse("admin:index")).status_code == 302


def test_a_login_of_before_is_none(client: Client) -> None:
    """One that says nothing of when it was, or that it will be."""
    for since in (None, 4e9):
        session = client.session
        session.pop("staff_since", None)
        if since:
            session["staff_since"] = since
        session.save()
        assert client.get(reverse("admin:index")).status_code == 302


def test_a_guest_who_is_staff_too_keeps_his_seats(boss: User, time: Time) -> None:
    alice = Browser("Alice")
    match = alice.make()
    alice.force_login(boss)
    assert alice.get(reverse("admin:index")).status_code == 200
    time.pass_(days=90)
    assert alice.get(reverse("admin:index")).status_code == 302
    assert alice.get(f"/m/{match.key}/A/").status_code == 200
    cookie = alice.cookies["session" if "session" in alice.cookies else "sessionid"]
    assert int(cookie["max-age"]) == 366 * 24 * 3600
