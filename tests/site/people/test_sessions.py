"""Sessions, and browsers that change hands."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core import signing
from django.core.management import call_command
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from robosite.leagues.models import League, Place
from robosite.matches import flow
from robosite.matches.models import Match
from robosite.notices.models import Channel, Parcel
from robosite.people import sessions
from robosite.people.current_guest import begin_to_forget
from robosite.people.models import Guest
from robosite.people.sessions import SessionStore
from tests import at_once
from tests.receivers import Receiver
from tests.site.browsers import Browser, Table, text
from tests.site.conftest import Time
from tests.site.leagues.conftest import ORGANISER_ACTIONS, joined, link_in, page
from tests.site.leagues.test_league_rights import taken_by
from tests.site.notices.test_notices_sent import by_push, receiver
from tests.site.people.test_ways_back import confirmed, device_link, letters, new_words, secret_in

__all__ = ["letters", "receiver"]


COOKIE = settings.SESSION_COOKIE_NAME


def test_a_late_answer_to_the_session_before_leaves_the_cookie_of_the_new_one(
    alice: Browser, bob: Browser
) -> None:
    """Sitting down ends a session; what the page has asked for before is answered as to nobody."""
    alice.make()
    old = alice.cookies[COOKIE].value
    match = bob.make_by_page()
    alice.accept(bob.links(match.seats.get(letter="A"))["invite"])
    assert alice.cookies[COOKIE].value != old
    late = Browser("Alice, a moment ago")
    late.cookies[COOKIE] = old
    for path in ("/", "/mine/", "/mine/waiting/"):
        answer = late.get(path)
        assert answer.status_code == 200 and COOKIE not in answer.cookies, path


def test_who_makes_another_match_keeps_the_session(alice: Browser) -> None:
    """A page that is open elsewhere in the browser goes on, whatever it was just asking for."""
    alice.make_by_page()
    before = alice.cookies[COOKIE].value
    alice.post("/play/", {"game": "pigs"})
    alice.make_by_page()
    assert alice.cookies[COOKIE].value == before


def test_whoever_is_forgotten_has_no_session_any_more(table: Table) -> None:
    answer = table.alice.post("/me/forget/", {"sure": "1"})
    assert answer.cookies[COOKIE].value == "" and answer.cookies[COOKIE]["max-age"] == 0


AGE = timedelta(seconds=settings.SESSION_COOKIE_AGE)
PAGES = ("/", "/mine/", "/me/")


def expires(browser: Browser) -> datetime:
    """The end of the browser's session, in the database."""
    return Session.objects.get(session_key=browser.cookies[COOKIE].value).expire_date


@pytest.mark.parametrize("path", PAGES)
def test_a_session_lives_on_while_it_is_used(alice: Browser, time: Time, path: str) -> None:
    match = alice.make_by_page()
    seat = match.seats.get(letter="A")
    choices = {"theme": "dark", "keys": "off", "puzzles": "3~2~UTC~pigs-1"}
    for name, value in choices.items():
        alice.cookies[name] = value
    names = {COOKIE, "links", "chosen", *choices}
    for _ in range(3):
        time.pass_(days=300)
        answer = alice.get(path)
        assert expires(alice) == time.now() + AGE
        assert {
            name for name in names if answer.cookies[name]["max-age"] == settings.SESSION_COOKIE_AGE
        } == names
        assert answer.cookies[COOKIE]["httponly"] and "Cookie" in answer["Vary"]
        for name, value in choices.items():
            assert answer.cookies[name].value == value and not answer.cookies[name]["httponly"], name
    assert alice.get(seat.get_absolute_url()).status_code == 200
    assert alice.links(seat)
    time.pass_(days=367)
    assert alice.get(seat.get_absolute_url()).status_code == 403


def test_it_is_renewed_at_most_once_a_day_and_nothing_else_is_written(alice: Browser, time: Time) -> None:
    alice.make_by_page()
    time.pass_(hours=23)
    with CaptureQueriesContext(connection) as asked:
        assert COOKIE not in alice.get("/").cookies
    assert not [one for one in asked if one["sql"].startswith(("UPDATE", "INSERT"))]
    time.pass_(hours=2)
    assert COOKIE in alice.get("/").cookies and COOKIE not in alice.get("/").cookies


def written(key: str) -> None:
    session = SessionStore(key)
    session["here"] = {"k": "B"}
    session.save()


