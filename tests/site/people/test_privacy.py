"""The page of privacy and the command go by one table of what is kept, and for how long."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from robosite.api.models import KeptAnswer
from robosite.matches import flow
from robosite.matches.models import Match
from robosite.notices import outbox
from robosite.notices.models import Channel, Notice
from robosite.ops import periods
from robosite.ops.periods import RETENTIONS
from robosite.people.models import Guest, Ticket
from tests.site.browsers import FIRST, OTHER, Browser, Table, text


def prune(*args: str) -> dict[str, int]:
    """Runs `prune`; returns the number deleted of each kind."""
    out = StringIO()
    call_command("prune", *args, stdout=out)
    lines = [line.split() for line in out.getvalue().splitlines() if "(kept" in line]
    return {line[-4]: int(line[-5]) for line in lines}


def gone() -> dict[str, int]:
    return {kept.name: 0 for kept in RETENTIONS}


def test_only_what_nobody_needs_any_more_is_deleted(
    table: Table, alice: Browser, settings: Any, time: Any, django_capture_on_commit_callbacks: Any
) -> None:
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


def test_a_match_that_ended_for_a_lost_key_was_played(table: Table) -> None:
    Match.objects.update(status="aborted", turn=0, changed_at=timezone.now() - timedelta(days=400))
    assert prune("--yes") == gone()


def test_expired_sessions_go_and_others_stay(table: Table) -> None:
    old = SessionStore()
    old.save()
    Session.objects.filter(pk=old.session_key).update(expire_date=timezone.now() - timedelta(seconds=5))
    before = Session.objects.count()
    assert prune("--yes")["sessions"] == 1
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


def test_many_rows_go_in_small_steps(db: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(periods, "AT_A_TIME", 4)
    Guest.objects.bulk_create([Guest(name=f"guest {n}") for n in range(10)])
    Guest.objects.update(created_at=timezone.now() - timedelta(days=400))
    (guests,) = [one for one in RETENTIONS if one.name == "guests"]
    assert list(periods.prune(guests)) == [4, 4, 2]


def test_the_page_tells_the_periods_that_the_command_goes_by(alice: Browser, settings: Any) -> None:
    settings.KEEP_OPEN_DAYS, settings.KEEP_GUESTS_DAYS = 17, 0
    shown = " ".join(text(alice.get("/privacy/")).split())
    assert "counted from the last change</th><td>17 days" in shown
    assert "left no address</th><td>for good" in shown
    for kept in RETENTIONS:
        assert kept.says in shown
    assert 'href="/privacy/"' in text(alice.get("/"))
