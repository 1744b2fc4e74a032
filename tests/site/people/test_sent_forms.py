"""A form that is sent twice has one effect, and both answers lead to it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone

from robosite.matches.models import Match, Seat
from robosite.ops.periods import RETENTIONS, prune
from robosite.people import sent_forms
from robosite.people.letters import new_ticket
from robosite.people.models import Guest, SentForm, Ticket
from robosite.talk.models import Message
from robosite.trail.models import Entry
from tests.site.browsers import Answer, Browser, Table, text
from tests.site.routes import RECORD, Ask, asks, some
from tests.site.world import World, world

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w{64})"')


def token_of(browser: Browser, page: str = "/") -> dict[str, str]:
    """The hidden field of the forms on this copy of a page."""
    return {"csrfmiddlewaretoken": TOKEN.findall(text(browser.get(page)))[0]}


def lost(browser: Browser, ask: Callable[[], Answer]) -> Answer:
    """An answer that the browser never gets: it keeps the cookies that it had."""
    before = {name: morsel.value for name, morsel in browser.cookies.items()}
    answer = ask()
    browser.cookies.clear()
    for name, value in before.items():
        browser.cookies[name] = value
    return answer


MAKING: dict[str, dict[str, Any]] = {
    "/new/pigs/ /matches/": {"game": "pigs", "seats": 3, "name": "Zoe"},
    "/new/pigs/ /matches/ bot": {"game": "pigs", "seats": 2, "name": "Zoe", "with": "bot", "bot": "random"},
    "/new/pigs/ /matches/ pair": {"game": "pigs", "seats": 2, "name": "Zoe", "series": "pair"},
    "/new/robble/ /matches/ here": {"game": "robble", "name": "Zoe", "with": "here", "here": "Yan"},
    "/ /play/": {"game": "pigs", "player": "random"},
    "/import/ /import/": {"record": json.dumps(RECORD)},
}


@pytest.mark.parametrize("arrives", [True, False])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("way", MAKING)
def test_a_match_is_made_once(alice: Browser, way: str, known: bool, arrives: bool) -> None:
    """The second answer leads to the same match, and to a seat there, even if the first is lost."""
    if known:
        alice.make()
    before, guests = Match.objects.count(), Guest.objects.count()
    page, path = way.split()[:2]
    given = MAKING[way] | token_of(alice, page)
    send = lambda: alice.post(path, given)  # noqa: E731
    first = send() if arrives else lost(alice, send)
    again = send()
    assert first.status_code == again.status_code == 302 and first["Location"] == again["Location"]
    assert Match.objects.count() == before + 1
    assert Guest.objects.count() == guests + (not known and path != "/import/")
    page_there = alice.get(again["Location"])
    assert page_there.status_code == 200
    if path == "/matches/" and "bot" not in way and "here" not in way:
        links = alice.own_links(Seat.objects.get(match__key=again["Location"].split("/")[2], letter="A"))
        assert links.keys() == {"invite", "seat"}
    if known and path != "/import/":
        assert text(alice.get("/mine/")).count("/m/") > 1


def test_the_same_form_with_another_content_makes_another_match(alice: Browser) -> None:
    token = token_of(alice, "/new/pigs/")
    places = {
        alice.post("/matches/", {"game": "pigs", "seats": seats, "name": "Zoe", **token})["Location"]
        for seats in (2, 3, 4, 3)
    }
    assert len(places) == 3 == Match.objects.count()


def test_a_fresh_page_makes_another_match(alice: Browser) -> None:
    """Also where the browser has kept the page and asks whether it is still the same."""
    made, tag = set(), ""
    for _ in range(3):
        page = alice.get("/new/pigs/", headers={"If-None-Match": tag} if tag else {})
        assert page.status_code == 200, "a kept page would have the old form"
        tag = page.get("ETag", "")
        given = {"game": "pigs", "seats": 2, "name": "Zoe"}
        token = TOKEN.findall(text(page))[0]
        made.add(alice.post("/matches/", {**given, "csrfmiddlewaretoken": token})["Location"])
    assert len(made) == 3
    assert alice.get("/new/robble/").status_code == 200
    tag = alice.get("/new/robble/")["ETag"]
    assert alice.get("/new/robble/", headers={"If-None-Match": tag}).status_code == 304


def test_a_browser_whose_second_answer_is_lost_too_keeps_its_session(table: Table) -> None:
    """On a bad line the answer to what is sent again gets lost as well as the first."""
    said = {"text": "Good luck!"} | token_of(table.alice, table.a.get_absolute_url())
    send = lambda: table.alice.post(f"{table.a.get_absolute_url()}talk/", said)  # noqa: E731
    for _ in range(3):
        lost(table.alice, send)
    assert table.alice.get(table.a.get_absolute_url()).status_code == 200
    assert Message.objects.count() == 1


def test_a_form_with_a_fault_is_sent_again_as_often_as_wished(alice: Browser) -> None:
    alice.make()
    token = token_of(alice, "/new/pigs/")
    for name, status in (("", 422), ("", 422), ("Moderator", 422), ("Zoe", 302), ("Zoe", 302)):
        answer = alice.post("/matches/", {"game": "pigs", "seats": 2, "name": name, **token})
        assert answer.status_code == status
    assert Match.objects.count() == 2 and SentForm.objects.count() == 1


def test_nobody_else_gets_what_a_form_led_to(alice: Browser, bob: Browser) -> None:
    """Neither with the same token, nor in the same browser after its guest has become another one or left."""
    given = {"game": "pigs", "seats": 2, "name": "Zoe", **token_of(alice, "/new/pigs/")}
    first = alice.post("/matches/", given)["Location"]
    bob.get("/")
    stranger = bob.post("/matches/", given)  # the test client lets any token through, as no browser would
    assert stranger.status_code == 302 and stranger["Location"] != first
    assert first.split("/")[2] not in text(bob.get("/mine/"))
    erin = Browser("Erin")
    erin.make()
    erin.cookies["csrftoken"] = alice.cookies["csrftoken"].value
    assert erin.post("/matches/", given)["Location"] not in (first, stranger["Location"])
    alone = Browser("")
    alone.cookies["csrftoken"] = alice.cookies["csrftoken"].value
    Guest.objects.filter(holds__seat__match__key=first.split("/")[2]).update(round=5)
    assert alone.post("/matches/", given)["Location"] != first, "signed out meanwhile"


def copy_of(browser: Browser) -> Browser:
    """The same browser's other tab, which sends the cookies that the browser has now."""
    other = Browser("")
    for name, morsel in browser.cookies.items():
        other.cookies[name] = morsel.value
    return other