@pytest.mark.parametrize("meanwhile", [written, lambda _key: Session.objects.all().delete()])
def test_a_request_that_renews_a_session_writes_back_nothing_that_has_changed_meanwhile(
    alice: Browser, time: Time, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[str], object]
) -> None:
    """Another request has written to it, or has ended it."""
    alice.make_by_page()
    time.pass_(days=2)
    key, renew = alice.cookies[COOKIE].value, sessions._renew

    def late(*given: Any) -> None:
        meanwhile(key)
        renew(*given)

    monkeypatch.setattr(sessions, "_renew", late)
    answer = alice.get("/")
    if meanwhile is written:
        assert SessionStore(key)["here"] == {"k": "B"}
    else:
        assert COOKIE not in answer.cookies and not Session.objects.exists()


def test_a_busy_database_takes_no_page_away(
    alice: Browser, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.make_by_page()
    time.pass_(days=2)

    def busy(*_given: Any, **_more: Any) -> int:
        raise OperationalError("database is locked")

    filtered = Session.objects.filter

    def rows(**of: Any) -> Any:
        found = filtered(**of)
        found.update = busy  # type: ignore[method-assign]
        return found

    monkeypatch.setattr(Session.objects, "filter", rows)
    assert alice.get("/").status_code == 200


def test_pages_for_all_are_no_ones(table: Table, time: Time) -> None:
    """No page that is the same for all gets a cookie, whoever looks; nor does a browser without a guest."""
    time.pass_(days=2)
    for browser in (table.alice, table.charlie):
        for path in ("/api/v1/games/", f"/m/{table.key}/card.png", "/manifest.webmanifest"):
            answer = browser.get(path)
            assert COOKIE not in answer.cookies and "Cookie" not in answer.get("Vary", ""), path
    answer = table.charlie.get(f"/m/{table.key}/")
    assert COOKIE not in answer.cookies


def test_who_only_looks_is_no_unused_guest(alice: Browser, time: Time, settings: Any) -> None:
    settings.KEEP_GUESTS_DAYS = 90
    match = alice.make_by_page()
    match.delete()
    for _ in range(3):
        time.pass_(days=60)
        alice.get("/")
        call_command("prune", "--yes")
    assert Guest.objects.filter(name="Alice").exists()
    time.pass_(days=91)
    call_command("prune", "--yes")
    assert not Guest.objects.filter(name="Alice").exists()


def test_a_login_of_the_staff_is_not_renewed(alice: Browser, time: Time) -> None:
    alice.make_by_page()
    User.objects.create_superuser("mia", password="a long password of hers")
    assert alice.login(username="mia", password="a long password of hers")
    assert alice.get("/admin/").status_code == 200
    for _ in range(3):
        time.pass_(hours=25)
        alice.get("/")
    assert alice.get("/admin/").status_code == 302


SignIn = Callable[[Browser, Browser], None]
"""Signs the browser in as the guest at another browser."""


def by_words(browser: Browser, dora: Browser) -> None:
    answer = browser.post("/back/phrase/", {"phrase": new_words(dora)})
    if "/s/you/" in answer["Location"]:
        browser.post(f"{answer['Location']}take/")


def by_device_link(browser: Browser, dora: Browser) -> None:
    browser.post(f"/s/you/{device_link(dora)}/take/")


def by_mail(browser: Browser, dora: Browser, letters: Any) -> None:
    confirmed(dora, letters, "dora@example.org")
    (letter,) = letters(lambda: browser.post("/back/mail/", {"email": "dora@example.org"}))
    browser.post(f"/s/you/{secret_in(letter.body)}/take/")


@pytest.fixture(params=["words", "device", "mail", "leaving", "signed out"])
def hand_over(request: pytest.FixtureRequest, letters: Any) -> SignIn:
    """Each way in which a browser becomes Dora's, who has played elsewhere."""

    def after_leaving(browser: Browser, dora: Browser) -> None:
        browser.post("/me/leave/")
        by_words(browser, dora)

    def after_signing_out(browser: Browser, dora: Browser) -> None:
        """The guest has another browser, and signs this one out there."""
        other = Browser("elsewhere")
        by_device_link(other, browser)
        other.post("/me/others/")
        by_words(browser, dora)

    return {
        "words": by_words,
        "device": by_device_link,
        "mail": lambda browser, dora: by_mail(browser, dora, letters),
        "leaving": after_leaving,
        "signed out": after_signing_out,
    }[str(request.param)]


@pytest.fixture
def dora(dora: Browser) -> Browser:
    dora.make()
    return dora


def test_the_next_guest_organises_nothing(
    alice: Browser, bob: Browser, charlie: Browser, dora: Browser, hand_over: SignIn
) -> None:
    league, _invite = joined(alice, bob, charlie)
    helper = taken_by("Helper", link_in(page(alice, league), "organiser"))
    helper.make()
    for browser in (alice, helper):
        assert link_in(page(browser, league), "organiser")
        stale = browser.cookies["links"].value
        hand_over(browser, dora)
        for kept in (False, True):
            if kept:  # a browser that kept its cookie all the same
                browser.cookies["links"] = stale
            for action, given in ORGANISER_ACTIONS.items():
                answer = browser.post(f"/l/{league.key}/{action}/", given)
                assert answer.status_code == 404, (action, kept)
            shown = page(browser, league)
            assert not re.search(r"/s/(league|organiser|place|offer)/", shown)
    league.refresh_from_db()
    assert league.status == League.Status.OPEN and Place.objects.filter(league=league).count() == 3


def test_the_next_guest_finds_no_link_of_a_seat_or_match(
    alice: Browser, dora: Browser, hand_over: SignIn
) -> None:
    match = alice.make_by_page()
    seat = match.seats.get(letter="A")
    stale = alice.cookies["links"].value
    hand_over(alice, dora)
    assert "links" not in alice.cookies or not alice.cookies["links"].value
    alice.cookies["links"] = stale
    path = seat.get_absolute_url()
    for what, method in [("", "get"), ("qr/invite/", "get"), ("qr/seat/", "get"), ("invite/", "post")]:
        answer = getattr(alice, method)(f"{path}{what}")
        assert answer.status_code in (403, 404) and "/s/" not in text(answer), what
    assert alice.do(seat, "abort").status_code in (403, 404)
    assert Match.objects.get(pk=match.pk).status == Match.Status.OPEN


def test_nobody_reads_a_link_in_the_cookie(alice: Browser) -> None:
    seat = alice.make_by_page().seats.get(letter="A")
    for secret in alice.links(seat).values():
        assert secret not in alice.cookies["links"].value
    with pytest.raises(signing.BadSignature):
        signing.loads(alice.cookies["links"].value, salt="links")


def test_one_keeps_ones_links_when_one_comes_back_or_brings_things_along(alice: Browser) -> None:
    seat = alice.make_by_page().seats.get(letter="A")
    before = alice.links(seat)
    alice.post("/back/phrase/", {"phrase": new_words(alice)})
    assert alice.links(seat) == before
    other = Browser("Alice’s phone")
    other.make()
    alice.post(f"/s/you/{device_link(other)}/take/", {"bring": "1"})
    assert alice.links(seat) == before


def test_signing_the_others_out_takes_all_their_rights_and_none_of_ones_own(
    alice: Browser, bob: Browser
) -> None:
    league, _invite = joined(alice, bob)
    seat = alice.make_by_page().seats.get(letter="A")
    lost = Browser("Alice’s lost phone")
    by_device_link(lost, alice)
    organiser = link_in(page(alice, league), "organiser")
    assert lost.post(f"{organiser}take/").status_code == 302
    stale, link = lost.cookies["links"].value, device_link(alice)
    alice.post("/me/others/")
    assert Client().get(f"/s/you/{link}/").status_code == 404
    assert alice.links(seat) and link_in(page(alice, league), "organiser") == organiser
    for action, given in ORGANISER_ACTIONS.items():
        lost.cookies["links"] = stale
        assert lost.post(f"/l/{league.key}/{action}/", given).status_code == 404, action
    assert lost.get(seat.get_absolute_url()).status_code == 403
    assert alice.post(f"/l/{league.key}/invite/").status_code == 302


def test_signing_the_others_out_ends_the_links_of_feeds_and_calendars(alice: Browser) -> None:
    alice.make()
    for kind, path in [("atom", "feed"), ("calendar", "calendar")]:
        alice.post("/notices/add/", {"kind": kind})
        found = re.search(rf"/s/{path}/[^/]+/", text(alice.get("/notices/")))
        assert found and Client().get(found[0]).status_code == 200
        alice.post("/me/others/")
        assert Client().get(found[0]).status_code == 404
        assert found[0] not in text(alice.get("/notices/"))
        channel = Channel.objects.get(kind=kind)
        alice.post(f"/notices/{channel.number}/", {"do": "renew"})
        again = re.search(rf"/s/{path}/[^/]+/", text(alice.get("/notices/")))
        assert again and Client().get(again[0]).status_code == 200


def pushes(table: Table) -> int:
    """The pushes that are sent when it is Alice's turn again."""
    before = Parcel.objects.filter(state=Parcel.State.SENT).count()
    turn = table.match.turn
    flow.seal(table.a, turn, "F F F F F")
    flow.seal(table.b, turn, "F F F F F")
    Parcel.objects.update(due_at=table.match.changed_at)
    at_once.send_all()
    return Parcel.objects.filter(state=Parcel.State.SENT).count() - before


def test_a_browser_gets_pushes_until_it_changes_hands(
    table: Table, receiver: Receiver, dora: Browser, hand_over: SignIn
) -> None:
    by_push(table, receiver)
    Channel.objects.update(tells=["turn", "revealed"])
    assert pushes(table) == 1
    table.alice.post("/back/phrase/", {"phrase": new_words(table.alice)})  # the same guest, another session
    assert pushes(table) == 1
    hand_over(table.alice, dora)
    assert pushes(table) == 0 and not Channel.objects.filter(kind="push").exists()


def test_signing_the_others_out_ends_their_pushes_and_keeps_ones_own(
    table: Table, receiver: Receiver
) -> None:
    by_push(table, receiver)
    own = Channel.objects.get()
    old = Channel.objects.create(guest=own.guest, kind="push", secret=own.secret, tells=own.tells)
    table.alice.post("/me/others/")
    assert list(Channel.objects.all()) == [own] != [old]


def test_no_push_goes_to_a_session_that_has_ended_by_itself(table: Table, receiver: Receiver) -> None:
    by_push(table, receiver)
    Channel.objects.update(tells=["turn", "revealed"])
    Session.objects.filter(session_key=table.alice.cookies[settings.SESSION_COOKIE_NAME].value).delete()
    assert pushes(table) == 0


def test_a_subscription_is_one_guests_alone_until_they_are_forgotten(
    table: Table, receiver: Receiver
) -> None:
    phone = by_push(table, receiver)
    table.bob.post("/notices/add/", {"kind": "push", "subscription": phone.subscription.write()})
    assert Channel.objects.get().guest.name == "Bob"
    begin_to_forget(Guest.objects.get(name="Bob"))
    assert not Channel.objects.exists()


def test_a_browser_that_changes_hands_is_told_to_forget(
    alice: Browser, dora: Browser, hand_over: SignIn, table: Table
) -> None:
    """And nobody else is: not who comes back as themself, nor who signs in where nobody was."""
    told: list[str] = []
    ask = alice.generic

    def noting(*given: Any, **more: Any) -> Any:
        answer = ask(*given, **more)
        told.append(answer.get("Clear-Site-Data", ""))
        return answer

    alice.cookies["offline"], alice.cookies["zone"] = "0" * 24, "Europe/Madrid"
    alice.generic = noting  # type: ignore[method-assign]
    alice.post("/back/phrase/", {"phrase": new_words(alice)})
    assert not any(told)
    hand_over(alice, dora)
    assert told.count('"storage"') == 1
    assert not alice.cookies["offline"].value and alice.cookies["zone"].value


def test_a_browser_where_nobody_was_forgets_nothing(dora: Browser) -> None:
    browser = Browser("Dora’s phone")
    browser.cookies["chosen"] = "x"
    answer = browser.post(f"/s/you/{device_link(dora)}/take/")
    assert "Clear-Site-Data" not in answer and "chosen" not in answer.cookies


def test_a_session_that_cannot_be_read_is_not_read_again_for_the_503(
    alice: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, tries = alice.make_by_page(), []

    def away(self: SessionStore) -> dict[str, Any]:
        tries.append(self)
        raise OperationalError("the database is away")

    monkeypatch.setattr(SessionStore, "load", away)
    answer = alice.get(match.seats.get(letter="A").get_absolute_url())
    assert answer.status_code == 503 and answer["Retry-After"] and len(tries) == 1
