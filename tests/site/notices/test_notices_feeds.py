"""Feeds of notices, as readers take them."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from typing import Any
from xml.etree import ElementTree

import feedparser
import icalendar
import pytest

from robosite.matches import flow
from robosite.matches.models import Match, Seat
from robosite.notices.models import Channel
from tests.checkers import check
from tests.site.browsers import FIRST, OTHER, Browser, Table, text
from tests.site.conftest import Time
from tests.site.notices.test_notices import ends

pytestmark = pytest.mark.django_db


ATOM = {"a": "http://www.w3.org/2005/Atom"}


def link(browser: Browser, kind: str) -> str:
    """A new feed (atom) or calendar; the path of its secret link."""
    browser.post("/notices/add/", {"kind": kind})
    at = {"atom": "feed", "calendar": "calendar"}[kind]
    found = re.search(f">http://testserver(/s/{at}/[^/]+/)<", text(browser.get("/notices/")))
    return found[1]


def entries(browser: Browser, path: str) -> list[tuple[str, str, str]]:
    """Title, id and link of each entry of a feed."""
    answer = browser.get(path)
    assert answer["Content-Type"] == "application/atom+xml; charset=utf-8"
    feed = ElementTree.fromstring(answer.content)
    assert feed.find("a:id", ATOM) is not None and feed.find("a:updated", ATOM) is not None
    return [
        (
            one.findtext("a:title", "", ATOM),
            one.findtext("a:id", "", ATOM),
            one.find("a:link", ATOM).attrib["href"],
        )
        for one in feed.findall("a:entry", ATOM)
    ]


def test_the_feed_tells_what_waits_and_says_so_when_it_is_dealt_with(table: Table) -> None:
    path = link(table.alice, "atom")
    table.play((FIRST, FIRST))
    flow.seal(table.b, 1, OTHER)
    reader = Browser("")
    before = entries(reader, path)
    titles = [title for title, _, _ in before]
    assert "Your turn: Robo Battle Pigs with Bob" in titles
    assert before[0][2] == f"http://testserver/m/{table.key}/A/"
    assert OTHER not in text(reader.get(path))
    flow.seal(table.a, 1, FIRST)
    after = {number: title for title, number, _ in entries(reader, path)}
    was = {title: number for title, number, _ in before}
    assert after[was["Your turn: Robo Battle Pigs with Bob"]] == "Done: Your turn: Robo Battle Pigs with Bob"


def test_a_feed_that_has_not_changed_is_not_sent_again(table: Table) -> None:
    path = link(table.alice, "atom")
    answer = table.charlie.get(path)
    assert table.charlie.get(path, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    table.play((FIRST, FIRST))
    assert table.charlie.get(path, headers={"If-None-Match": answer["ETag"]}).status_code == 200


def test_a_new_link_ends_the_old_one_and_so_does_removing_it(table: Table) -> None:
    path = link(table.alice, "atom")
    channel = Channel.objects.get()
    table.alice.post(f"/notices/{channel.number}/", {"do": "renew"})
    assert table.charlie.get(path).status_code == 404
    new = re.search(r">http://testserver(/s/feed/[^/]+/)<", text(table.alice.get("/notices/")))
    assert new and table.charlie.get(new[1]).status_code == 200
    table.alice.post(f"/notices/{channel.number}/", {"do": "remove"})
    assert table.charlie.get(new[1]).status_code == 404


def test_the_site_keeps_a_hash_of_the_link_alone(table: Table) -> None:
    secret = link(table.alice, "calendar").split("/")[3]
    channel = Channel.objects.get()
    assert channel.link_hash and secret not in str(vars(channel))
    assert secret not in text(table.bob.get("/notices/"))


def test_a_feed_is_no_calendar_and_the_other_way_around(table: Table) -> None:
    assert table.charlie.get(link(table.alice, "atom").replace("feed", "calendar")).status_code == 404
    assert table.charlie.get(link(table.alice, "calendar").replace("calendar", "feed")).status_code == 404


def events(browser: Browser, path: str) -> list[Any]:
    answer = browser.get(path)
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    lines = answer.content.split(b"\r\n")
    assert all(len(line) <= 75 for line in lines) and b"\n" not in b"".join(lines)
    return list(icalendar.Calendar.from_ical(answer.content).walk("VEVENT"))


def test_the_calendar_has_the_deadlines_of_what_waits(table: Table, time: Time) -> None:
    path = link(table.alice, "calendar")
    ends(table, time, hours=30)
    (event,) = events(table.charlie, path)
    assert event["DTEND"].dt == (time.now() + timedelta(hours=30)).replace(microsecond=0)
    assert str(event["SUMMARY"]) == "Deadline: Robo Battle Pigs with Bob"
    assert event["URL"].endswith(f"/m/{table.key}/A/")
    flow.seal(table.a, 0, FIRST)
    assert events(table.charlie, path) == []


@pytest.mark.parametrize(
    ("public", "to"), [("", "testserver"), ("https://robots.example:8443", "robots.example:8443")]
)
def test_a_calendar_is_subscribed_to_and_says_that_it_is_late(
    table: Table, settings: Any, public: str, to: str
) -> None:
    settings.PUBLIC_URL = public
    table.alice.post("/notices/add/", {"kind": "calendar"})
    table.alice.post("/notices/add/", {"kind": "atom"})
    page = text(table.alice.get("/notices/"))
    (secret,) = re.findall(r"://[^/]+/s/calendar/([^/]+)/", page.partition('href="webcal:')[0])
    assert f'href="webcal://{to}/s/calendar/{secret}/"' in page and page.count("webcal:") == 1
    assert "Calendar apps update every few hours" in page
    assert events(table.charlie, f"/s/calendar/{secret}/") == []
    assert "webcal:" not in text(table.bob.get("/notices/"))


NASTY = "Bob;,\\n\\ 🤖" + "ä" * 60


def test_names_break_no_calendar_and_no_feed(table: Table, time: Time) -> None:
    path, feed = link(table.alice, "calendar"), link(table.alice, "atom")
    table.play((FIRST, FIRST))
    Seat.objects.filter(pk=table.b.pk).update(name=NASTY + "\r\nATTACH:evil\r\n<b>&amp;")
    ends(table, time, hours=30)
    (event,) = events(table.charlie, path)
    assert "ATTACH" not in event and NASTY in str(event["SUMMARY"])
    assert any("<b>&amp;" in title for title, _, _ in entries(table.charlie, feed))
    root = ElementTree.fromstring(table.charlie.get(feed).content)
    summaries = [one.text or "" for one in root.iter("{http://www.w3.org/2005/Atom}summary")]
    assert not [one for one in summaries if "<b>" in one]  # they are HTML, and escaped once more


def test_lines_are_folded_between_signs(table: Table, time: Time) -> None:
    path, name = link(table.alice, "calendar"), "🤖ä" * 60
    Seat.objects.filter(pk=table.b.pk).update(name=name)
    ends(table, time, hours=30)
    text = table.charlie.get(path).content.decode()  # a sign cut in two is no UTF-8
    assert max(len(line.encode()) for line in text.split("\r\n")) <= 75
    assert f"SUMMARY:Deadline: Robo Battle Pigs with {name}" in text.replace("\r\n ", "").split("\r\n")


def test_who_asks_is_shown_when(table: Table) -> None:
    path = link(table.alice, "atom")
    assert "Not fetched yet" in text(table.alice.get("/notices/"))
    table.charlie.get(path)
    assert "Last fetched" in text(table.alice.get("/notices/"))


def test_a_match_whose_seat_is_lost_leaves_the_feed(table: Table) -> None:
    path = link(table.alice, "atom")
    table.play((FIRST, FIRST))
    assert entries(table.charlie, path)
    table.a.holds.all().delete()
    assert entries(table.charlie, path) == []
    assert Match.objects.filter(key=table.key).exists()


def calendar_at(reader: Browser, path: str) -> Any:
    """The calendar there as ical.js reads it, the parser of Thunderbird's calendar."""
    told = check("calendar.mjs", given=reader.get(path).content.decode())
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


