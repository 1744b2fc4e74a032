"""From the first page to the invite, and one device that goes from hand to hand."""

from __future__ import annotations

import re
import time
from contextlib import suppress

import pytest
from playwright.sync_api import Error, Page, Route, expect

from games import GAMES, newest
from tests.browser.conftest import Visit
from tests.browser.looks import Faults
from tests.browser.people import DESKTOP, PHONE, ROUNDS, SMALLEST_PHONE, Person
from tests.receivers import until

pytestmark = pytest.mark.more


def curtain(person: Person, name: str) -> None:
    expect(person.page.get_by_role("heading", name=f"Pass the device to {name}")).to_be_visible()


def am(person: Person, name: str) -> None:
    person.press(person.button(f"I’m {name}"))


@pytest.mark.parametrize("slug", GAMES)
def test_only_what_goes_together_is_shown_and_it_fits_the_smallest_phone(visit: Visit, slug: str) -> None:
    """Without scripts: what a variant brings with it shows while it is chosen."""
    alice = visit("Alice", java_script_enabled=False, **SMALLEST_PHONE)
    alice.page.goto(f"/new/{slug}/")
    game = newest(slug)
    others = alice.page.locator(".others > summary")
    others.click()
    for key, preset in game.presets.items():
        alice.page.locator(f'[name="preset"][value="{key}"]').check()
        players = alice.page.locator(f'[name="seats-{key}"]')
        if len(preset.seats) > 1:
            expect(players.first).to_be_visible()
        for other in game.presets.keys() - {key}:
            for hidden in alice.page.locator(f'[name="seats-{other}"]').all():
                expect(hidden).to_be_hidden()
    alice.page.locator('[name="preset"][value="mix"]').check()
    expect(alice.page.locator('[name^="option-"]').first).to_be_visible()


def test_the_fold_of_the_variants_stays_open_over_the_chosen_one(visit: Visit) -> None:
    page = visit("Alice", java_script_enabled=False, **PHONE).page
    page.goto("/new/pigs/")
    kids, heading = page.get_by_role("radio", name="Kids"), page.get_by_text("More variants")
    expect(kids).to_be_hidden()
    heading.click()
    kids.check()
    heading.click(force=True)
    expect(kids).to_be_visible()
    expect(page.locator('[name="seats-kids"]').first).to_be_visible()
    page.get_by_role("radio", name="Standard").check()
    heading.click()
    expect(kids).to_be_hidden()
    expect(page.locator('[name="seats-standard"]').first).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("slug", GAMES)
def test_making_has_nothing_for_axe_in_both_themes(visit: Visit, slug: str, faults: Faults) -> None:
    alice = visit("Alice", viewport={"width": 320, "height": 640}, has_touch=True)
    for address in (f"/new/{slug}/", f"/new/{slug}/?preset=mix"):
        alice.page.goto(address)
        alice.page.locator('[name="with"][value="here"]').check()
        # the list of other games, which lies over others, comes last
        for summary in reversed(alice.page.locator("summary:visible").all()):
            summary.click()
        faults.look(alice.page, address)


def share(alice: Person) -> None:
    alice.page.goto("/new/pigs/")
    alice.page.get_by_label("Your name").fill(alice.name)
    alice.page.get_by_role("radio", name="This device").check()
    alice.page.get_by_label("Who else plays on this device?").fill("Ben")
    alice.press(alice.page.locator(".make-bar .primary"))
    expect(alice.page).to_have_url(re.compile("/A/$"))


@pytest.mark.parametrize("with_scripts", [True, False], ids=["scripts", "no scripts"])
def test_one_device_goes_from_hand_to_hand(visit: Visit, with_scripts: bool) -> None:
    alice = visit("Alice", java_script_enabled=with_scripts, **PHONE)
    share(alice)
    alices, bens = ROUNDS[0]
    seat = alice.page.url
    alice.write(alices)
    alice.seal()
    curtain(alice, "Ben")
    for _ in range(3):  # the back button shows nothing secret
        back(alice.page)
        shows_no_plan(alice, alices)
    alice.page.goto(seat.replace("/A/", "/B/"))
    am(alice, "Ben")
    expect(alice.slots.first).to_have_accessible_name("Slot 1: free. Fill it next.")
    alice.write(bens)
    alice.seal()
    alice.sees_round(1)
    expect(alice.button("I’m Alice")).to_be_visible()
    back(alice.page)
    shows_no_plan(alice, bens)


