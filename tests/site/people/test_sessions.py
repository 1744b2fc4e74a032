"""The session's cookie outlives whatever else is under way in the browser."""

from __future__ import annotations

import pytest
from django.conf import settings

from tests.site.browsers import Browser, Table

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
