"""The robot of docs/examples plays all four games with one token, answers proposals, takes rematches."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from games import GAMES
from tests.servers import ROOT, Server

pytestmark = pytest.mark.more

BOT = ROOT / "docs" / "examples" / "bot.py"
PATIENCE = 60


@contextmanager
def running(url: str, token: str, program: Path = BOT) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, str(program), url], env={"ROBOSITE_TOKEN": token, "PATH": ""})
    try:
        yield
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()


def once(happens: Callable[[], Any]) -> Any:
    """Waits for output, and returns it."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        if found := happens():
            return found
        time.sleep(0.1)
    raise AssertionError("nothing has happened")


class Person:
    """Somebody who plays one seat by its own token, through the same API."""

    def __init__(self, site: httpx.Client, game: str) -> None:
        self.site = site
        made = site.post("matches", json={"game": game, "name": "Ada"}).json()
        self.key, self.invite, self.seat = made["match"], made["invite"], made["seat"]
        self.own = {"Authorization": f"Bearer {made['token']}"}

    def match(self) -> dict[str, Any]:
        return dict(self.site.get(f"matches/{self.key}?legal=1", headers=self.own).json())

    def when(self, status: str) -> dict[str, Any] | None:
        """The match, if it is at this."""
        return now if (now := self.match())["status"] == status else None

    def post(self, call: str, **body: Any) -> dict[str, Any]:
        answer = self.site.post(f"matches/{self.key}/{call}", json=body, headers=self.own)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def plays_a_turn(self) -> None:
        """Goes on until a turn more is played, with the program's order in it or its own."""
        turn = self.match()["turn"]
        while (match := self.match())["turn"] == turn:
            if self.seat in match["to_act"]:
                order = (match["legal"] or [self.some(match)])[0]
                body = {"turn": turn, "order": order}
                self.site.put(f"matches/{self.key}/order", json=body, headers=self.own)
            time.sleep(0.1)

    def some(self, match: dict[str, Any]) -> str:
        """An order made of choices, the first that leads on."""
        order, seen = "", {""}
        while True:
            asked = {"turn": match["turn"], "order": order}
            planned = self.post("plan", **asked)
            if planned["missing"] is None:
                return str(planned["order"])
            after = sorted({one["order"] for one in planned["choices"] if not one["why_not"]} - seen)
            order = after[-1]
            seen.add(order)


def test_it_plays_all_games_and_answers_with_one_token(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        named = subprocess.check_output([sys.executable, str(BOT), server.url, "Hal"], text=True, env={})
        token = named.strip()
        with httpx.Client(base_url=f"{server.url}/api/v1/", timeout=60, verify=False) as site:
            people = [Person(site, game) for game in GAMES]
            hal = {"Authorization": f"Bearer {token}"}
            for one in people:
                sits = {"name": "Hal", "invite": one.invite}
                assert site.post(f"matches/{one.key}/seats", json=sits, headers=hal).status_code == 201
            with running(server.url, token):
                for one in people:
                    one.plays_a_turn()
                    one.plays_a_turn()
                    one.post("proposals", kind="draw", do="offer")
                    drawn = once(partial(one.when, "over"))
                    assert drawn["outcome"]["scores"] == {"A": 0.5, "B": 0.5}, one.key
                    one.key = one.post("rematch")["match"]
                    one.own = {}
                    after = once(partial(one.when, "playing"))
                    assert {"name": "Hal", "kind": "bot"} in after["seats"].values()


def test_it_sits_down_where_a_person_invites_it(tmp_path: Path) -> None:
    with Server(tmp_path) as server, httpx.Client(base_url=server.url, timeout=60, verify=False) as browser:
        token = httpx.post(f"{server.url}/api/v1/programs", json={"name": "Hal"}).json()["token"]
        with running(server.url, token):
            once(lambda: "Hal" in browser.get("/programs/").text)

            def send(path: str, **form: str) -> httpx.Response:
                form["csrfmiddlewaretoken"] = browser.cookies["csrftoken"]
                return browser.post(path, data=form, headers={"Referer": server.url})

            made = send("/matches/", name="Ada", game="robble", seats="2", preset="standard")
            seat = made.headers["location"]
            number = re.findall(r'name="program" value="(\d+)"', browser.get(f"{seat}programs/").text)
            assert send(f"{seat}programs/", program=number[0]).status_code == 302
            match = f"{server.url}/api/v1/matches/{seat.split('/')[2]}"
            sits = {"name": "Hal", "kind": "bot"}
            once(lambda: sits in httpx.get(match).json()["seats"].values())