def making(browser: Browser) -> Answer:
    return browser.post("/matches/", {"game": "pigs", "seats": 2, "name": "Zoe", **token_of(browser)})


@pytest.fixture
def tabs(alice: Browser) -> tuple[Browser, Browser]:
    """Two tabs of a browser without a guest; in the first, a match was made since, and so a guest."""
    alice.get("/")
    other = copy_of(alice)
    assert making(alice).status_code == 302 and Guest.objects.count() == 1
    return alice, other


def test_a_page_that_was_open_before_the_guest_is_sent_for_the_guest(tabs: tuple[Browser, Browser]) -> None:
    """In a session of its own."""
    other = tabs[1]
    other.cookies["sessionid"] = "planted"
    assert making(other).status_code == 302
    assert Guest.objects.count() == 1 and Match.objects.count() == 2
    keys = {one.cookies["sessionid"].value for one in tabs}
    assert len(keys) == 2 and "planted" not in keys
    assert all(text(one.get("/mine/")).count("/m/") == 2 for one in tabs)


def test_only_the_browser_that_made_a_guest_gets_it(tabs: tuple[Browser, Browser], bob: Browser) -> None:
    bob.post("/matches/", {"game": "pigs", "seats": 2, "name": "Bob", **token_of(bob)})
    stranger = Browser("")
    making(stranger)
    assert Guest.objects.count() == 3
    secret = tabs[0].cookies["csrftoken"].value.encode()
    assert not any(secret in bytes(one.locked) for one in SentForm.objects.all())


def late(guest: Guest, first: Browser) -> None:
    SentForm.objects.update(made_at=timezone.now() - sent_forms.NEWCOMER_FOR - timedelta(seconds=1))


def signed_out_elsewhere(guest: Guest, first: Browser) -> None:
    Guest.objects.update(round=1)


def left(guest: Guest, first: Browser) -> None:
    assert first.post("/me/leave/", token_of(first)).status_code == 302
    assert not first.cookies["csrftoken"].value


def erased(guest: Guest, first: Browser) -> None:
    Guest.objects.update(leaving_at=timezone.now())


def merged(guest: Guest, first: Browser) -> None:
    Guest.objects.filter(pk=guest.pk).update(became=Guest.objects.create(name="Older"))


def another_came(guest: Guest, first: Browser) -> None:
    """Another guest signs in at the same browser, which keeps its secret."""
    link = new_ticket(Ticket.Kind.DEVICE, Guest.objects.create(name="Bob"))
    assert first.post(f"/s/you/{link}/take/", token_of(first)).status_code == 302


@pytest.mark.parametrize("since", [late, signed_out_elsewhere, left, erased, merged, another_came])
def test_a_guest_who_is_not_new_here_is_not_given(
    tabs: tuple[Browser, Browser], since: Callable[[Guest, Browser], None]
) -> None:
    first, other = tabs
    guest = Guest.objects.get()
    since(guest, first)
    guests, third = Guest.objects.count(), copy_of(other)
    for one in (other, third):  # both have the next guest
        assert making(one).status_code == 302 and Guest.objects.count() == guests + 1


def test_a_guest_who_came_back_by_a_link_is_not_given(alice: Browser) -> None:
    """Only one who is new: a secret cookie is no way back to what is kept for longer."""
    alice.get("/")
    other = copy_of(alice)
    guest = Guest.objects.create(name="Bob")
    Guest.objects.update(created_at=timezone.now() - timedelta(seconds=5))
    link = new_ticket(Ticket.Kind.DEVICE, guest)
    assert alice.post(f"/s/you/{link}/take/", token_of(alice)).status_code == 302
    assert making(other).status_code == 302 and Guest.objects.count() == 2