def test_the_reveal_at_a_shared_device_wins_over_what_the_socket_says_meanwhile(visit: Visit) -> None:
    alice = visit("Alice", **PHONE)
    share(alice)
    alices, bens = ROUNDS[0]
    alice.write(alices)
    alice.seal()
    curtain(alice, "Ben")
    am(alice, "Ben")
    alice.write(bens)
    alice.page.route("**/?at=*", slowly)
    alice.seal()
    alice.sees_round(1)


def slowly(route: Route) -> None:
    """A page that is long under way, so that the open one hears of the change before it has gone."""
    time.sleep(2)
    route.continue_()


def back(page: Page) -> None:
    """Back in the browser's history; a page that comes back may at once go on to where it belongs."""
    with suppress(Error):
        page.go_back()
    page.wait_for_timeout(1000)
    page.wait_for_load_state()


def shows_no_plan(person: Person, plan: str) -> None:
    expect(person.page.locator("[data-slot]:not(.free)")).to_have_count(0)
    expect(person.page.get_by_text(plan, exact=True)).to_have_count(0)


def test_what_the_form_says_already_is_there_among_all_options(visit: Visit) -> None:
    page = visit("Greta", **DESKTOP).page
    page.goto("/new/robble/")
    name = page.get_by_label("Your name")
    name.fill("Greta")
    page.get_by_text("Bot", exact=True).click()
    page.locator("[name=bot][value=quick]").check()
    page.locator(".others > summary").click()
    page.get_by_role("link", name="Customise this variant").filter(visible=True).first.click()
    page.wait_for_url("**preset=**")
    expect(name).to_have_value("Greta")
    assert "Greta" not in page.url
    expect(page.locator("[name=with][value=bot]")).to_be_checked()
    expect(page.locator("[name=bot][value=quick]")).to_be_checked()


def _made(alice: Person) -> int:
    alice.page.goto("/mine/")
    return len(
        set(
            alice.page.locator('a[href^="/m/"]').evaluate_all(
                "all => all.map(one => one.pathname.split('/')[2])"
            )
        )
    )


def test_another_game_keeps_the_name_and_the_way_back_the_variant_and_the_number(visit: Visit) -> None:
    guest = visit("Guest", **PHONE)
    page, kids = guest.page, guest.page.locator("[name=preset][value=kids]")

    def to_another(game: str) -> None:
        page.locator(".which-game summary").click()
        guest.press(page.locator(".which-game a", has_text=game))
        expect(page.get_by_role("heading", level=1)).to_have_text(game)

    page.goto("/new/pigs/?with=link")
    page.get_by_label("Your name").fill("Zoe")
    page.locator("summary", has_text="More variants").click()
    kids.check(force=True)
    to_another("Roboxing")
    expect(page.get_by_label("Your name")).to_have_value("Zoe")
    page.go_back()
    expect(kids).to_be_checked()
    expect(page.locator("label").filter(has=kids)).to_be_visible()
    page.goto("/new/pigs/?with=link")
    page.locator("[name=preset][value=standard]").check()
    page.locator("[name=seats-standard]").select_option("bash-7")
    for game in ("Robble", "Robo Battle Pigs"):
        to_another(game)
    for _left_in_between in range(2):
        expect(page.locator("[name=preset][value=bash]")).to_be_checked()
        expect(page.locator("[name=seats-bash]")).to_have_value("7")
        page.goto("/")
        page.goto("/new/pigs/?with=link")
    assert not page.locator(".narrow .error").count()


@pytest.mark.parametrize("with_scripts", [True, False], ids=["scripts", "no scripts"])
def test_more_players_than_the_usual_variant_takes_lead_to_the_variant_that_takes_them(
    visit: Visit, with_scripts: bool
) -> None:
    guest = visit("Guest", java_script_enabled=with_scripts, **PHONE)
    page = guest.page
    page.goto("/new/roboxing/?with=link")
    page.locator("[name^=seats-]:visible").select_option("melee-3")
    if with_scripts:
        expect(page.locator("[name=preset][value=melee]")).to_be_checked()
        expect(page.locator("[name=seats-melee]")).to_have_value("3")
        expect(page.get_by_text("Three or four robots; the last one standing wins.")).to_be_visible()
    page.get_by_label("Your name").fill("Greta")
    guest.press(guest.page.locator(".make-bar .primary"))
    expect(page.locator("#status")).to_contain_text("Waiting for 2 friends")


