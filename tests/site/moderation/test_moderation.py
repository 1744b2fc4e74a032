"""Staff in the admin: they look, and close a match; they change and read nothing else."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from games import newest
from robosite.matches import flow
from robosite.matches.models import Match, Seat
from tests.site.confirmed import asked

pytestmark = pytest.mark.django_db
PROGRAM = "F F F F F"


@pytest.fixture
def staff() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("mod", password="a long password"))
    return client


def table() -> tuple[Match, Seat, Seat]:
    pigs = newest("pigs")
    match, alice, invite = flow.create(pigs, pigs.read_options({}), 2, "Alice")
    bob = flow.join(match, "Bob", invite=invite)
    return match, alice.seat, bob.seat


def close(client: Client, match: Match) -> str:
    data = {"action": "close", "_selected_action": [match.pk]}
    page = reverse("admin:matches_match_changelist")
    asks = client.post(page, data)
    if asks.status_code != 200:
        return asks.content.decode()
    return client.post(page, asked(asks), follow=True).content.decode()


def test_a_match_can_be_closed_in_the_middle_of_a_round(staff: Client) -> None:
    match, alice, bob = table()
    for seat in (alice, bob):
        flow.seal(seat, 0, "TL TL TL TL TL")
    flow.seal(alice, 1, PROGRAM)
    assert "Closed: 1." in close(staff, match)
    match.refresh_from_db()
    assert (match.status, match.turn, match.outcome_json) == ("aborted", 1, None)
    with pytest.raises(flow.Refused, match="over"):
        flow.seal(bob, 1, PROGRAM)
    assert flow.draft_of(match, alice) == PROGRAM


def test_a_match_that_is_over_is_not_closed(staff: Client) -> None:
    match, alice, _ = table()
    flow.resign(alice)
    assert "already over" in close(staff, match)
    match.refresh_from_db()
    assert match.status == "over"


def test_closing_takes_its_own_permission() -> None:
    match, *_ = table()
    looker = User.objects.create_user("looker", password="a long password", is_staff=True)
    looker.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    client = Client()
    client.force_login(looker)
    data = {"action": "close", "_selected_action": [match.pk]}
    assert 'name="sure"' not in client.post(reverse("admin:matches_match_changelist"), data).content.decode()
    match.refresh_from_db()
    assert match.status == "playing"


def test_the_admin_shows_no_draft_and_no_sealed_order(staff: Client) -> None:
    match, alice, bob = table()
    flow.draft(alice, 0, "v v v v v")
    receipt = flow.seal(bob, 0, PROGRAM)
    program = bob.programs.get()
    pages = [
        reverse("admin:matches_program_changelist"),
        reverse("admin:matches_program_change", args=[program.pk]),
        reverse("admin:matches_match_change", args=[match.pk]),
    ]
    shown = "".join(staff.get(page).content.decode() for page in pages)
    assert receipt.seal in shown
    assert PROGRAM not in shown
    assert "v v v v v" not in shown
    draft = alice.programs.get()
    assert staff.get(reverse("admin:matches_program_change", args=[draft.pk])).status_code == 302


@pytest.mark.parametrize("model", ["match", "seat", "program"])
def test_nothing_is_added_or_deleted_by_hand(staff: Client, model: str) -> None:
    match, alice, bob = table()
    flow.seal(bob, 0, PROGRAM)
    pk = {"match": match.pk, "seat": alice.pk, "program": bob.programs.get().pk}[model]
    assert staff.get(reverse(f"admin:matches_{model}_add")).status_code == 403
    assert staff.post(reverse(f"admin:matches_{model}_delete", args=[pk]), {"post": "yes"}).status_code == 403
    assert staff.post(reverse(f"admin:matches_{model}_change", args=[pk]), {}).status_code == 403


def test_the_admin_is_under_the_same_content_security_policy(staff: Client) -> None:
    for page in ("admin:index", "admin:matches_match_changelist", "admin:login"):
        policy = staff.get(reverse(page)).headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