def test_what_is_kept_is_small_encrypted_and_goes_after_a_day(alice: Browser) -> None:
    alice.make()
    given = {"game": "pigs", "seats": 2, "name": "Zoe", **token_of(alice, "/new/pigs/")}
    first = alice.post("/matches/", given)
    row = SentForm.objects.get()
    seat = Seat.objects.get(letter="A", match__key=first["Location"].split("/")[2])
    invite = alice.own_links(seat)["invite"]
    assert len(row.locked) < 1000
    for told in (invite, str(first["Location"]), str(given["csrfmiddlewaretoken"])):
        assert told.encode() not in bytes(row.locked) and told not in row.found_by
    row.made_at = timezone.now() - sent_forms.KEPT_FOR - timedelta(seconds=1)
    row.save()
    assert alice.post("/matches/", given)["Location"] != first["Location"]
    assert SentForm.objects.get().made_at > row.made_at
    SentForm.objects.update(made_at=row.made_at - timedelta(days=1))
    assert list(prune(next(one for one in RETENTIONS if one.name == "forms"))) == [1]


def test_a_phrase_and_a_link_that_are_shown_once_are_shown_again(alice: Browser) -> None:
    """Otherwise the second would replace the first, and whichever came last would be another one's."""
    alice.make()
    for path in ("/me/phrase/", "/me/device/"):
        token = token_of(alice, "/me/")
        first, again = (alice.post(path, token) for _ in range(2))
        strip = lambda page: re.sub(r'\w{64}|src="data:[^"]*"', "", text(page))  # noqa: E731
        assert first.status_code == again.status_code == 200 and strip(first) == strip(again)
        assert strip(alice.post(path, token_of(alice, "/me/"))) != strip(first)


def test_signing_the_others_out_twice_keeps_oneself_in(alice: Browser) -> None:
    alice.make()
    token = token_of(alice, "/me/")
    lost(alice, lambda: alice.post("/me/others/", token))
    alice.post("/me/others/", token)
    assert "Alice" in text(alice.get("/me/")) and Guest.objects.get().round == 1


NATURE = {
    "language": "sets what it says",
    "rename": "sets what it says",
    "wishes": "sets what it says",
    "draw-board": "writes nothing",
    "first-lesson": "writes nothing",
    "learn": "writes nothing",
    "next-lesson": "writes nothing",
    "learn-more": "writes nothing",
    "puzzle": "writes nothing",
    "plan": "a draft is set; a turn's order is sealed once, and the same again changes nothing",
    "replies": "sets what is replied, and what is removed twice is removed once",
    "here": "sets who holds the device",
    "opened": "notes a time",
    "notes": "sets the note of per turn",
    "invite-program": "inviting again changes nothing",
    "unsubscribe": "switches off",
    "leave-here": "the guest is gone from the browser",
    "presence": "the guest is shown, or not",
    "keep": "sets a cookie",
    "offline-boards": "boards are kept here, or not",
    "bubbles": "they’re put away",
    "forget-me": "the guest is gone",
    "back-by-link": "leads on to another page",
    "back-by-phrase": "the browser becomes the same guest",
    "measure": "notes once that it was read, and once an objection",
}
"""The forms that have the same effect twice as once by what they are; all others are kept (`sent_forms`)."""

UNCOUNTED: frozenset[type[Any]] = frozenset({SentForm, Session, Entry})
"""Rows that there may be more of: what is kept of forms, sessions whose keys have changed, looks noted."""


def counted() -> dict[str, int]:
    return {
        kind._meta.label: kind._base_manager.count() for kind in apps.get_models() if kind not in UNCOUNTED
    }


def forms(there: World) -> list[Ask]:
    return [ask for ask in asks(there) if ask.method == "POST" and not ask.path.startswith("/api/")]


def test_only_forms_are_said_to_have_a_nature() -> None:
    assert NATURE.keys() < {ask.name for ask in forms(world())}


@pytest.mark.integration
@pytest.mark.fuzz
@pytest.mark.parametrize("who", ["Alice", pytest.param("watcher", marks=pytest.mark.more)])
def test_every_form_has_the_same_effect_twice_as_once(who: str) -> None:
    """After the second time there is as much of everything as after the first, and where one answer leads,
    the other does."""
    there = world()
    browser = there.people[who]
    browser.get("/")
    for n, ask in enumerate(some(forms(there))):
        token = "x" * 60 + f"{n:04}"
        data = {**(ask.data or {}), "csrfmiddlewaretoken": token}
        cookies = {name: morsel.value for name, morsel in browser.cookies.items()}
        with transaction.atomic():
            first = browser.post(ask.path, data, headers=ask.headers)
            after = counted()
            again = browser.post(ask.path, data, headers=ask.headers)
            assert counted() == after, ask.said
            if first.status_code == 302 and ask.name not in NATURE and who == "Alice":
                assert again.status_code == 302 and again["Location"] == first["Location"], ask.said
            transaction.set_rollback(True)
        browser.cookies.clear()
        for name, value in cookies.items():
            browser.cookies[name] = value