def test_a_pair_is_offered_to_two_players_only_and_their_number_goes_on_to_another_variant(
    visit: Visit,
) -> None:
    page = visit("Guest", **DESKTOP).page
    page.goto("/new/pigs/?with=link")
    page.locator("details.rest > summary").click()
    pair = page.locator("[name=series][value=pair]")
    pair.check(force=True)
    page.locator("[name=seats-standard]").select_option("3")
    expect(pair).to_be_hidden()
    expect(page.locator("[name=series][value='']")).to_be_checked()
    expect(page.locator("[data-set]")).to_contain_text("single match")
    page.locator("[name=seats-standard]").select_option("2")
    expect(pair).to_be_visible()
    page.locator("[name=seats-standard]").select_option("3")
    page.locator("summary", has_text="More variants").click()
    page.locator("[name=preset][value=kids]").check(force=True)
    expect(page.locator("[name=seats-kids]")).to_have_value("3")
    page.get_by_role("link", name="Customise this variant").filter(visible=True).first.click()
    expect(page.locator("[name=preset][value=mix]")).to_be_checked()
    expect(page.locator("[name=seats-mix-sides]")).to_have_value("3")


@pytest.mark.parametrize("with_scripts", [True, False], ids=["scripts", "no scripts"])
@pytest.mark.parametrize("page", ["/new/pigs/", "/"])
def test_two_taps_on_a_slow_line_make_one_match(visit: Visit, page: str, with_scripts: bool) -> None:
    """Without scripts both forms arrive; the browser takes the answer to the second."""
    alice = visit("Alice", java_script_enabled=with_scripts, **PHONE)
    sent = []

    def slowly(route: Route) -> None:
        if route.request.method == "POST":
            sent.append(route.request.url)
            time.sleep(1)
        with suppress(Error):
            route.continue_()

    alice.page.goto(page)
    if page != "/":
        alice.page.get_by_label("Your name").fill("Alice")
    alice.page.route(re.compile("/(matches|play)/$"), slowly)
    button = alice.page.locator(".make-bar .primary, .hello .play-now")
    button.dblclick(no_wait_after=True)
    alice.page.wait_for_url(re.compile("/m/"))
    assert _made(alice) == 1
    assert len(sent) == 1 if with_scripts else sent


IS_THERE = """() => {
  const [{ type }] = performance.getEntriesByType("navigation");
  const lists = document.querySelector(".games.mine, .greeting");
  return document.readyState === "complete" && (type === "reload" || !lists);
}"""


def goes_back(person: Person, path: str) -> None:
    """Back to that page; if it lists what waits it asks for itself anew (site.js), until it has come."""

    def is_there() -> bool:
        with suppress(Error):  # it is being loaded
            return bool(person.page.evaluate(IS_THERE))
        return False

    person.page.go_back()
    person.page.wait_for_url(re.compile(rf":\d+{path}$"))
    until(is_there)


@pytest.mark.parametrize("page", ["/new/pigs/", "/"])
def test_back_and_again_is_the_same_match_and_a_changed_form_another(visit: Visit, page: str) -> None:
    alice = visit("Alice", **PHONE)
    alice.page.goto(page)
    if page != "/":
        alice.page.get_by_label("Your name").fill("Alice")
    at = ""
    for _ in range(2):
        button = alice.page.locator(".make-bar .primary, .hello .play-now")
        expect(button).not_to_have_attribute("aria-disabled", "true")
        button.click()
        alice.page.wait_for_url(re.compile("/m/"))
        assert at in ("", alice.page.url)
        at = alice.page.url
        goes_back(alice, page)
    if page == "/":
        alice.page.goto("/rules/roboxing/")
        alice.button("Play now").click()
    else:
        alice.page.get_by_label("Your name").fill("Alina")
        alice.page.locator(".make-bar .primary").click()
    alice.page.wait_for_url(re.compile("/m/"))
    assert alice.page.url != at and _made(alice) == 2
    alice.page.goto(page)
    button = alice.page.locator(".make-bar .primary, .hello .play-now")
    if button.count():
        button.click()
        alice.page.wait_for_url(re.compile("/m/"))
        assert _made(alice) == 3, "the page was asked for anew"
