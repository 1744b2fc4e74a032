"""The session's cookie outlives whatever else is under way in the browser, and is renewed by use."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from robosite.people import sessions
from robosite.people.models import Guest
from robosite.people.sessions import SessionStore
from tests.site.browsers import Browser, Table
from tests.site.conftest import Time

pytestmark = pytest.mark.django_db
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
    names = {COOKIE, "links", "chosen"}
    for _ in range(3):
        time.pass_(days=300)
        answer = alice.get(path)
        assert expires(alice) == time.now() + AGE
        assert {
            name for name in names if answer.cookies[name]["max-age"] == settings.SESSION_COOKIE_AGE
        } == names
        assert answer.cookies[COOKIE]["httponly"] and "Cookie" in answer["Vary"]
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


def test_what_the_page_wrote_meanwhile_stays(
    alice: Browser, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two requests at once: the one that renews the session writes back nothing that it has read."""
    alice.make_by_page()
    time.pass_(days=2)
    stored = Session.objects.get(session_key=alice.cookies[COOKIE].value)
    renew = sessions._renew

    def late(*given: Any) -> None:
        session = SessionStore(stored.session_key)
        session["here"] = {"k": "B"}
        session.save()
        renew(*given)

    monkeypatch.setattr(sessions, "_renew", late)
    alice.get("/")
    assert SessionStore(stored.session_key)["here"] == {"k": "B"}


def test_a_page_that_answers_late_renews_no_session_that_has_moved(
    alice: Browser, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.make_by_page()
    time.pass_(days=2)
    renew = sessions._renew

    def late(*given: Any) -> None:
        Session.objects.all().delete()
        renew(*given)

    monkeypatch.setattr(sessions, "_renew", late)
    assert COOKIE not in alice.get("/").cookies and not Session.objects.exists()


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
