"""A calendar's own parser and a feed reader's own read what the site writes for them."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import feedparser
import pytest

from robosite.matches import flow
from robosite.matches.models import Seat
from tests.checkers import check
from tests.site.browsers import FIRST, OTHER, Browser, Table
from tests.site.conftest import Time
from tests.site.notices.test_notices import ends
from tests.site.notices.test_notices_feeds import NASTY, link

pytestmark = pytest.mark.django_db


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