def feed_at(reader: Browser, path: str) -> Any:
    """The feed there as feedparser reads it, which complains (`bozo`) of whatever is not well-formed."""
    answer = reader.get(path)
    feed = feedparser.parse(answer.content, response_headers={"content-type": answer["Content-Type"]})
    assert not feed.bozo, feed.bozo_exception
    assert feed.version == "atom10"
    return feed


def test_a_calendar_reads_the_deadlines(table: Table, time: Time) -> None:
    path = link(table.alice, "calendar")
    assert calendar_at(table.charlie, path)["events"] == []
    Seat.objects.filter(pk=table.b.pk).update(name=NASTY)
    ends(table, time, hours=30)
    (event,) = calendar_at(table.charlie, path)["events"]
    assert event["summary"] == f"Deadline: Robo Battle Pigs with {NASTY}"
    deadline = (time.now() + timedelta(hours=30)).replace(microsecond=0)
    assert datetime.fromisoformat(event["ends"]) == deadline
    assert event["begins"] <= event["ends"] and event["uid"]
    assert {"dtstamp", "url"} <= set(event["properties"])
    flow.seal(table.a, 0, FIRST)
    assert calendar_at(table.charlie, path)["events"] == []


def test_a_feed_reader_reads_what_waits(table: Table) -> None:
    path = link(table.alice, "atom")
    assert feed_at(table.charlie, path).feed.title
    Seat.objects.filter(pk=table.b.pk).update(name=f"{NASTY} <b>&amp;")
    table.play((FIRST, FIRST))
    flow.seal(table.b, 1, OTHER)
    feed = feed_at(table.charlie, path)
    assert feed.feed.links[0].href and feed.feed.updated_parsed
    entry = next(one for one in feed.entries if "Your turn" in one.title)
    assert entry.link == f"http://testserver/m/{table.key}/A/"
    assert entry.id and entry.updated_parsed and "<b>" not in entry.summary
    assert len({one.id for one in feed.entries}) == len(feed.entries)
