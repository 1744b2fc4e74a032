"""The page of privacy and the command go by one table of what is kept, and for how long."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from robosite.api.models import KeptAnswer, NamedProgram
from robosite.leagues.models import Place, PlaceHold
from robosite.matches import flow
from robosite.matches.models import Match
from robosite.notices import outbox
from robosite.notices.models import Channel, Notice
from robosite.ops import periods
from robosite.ops.periods import RETENTIONS
from robosite.people.models import Guest, Ticket
from robosite.talk.models import Message
from tests import at_once
from tests.site.browsers import FIRST, OTHER, Browser, Table, text
from tests.site.leagues.test_league_pages import join as join_league
from tests.site.leagues.test_league_pages import make as make_league


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
    alice: Browser, bob: Browser, charlie: Browser, time: Any
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


def test_an_import_is_kept_from_its_last_change_on(table: Table, time: Any) -> None:
    Match.objects.update(imported=True, created_at=time.now() - timedelta(days=400))
    assert prune("--yes")["imports"] == 0
    Match.objects.update(changed_at=time.now() - timedelta(days=400))
    assert prune("--yes")["imports"] == 1
