"""Robots may fetch all but the admin, and nothing of matches and links is indexed."""

from __future__ import annotations

from pathlib import Path
from urllib.robotparser import RobotFileParser

import httpx
import pytest

from tests.servers import Server

AGENTS = ["Google-Calendar-Importer", "Googlebot", "Slackbot-LinkExpanding", "facebookexternalhit", "Feedly"]
KEY, SECRET = "a" * 12, "x" * 32
ADDRESSES = [
    f"/s/calendar/{SECRET}/",
    f"/s/feed/{SECRET}/",
    f"/s/invite/{SECRET}/",
    f"/s/seat/{SECRET}/",
    f"/s/unsubscribe/{SECRET}/",
    "/s/",
    "/S/feed/x/",
    "/m/",
    f"/m/{KEY}/",
    f"/m/{KEY}",
    f"/m/{KEY}/A/",
    f"/m/{KEY}/card.png",
    f"/m/{KEY}/1.svg",
    f"/m/{KEY}/comic.gif",
    f"/m/{KEY}/record/",
]


@pytest.mark.integration
def test_previews_feeds_and_calendars_may_be_fetched_and_are_not_indexed(tmp_path: Path) -> None:
    with (
        Server(tmp_path, LIMITS="on") as server,
        httpx.Client(base_url=server.url, timeout=60, verify=False) as client,
    ):
        rules = RobotFileParser()
        rules.parse(client.get("/robots.txt").text.splitlines())
        for agent in AGENTS:
            assert all(rules.can_fetch(agent, f"{server.url}{address}") for address in ADDRESSES)
            assert not rules.can_fetch(agent, f"{server.url}/admin/")
        for address in ADDRESSES:
            for answer in (client.get(address), client.head(address), client.post(address, data={"a": "b"})):
                assert answer.headers["X-Robots-Tag"] == "noindex", (answer.request.method, address)
        for address in ("/", "/rules/", "/puzzles/", "/robots.txt"):
            assert "X-Robots-Tag" not in client.get(address).headers
        home = client.get("/")
        token = home.text.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
        made = client.post("/play/", data={"csrfmiddlewaretoken": token, "game": "pigs", "name": "Alice"})
        assert made.status_code == 302, made.text
        seat = made.headers["location"].partition("?")[0]
        match = seat.rstrip("/").rpartition("/")[0]
        own = [match + path for path in ("/", "/card.png", "/version/", "/record/", "/nothing/")]
        for path in (*own, f"{seat}time/"):
            assert client.get(path).headers["X-Robots-Tag"] == "noindex", path
        link = client.post("/notices/add/", data={"csrfmiddlewaretoken": token, "kind": "calendar"})
        page = client.get(link.headers["location"]).text
        calendar = page.partition(f">{server.url}/s/calendar/")[2].partition("<")[0]
        answer = client.get(f"/s/calendar/{calendar}")
        assert answer.text.startswith("BEGIN:VCALENDAR") and answer.headers["X-Robots-Tag"] == "noindex"
