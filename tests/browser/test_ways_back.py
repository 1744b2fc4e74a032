"""A browser forgets everything, and each way back brings every seat back: link, phrase and friends."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.people import DESKTOP, PHONE, Person, Watcher
from tests.servers import Server, manage

pytestmark = pytest.mark.more


def new_table(alice: Person, ben: Person) -> str:
    """Alice and Ben sit down; says the address of Ben's seat."""
    invite = alice.make_match()
    ben.sit_down(invite)
    return ben.address


def lose_cookies(person: Person, seat: str, watcher: Watcher) -> None:
    person.context.clear_cookies()
    watcher.allow("status of 403")
    person.page.goto(seat)
    expect(person.page.get_by_text("It doesn’t belong to this browser.")).to_be_visible()


def plays_at(person: Person, seat: str) -> None:
    person.page.goto(seat)
    expect(person.button("Seal")).to_be_visible()


def to_you(person: Person) -> None:
    person.page.goto("/")
    person.press(person.page.get_by_role("link", name=person.name, exact=True))
    expect(person.page.get_by_role("heading", name=person.name)).to_be_visible()
    person.press(person.page.get_by_role("link", name="Settings"))
    person.press(person.page.locator("#recovery > summary"))


def test_six_words_bring_everything_back(visit: Visit, watcher: Watcher) -> None:
    alice, ben = visit("Alice", **DESKTOP), visit("Ben", **PHONE)
    first = new_table(alice, ben)
    second = new_table(alice, ben)
    to_you(ben)
    ben.press(ben.button("Create my phrase"))
    expect(ben.page.locator("#phrase li")).to_have_count(6)
    words = ben.page.locator("#phrase li").all_inner_texts()
    ben.press(ben.page.get_by_role("link", name="I wrote them down"))
    expect(ben.page.locator("#phrase li")).to_have_count(0)
    ben.page.wait_for_load_state()
    lose_cookies(ben, first, watcher)
    ben.press(ben.page.get_by_role("link", name="Phrase or e-mail"))
    ben.page.get_by_label("Your recovery phrase").fill(" ".join(words))
    ben.press(ben.button("Recover my games"))
    expect(ben.page.get_by_role("heading", name="My games")).to_be_visible()
    expect(ben.page.locator("#mine .yours")).to_have_count(2)
    plays_at(ben, first)
    plays_at(ben, second)


def test_a_link_brings_everything_to_another_device(visit: Visit, watcher: Watcher) -> None:
    alice, ben, phone = visit("Alice", **DESKTOP), visit("Ben", **DESKTOP), visit("Ben", **PHONE)
    seat = new_table(alice, ben)
    to_you(ben)
    ben.press(ben.button("Show link"))
    code = ben.page.get_by_alt_text("QR code of this link")
    assert code.evaluate("image => image.naturalWidth") > 100
    link = ben.page.get_by_label("The link:").input_value()
    phone.page.goto(link)
    phone.press(phone.button("I’m Ben"))
    expect(phone.page).to_have_url(re.compile("/mine/$"))
    plays_at(phone, seat)
    plays_at(ben, seat)
    watcher.allow("status of 404")
    again = phone.page.goto(link)
    assert again and again.status == 404


def test_friends_bring_a_lost_seat_back(visit: Visit, watcher: Watcher, site: Server) -> None:
    alice, ben = visit("Alice", **DESKTOP), visit("Ben", **PHONE)
    old = visit("Ben", **DESKTOP)
    seat = new_table(alice, old)
    watcher.allow("^Ben: .*(403|unsafe-eval)")  # while debugging, django-htmx shows errors by eval
    ben.page.goto(seat)
    ben.press(ben.page.get_by_role("link", name="I’m Ben and have lost my seat"))
    ben.press(ben.button("I’m Ben: ask for my seat"))
    expect(ben.page.get_by_text("Alice can say yes")).to_be_visible()
    expect(old.page.get_by_text("Someone is asking for your seat.")).to_be_visible()
    alice.press(alice.button("Yes, this is Ben"))
    expect(old.page.get_by_text("unless you do something here first")).to_be_visible()
    ben.page.reload()
    expect(ben.page.get_by_text("Alice said yes.")).to_be_visible()
    old.press(old.button("Keep my seat"))
    expect(old.page.get_by_text("Someone is asking for your seat.")).to_have_count(0)
    ben.page.reload()
    expect(ben.page.get_by_text("a bot")).to_be_visible()
    ben.press(ben.button("I’m Ben: ask for my seat"))
    alice.press(alice.button("Yes, this is Ben"))
    expect(alice.button("Withdraw my yes")).to_be_visible()
    a_day_later = (
        "from datetime import timedelta; from django.db.models import F;"
        "from robosite.matches.models import Asking, Match; day = timedelta(days=1);"
        "Asking.objects.update(due=F('due') - day);"
        "Match.objects.update(handover_at=F('handover_at') - day)"
    )
    manage("shell", "-c", a_day_later, env=site.env)
    ben.page.reload()
    expect(ben.button("Seal")).to_be_visible()
    old.page.goto(seat)
    expect(old.page.get_by_text("It doesn’t belong to this browser.")).to_be_visible()


@pytest.mark.parametrize("lists", ["/mine/", "/"], ids=["my games", "home"])
def test_back_to_a_list_shows_what_waits_now(visit: Visit, lists: str) -> None:
    alice, ben = visit("Alice", **DESKTOP), visit("Ben", **PHONE)
    new_table(alice, ben)
    alice.page.goto(lists)
    waits = alice.page.get_by_role("link", name=re.compile("your turn|Play on"))
    alice.press(waits.first)
    alice.seal("F F F F F")
    alice.has_sealed()
    alice.page.go_back()
    expect(alice.page).to_have_url(re.compile(f"{re.escape(lists)}$"))
    expect(waits).to_have_count(0)
