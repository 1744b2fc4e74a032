"""Moderators and hosts: what each group may see and do in the admin, and nothing else."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games import newest
from robosite.matches import flow
from robosite.matches.models import Match
from robosite.moderation.models import Report
from robosite.people.models import Guest
from robosite.trail.entries import note
from robosite.trail.models import Entry
from tests.site.browsers import asked, logged_in
from tests.site.moderation.test_admin_lookups import member

with_groups = pytest.mark.usefixtures("staff_groups")

SEES = {
    "moderator": {
        "matches.match",
        "matches.seat",
        "people.guest",
        "moderation.report",
        "moderation.measure",
        "leagues.league",
    },
    "host": {
        "matches.match",
        "matches.seat",
        "people.guest",
        "matches.program",
        "matches.takenback",
        "notices.channel",
        "notices.parcel",
        "trail.entry",
        "leagues.league",
    },
}
"""The pages of the admin that each group sees."""

DOES = {
    "moderator": {
        "matches.change_match",
        "leagues.change_league",
        "moderation.change_report",
        "moderation.add_measure",
        "moderation.change_measure",
    },
    "host": {"people.export_guest", "people.erase_guest"},
}
"""The permissions of each group: close a match, dismiss a report, take and lift a measure; answer letters."""


@pytest.fixture(params=["moderator", "host"])
def group(request: pytest.FixtureRequest, staff_groups: None) -> str:
    return str(request.param)


def match() -> Match:
    pigs = newest("pigs")
    match, _, invite = flow.create(pigs, pigs.read_options({}), 2, "Alice")
    flow.join(match, "Bob", invite=invite)
    return match


def act(client: Client, page: str, action: str, *rows: Any) -> Any:
    data = {"action": action, "_selected_action": [row.pk for row in rows]}
    return client.post(reverse(f"admin:{page}_changelist"), data)


def staff(*given: str) -> str:
    out = io.StringIO()
    call_command("staff", *given, stdout=out)
    return out.getvalue()


def test_a_group_has_the_rights_of_the_table_and_no_others(group: str) -> None:
    rights = Group.objects.get(name=group).permissions.values_list("content_type__app_label", "codename")
    views = {f"{app}.view_{model}" for app, model in (page.split(".") for page in SEES[group])}
    assert {f"{app}.{codename}" for app, codename in rights} == views | DOES[group]


@pytest.fixture
def without_rights() -> None:
    """As on a new site, where only tables are there."""
    for model in (Group, Permission, ContentType):
        model.objects.all().delete()
    ContentType.objects.clear_cache()


def test_they_are_made_before_django_makes_rights(without_rights: None, staff_groups: None) -> None:
    """Django finds its rights, and makes none twice."""
    made = set(Permission.objects.values_list("content_type__app_label", "codename", "name"))
    for config in apps.get_app_configs():
        create_permissions(config, verbosity=0)
    ContentType.objects.clear_cache()
    after = list(Permission.objects.values_list("content_type__app_label", "codename", "name"))
    assert made <= set(after) and len(after) == len(set(after))
    for app, codename, name in made:
        verb, _, model = codename.partition("_")
        if verb in ("export", "erase"):
            assert (codename, name) in Guest._meta.permissions
            continue
        assert name == f"Can {verb} {apps.get_model(app, model)._meta.verbose_name}"


def test_each_sees_its_own_pages(group: str) -> None:
    client = member(group)
    match()
    note(None, "look", "trail")
    for model, page in admin.site._registry.items():
        name = f"admin:{page.opts.app_label}_{page.opts.model_name}"
        sees = page.opts.label_lower in SEES[group]
        assert client.get(reverse(f"{name}_changelist")).status_code == (200 if sees else 403), name
        row = model._default_manager.order_by("-pk").first()
        if row is not None and page.opts.label_lower != "moderation.report":
            looked = client.get(reverse(f"{name}_change", args=[row.pk]))
            assert looked.status_code == (200 if sees else 403), name
    front = client.get(reverse("admin:index")).content.decode()
    assert ("Newest in the trail" in front) == (group == "host")
    assert "/admin/auth/" not in front


def test_a_moderator_closes_a_match_and_dismisses_a_report_and_a_host_does_not(group: str) -> None:
    playing, client = match(), member(group)
    report = Report.objects.create(what="match", subject="match:x", match=playing, made_at=timezone.now())
    dismissed = act(client, "moderation_report", "dismiss", report)
    answer = act(client, "matches_match", "close", playing)
    if group == "moderator":
        client.post(reverse("admin:matches_match_changelist"), asked(answer))
    playing.refresh_from_db()
    report.refresh_from_db()
    assert playing.status == ("aborted" if group == "moderator" else "playing")
    assert Entry.objects.filter(action="close").exists() == (group == "moderator")
    assert (dismissed.status_code, report.status) == (
        (302, "dismissed") if group == "moderator" else (403, "open")
    )


def test_nobody_gives_himself_more(group: str) -> None:
    client = member(group)
    me = User.objects.get()
    rights = sorted(me.get_all_permissions())
    data = {"is_active": "on", "is_staff": "on", "is_superuser": "on"}
    for page in ("change", "password_change"):
        address = reverse(f"admin:auth_user_{page}", args=[me.pk])
        assert client.get(address).status_code == 403
        assert client.post(address, data).status_code == 403
    own = Group.objects.get(name=group)
    assert client.post(reverse("admin:auth_group_change", args=[own.pk]), {"name": "x"}).status_code == 403
    me = User.objects.get()
    assert not me.is_superuser and sorted(me.get_all_permissions()) == rights


@with_groups
def test_somebody_can_be_both() -> None:
    client = member("moderator", "host")
    for page in ("people_guest", "trail_entry", "notices_parcel"):
        assert client.get(reverse(f"admin:{page}_changelist")).status_code == 200


@with_groups
def test_the_command_makes_staff_and_notes_it() -> None:
    password = staff("mia", "--group", "moderator").split("First password: ")[1].split()[0]
    mia = User.objects.get(username="mia")
    assert mia.is_staff and not mia.is_superuser and mia.check_password(password)
    assert [one.name for one in mia.groups.all()] == ["moderator"]
    assert "password" not in staff("mia", "--group", "host", "--group", "moderator")
    assert sorted(one.name for one in mia.groups.all()) == ["host", "moderator"]
    told = list(Entry.objects.order_by("number").values_list("who", "action", "subject"))
    assert told == [("command:staff", "staff", f"user:{mia.pk}")] * 2
    assert password not in "".join(entry.text for entry in Entry.objects.all())
    call_command("createsuperuser", interactive=False, username="ann", email="", stdout=io.StringIO())
    newest = Entry.objects.latest("number")
    assert (newest.who, newest.action) == ("command:createsuperuser", "superuser")
    assert newest.subject == f"user:{User.objects.get(username='ann', is_superuser=True).pk}"
    with pytest.raises(CommandError, match="Enter a valid username"):
        staff("no name", "--group", "host")


@with_groups
def test_the_command_lists_the_staff() -> None:
    assert "There is no staff yet" in staff()
    staff("mia", "--group", "moderator", "--group", "host")
    User.objects.create_superuser("ann")
    User.objects.filter(username="mia").update(last_login=datetime(2026, 11, 3, 18, 30, tzinfo=UTC))
    User.objects.create_user("visitor")
    lines = [line.split() for line in staff().splitlines()]
    assert lines[1:] == [
        ["ann", "superuser", "no", "never"],
        ["mia", "host,", "moderator", "no", "2026-11-03", "18:30"],
    ]
    before = Entry.objects.count()
    staff()
    assert Entry.objects.count() == before


@with_groups
def test_the_command_takes_everything_away_and_keeps_what_the_trail_tells_of() -> None:
    staff("mia", "--group", "moderator")
    mia = User.objects.get()
    mia.is_superuser = True
    mia.save()
    client = logged_in(mia)
    playing = match()
    client.post(
        reverse("admin:matches_match_changelist"), asked(act(client, "matches_match", "close", playing))
    )
    assert "may do nothing any more" in staff("--remove", "mia")
    assert client.get(reverse("admin:index")).status_code == 302
    mia.refresh_from_db()
    assert not (mia.is_active or mia.is_staff or mia.is_superuser or mia.has_usable_password())
    assert not mia.groups.exists() and not mia.get_all_permissions()
    newest = Entry.objects.latest("number")
    assert (newest.who, newest.action, newest.subject) == ("command:staff", "staff-removed", f"user:{mia.pk}")
    assert Entry.objects.filter(who=f"staff:{mia.pk} mia").exists() and "removed" in staff()
    with pytest.raises(CommandError, match="mia was removed already"):
        staff("--remove", "mia")
    # and back again, with nothing of before
    password = staff("mia", "--group", "host").split("First password: ")[1].split()[0]
    again = User.objects.get()
    assert again.check_password(password) and again.is_active and not again.is_superuser
    assert [one.name for one in again.groups.all()] == ["host"]


@with_groups
def test_somebody_who_forgot_their_password_gets_a_new_one_on_the_machine() -> None:
    old = staff("mia", "--group", "moderator").split("First password: ")[1].split()[0]
    client = logged_in(User.objects.get())
    assert client.get(reverse("admin:index")).status_code == 200
    new = staff("mia", "--new-password").split("New password: ")[1].split()[0]
    mia = User.objects.get()
    assert mia.check_password(new) and not mia.check_password(old)
    assert [group.name for group in mia.groups.all()] == ["moderator"]
    assert client.get(reverse("admin:index")).status_code == 302, "who else knows the old one is out"
    newest = Entry.objects.latest("number")
    assert (newest.who, newest.action, newest.subject) == (
        "command:staff",
        "password-reset",
        f"user:{mia.pk}",
    )
    assert new not in str(newest.facts)
    staff("--remove", "mia")
    with pytest.raises(CommandError, match="mia was removed"):
        staff("mia", "--new-password")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("--remove", "eve"), "Nobody on the staff is called eve"),
        (("eve",), "Say what eve is to be"),
        (("--group", "host"), "Say whom you mean"),
        (("eve", "--remove", "mia"), "goes with nothing else"),
        (("--reset-second-factor",), "Say whom you mean"),
        (("--new-password",), "Say whom you mean"),
        (("eve", "--new-password"), "Nobody on the staff is called eve"),
        (("--remove", "mia", "--new-password"), "goes with nothing else"),
    ],
)
def test_errors_of_the_command_are_sentences(given: tuple[str, ...], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        staff(*given)
    assert not User.objects.exists() and not Entry.objects.exists()
