"""What appears by itself while somebody looks leaves everything else where it was: the way on from a match of
a league on which one waits, and an entry of My games whose turn has come.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.people import STILL
from tests.servers import Server

pytestmark = pytest.mark.more

SMALL: Any = {"viewport": {"width": 390, "height": 664}, **STILL}
NAMES = ("Ada", "Ben", "Cleo")


@pytest.fixture
def client(site: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{site.url}/api/v1/", timeout=60, trust_env=False, verify=False) as one:
        yield one


class Trio:
    """A league of three at Robble, played by programs; Ada looks on in her browser."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        asked = {"name": "Spring", "game": "robble", "preset": "small", "organiser": NAMES[0], "names": []}
        made = self.ask("POST", "leagues", asked)
        self.key, self.tokens, self.link = made["league"], {NAMES[0]: made["token"]}, made["place_url"]
        for name in NAMES[1:]:
            place = {"name": name, "invite": made["invite"]}
            self.tokens[name] = self.ask("POST", f"leagues/{self.key}/places", place)["token"]
        self.ask("POST", f"leagues/{self.key}/start", token=made["organiser_token"])
        places = self.ask("GET", f"leagues/{self.key}")["places"]
        names = {one["place"]: one["name"] for one in places}
        rows = self.ask("GET", f"leagues/{self.key}/matches")["matches"]
        self.matches = {one["match"]: {at: names[n] for at, n in one["seats"].items()} for one in rows}

    def ask(self, method: str, path: str, data: Any = None, *, token: str = "") -> Any:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = self.client.request(method, path, json=data, headers=headers)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def match(self, **seats: str) -> str:
        """The key of the match in which somebody has this seat."""
        (found,) = (key for key, held in self.matches.items() if seats.items() <= held.items())
        return found

    def play(self, name: str, key: str, turn: int, order: str) -> None:
        self.ask("PUT", f"matches/{key}/order", {"turn": turn, "order": order}, token=self.tokens[name])


def places(page: Page, *selectors: str) -> list[dict[str, int]]:
    boxes: list[Any] = [page.locator(one).first.bounding_box() for one in selectors]
    return [{what: round(size) for what, size in box.items()} for box in boxes]


def test_the_way_to_the_next_match_of_a_league_has_its_place(visit: Visit, client: httpx.Client) -> None:
    trio, ada = Trio(client), visit("Ada", **SMALL)
    ada.page.goto(trio.link)
    ada.press(ada.button("Continue as Ada"))
    first, second = trio.match(A="Ada"), trio.match(B="Ada")
    trio.play("Ada", first, 0, "c3")
    ada.page.goto(f"/m/{first}/A/")
    way = ada.page.locator(".next-match")
    expect(way).to_have_text("Today’s puzzle", use_inner_text=True)
    before = places(ada.page, "#film", "h1", "#status")
    trio.play(trio.matches[second]["A"], second, 0, "c3")
    expect(way).to_have_text("Next match one is waiting", timeout=20_000, use_inner_text=True)
    assert places(ada.page, "#film", "h1", "#status") == before
    ada.press(way.get_by_role("link"))
    expect(ada.page).to_have_url(f"{ada.page.url.partition('/m/')[0]}/m/{second}/B/")


def test_an_entry_of_my_games_whose_turn_comes_keeps_its_place(visit: Visit, client: httpx.Client) -> None:
    ada, tables = visit("Ada", **SMALL), []

    def play(key: str, token: str, turn: int, order: str) -> None:
        body, headers = {"turn": turn, "order": order}, {"Authorization": f"Bearer {token}"}
        assert client.put(f"matches/{key}/order", json=body, headers=headers).is_success

    for at in range(3):
        made = client.post("matches", json={"game": "robble", "preset": "small", "name": "Ada"}).json()
        asked = {"name": f"Friend {at}", "invite": made["invite"]}
        seat = client.post(f"matches/{made['match']}/seats", json=asked).json()
        play(made["match"], made["token"], 0, "c3")
        ada.page.goto(made["seat_url"])
        ada.press(ada.button("Continue as Ada"))
        tables.append((made["match"], seat["token"]))
    ada.page.goto("/mine/")
    order = ada.page.locator(".games.mine > li > a")
    expect(order).to_have_count(3)
    before = [one.get_attribute("id") for one in order.all()]
    where = places(ada.page, *(f"#{one}" for one in before), ".my-games")
    expect(ada.page.locator(".next-of-all")).to_have_count(0)
    ada.page.mouse.move(5, 5)  # her hands are on the page
    last, token = next(one for one in tables if f"game-{one[0]}" == before[-1])
    play(last, token, 1, "c4")
    expect(order.last).to_contain_text("your turn", timeout=20_000)
    expect(ada.page.locator(".next-of-all")).to_contain_text("Next · 1")
    assert [one.get_attribute("id") for one in order.all()] == before
    assert places(ada.page, *(f"#{one}" for one in before), ".my-games") == where
    ada.page.reload()
    assert order.first.get_attribute("id") == before[-1], "a page that is loaded is sorted"
