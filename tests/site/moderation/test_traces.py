"""A ban that holds for an address too: a code stands for it, and after four weeks nobody knows for which."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.core import serializers
from django.db import DatabaseError
from django.utils import timezone

from robosite.moderation import measures, traces
from robosite.moderation.measures import ImpossibleMeasure
from robosite.moderation.models import Measure, Salt, Trace
from robosite.ops.periods import RETENTIONS, prune
from robosite.people.current_guest import merge
from robosite.people.models import Guest
from tests.site.browsers import Answer, Browser, Table, text

pytestmark = pytest.mark.django_db

HOME, SIXTH, ELSEWHERE = "198.51.100.7", "2001:db8:1:2:3::4", "203.0.113.9"


def makes(browser: Browser, address: str) -> Answer:
    """A match against a bot, made from there."""
    return browser.post("/play/", {"game": "pigs", "name": browser.name}, REMOTE_ADDR=address)


def guest(name: str) -> Guest:
    return Guest.objects.get(name=name)


def ban(name: str, **more: Any) -> Measure:
    given = {"why": "You asked Ben three times", "address_too": True, **more}
    return measures.take("ban", None, guest=guest(name), ends_at=measures.until("90"), **given)


@pytest.mark.parametrize("address", [HOME, SIXTH])
def test_who_clears_the_browser_is_banned_all_the_same(alice: Browser, bob: Browser, address: str) -> None:
    assert makes(bob, address).status_code == 302
    ban("Bob")
    assert makes(bob, ELSEWHERE).status_code == 403
    assert makes(Browser("Bobby"), address).status_code == 403
    assert makes(alice, ELSEWHERE).status_code == 302
    call = json.dumps({"game": "pigs", "name": "Bobby"})
    answer = alice.post("/api/v1/matches", call, content_type="application/json", REMOTE_ADDR=address)
    assert answer.status_code == 403


def test_a_ban_holds_for_no_address_unless_asked(alice: Browser, bob: Browser) -> None:
    makes(bob, HOME)
    ban("Bob", address_too=False)
    assert makes(alice, HOME).status_code == 302


def test_who_shares_the_address_may_object_and_learns_nothing_of_the_other(
    alice: Browser, bob: Browser
) -> None:
    makes(bob, HOME)
    page = ban("Bob").get_absolute_url()
    barred = text(makes(alice, HOME))
    assert "Someone on your network is banned." in barred and "Ben" not in barred
    shown = text(alice.get(page, REMOTE_ADDR=HOME))
    assert "Someone on your network is banned." in shown
    assert "Ben" not in shown and "I’ve read this" not in shown
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


def test_prune_erases_them_too(bob: Browser, time: Any) -> None:
    makes(bob, HOME)
    row = next(one for one in RETENTIONS if one.name == "traces")
    time.pass_(days=27)
    assert not list(prune(row)) and Trace.objects.exists()
    time.pass_(days=2)
    assert traces.trace_of(guest("Bob")) is None
    assert list(prune(row)) == [1] and not Trace.objects.exists()


def test_where_nothing_is_known_the_guest_alone_can_be_banned(bob: Browser) -> None:
    makes(bob, HOME)
    Trace.objects.all().delete()
    with pytest.raises(ImpossibleMeasure, match="ban the guest alone"):
        ban("Bob")
    assert not Measure.objects.exists()


def test_what_was_done_stands_even_if_its_code_cannot_be_kept(
    bob: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> Salt:
        raise DatabaseError

    monkeypatch.setattr(traces, "_present_salt", fails)
    assert makes(bob, HOME).status_code == 302
    assert guest("Bob").holds.count() == 1 and not Trace.objects.exists()


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


def test_a_code_keeps_no_name_that_nobody_needs(bob: Browser, settings: Any) -> None:
    settings.KEEP_GUESTS_DAYS = 1
    idle = Guest.objects.create(name="Idle")
    traces.note_trace(idle, HOME)
    Guest.objects.update(created_at=timezone.now() - timedelta(days=2))
    list(prune(next(one for one in RETENTIONS if one.name == "guests")))
    assert not Guest.objects.exists() and not Trace.objects.exists()
