"""Times in words are true whenever they are read: a day and an hour in a zone that is named, never a rest."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core import mail as post
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from robosite.matches.models import Match
from robosite.notices import facts, sender
from robosite.web.sentences import age_of, coarse_age
from tests.site.browsers import FIRST, Table, text
from tests.site.conftest import Time
from tests.site.notices.test_notices import by_mail, ends, guest
from tests.site.notices.test_notices_feeds import entries, link
from tests.site.notices.test_notices_sent import by_push, by_webhook, mailbox, receiver

__all__ = ["mailbox", "receiver"]
pytestmark = pytest.mark.django_db

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
REST = re.compile(r"\d+\W(?:day|hour|minute)s?\W(?:left|remain)", re.IGNORECASE)


def warned(table: Table, time: Time, hours: float) -> str:
    """The mail that warns of a deadline in so many hours: its subject and its text."""
    Match.objects.update(deadline_hours=72, deadline=time.now() + timedelta(hours=hours))
    facts.sweep(table.match.pk)
    sender.send_all()
    return f"{post.outbox[-1].subject}\n{post.outbox[-1].body}"


@pytest.mark.parametrize(
    ("zone", "hours", "says"),
    [
        ("UTC", 47.98, "You have until Fri 3 Jul, 11:58 UTC"),
        ("Europe/Berlin", 47.98, "You have until Fri 3 Jul, 13:58 CEST"),
        ("America/Sao_Paulo", 2.5, "You have until Wed 1 Jul, 11:30 UTC-03"),
        ("Asia/Kolkata", 20, "You have until Thu 2 Jul, 13:30 IST"),
    ],
)
def test_a_warning_names_the_deadline_in_its_readers_zone(
    table: Table, time: Time, zone: str, hours: float, says: str
) -> None:
    time.present = NOW
    by_mail(table.alice)
    table.alice.post("/notices/wishes/", {"steps-shown": "1", "steps": ["48", "24", "3"]})
    who = guest("Alice")
    who.zone = zone
    who.save()
    told = warned(table, time, hours)
    assert says in told.partition("\n")[0] and not REST.search(told)


def test_a_warning_that_was_put_off_says_what_is_true_when_it_comes(table: Table, time: Time) -> None:
    time.present = NOW.replace(hour=23)
    by_mail(table.alice)
    table.alice.post(
        "/notices/wishes/", {"steps-shown": "1", "steps": ["12"], "quiet-from": "22", "quiet-until": "8"}
    )
    Match.objects.update(deadline_hours=72, deadline=time.now() + timedelta(hours=11))
    facts.sweep(table.match.pk)
    sender.send_all()
    assert not post.outbox
    time.pass_(hours=9, minutes=10)
    sender.send_all()
    (mail,) = post.outbox
    assert mail.subject == "You have until Thu 2 Jul, 10:00 UTC: Robo Battle Pigs with Bob"


def test_pushes_webhooks_and_feeds_say_the_same(table: Table, time: Time, receiver: Any) -> None:
    time.present = NOW
    path = link(table.alice, "atom")
    by_webhook(table, f"{receiver.url}/hook")
    phone = by_push(table, receiver)
    ends(table, time, hours=5, deadline_hours=48)
    table.play((FIRST, FIRST))
    sender.send_all()
    until = "You have until Fri 3 Jul, 12:00 UTC."
    pushed = next(phone.read(one.body) for one in receiver.asked if one.path.startswith("/push"))
    hooked = next(one.body.decode() for one in receiver.asked if one.path == "/hook")
    assert until in pushed["body"] and until in hooked and not REST.search(pushed["body"] + hooked)
    feed = table.charlie.get(path)
    assert until in text(feed) and any("Your turn" in title for title, _, _ in entries(table.charlie, path))
    time.pass_(hours=7)
    assert table.charlie.get(path).content == feed.content


def test_a_notice_of_an_earlier_turn_names_no_later_deadline(table: Table, time: Time) -> None:
    time.present = NOW
    path = link(table.alice, "atom")
    ends(table, time, hours=5, deadline_hours=48)
    table.play((FIRST, FIRST))
    table.play((FIRST, FIRST))
    assert text(table.charlie.get(path)).count("You have until") == 1


def test_a_page_names_the_zone_of_its_deadline(table: Table, time: Time) -> None:
    time.present = NOW
    ends(table, time, hours=47.98, deadline_hours=72)
    table.alice.cookies["zone"] = "Europe/Berlin"
    page = text(table.alice.get(table.a.get_absolute_url()))
    assert re.search(
        r'<time datetime="2026-07-03T[^"]+" data-time="zoned">Fri 3 Jul, 13:58 CEST</time>', page
    )


@given(seconds=st.integers(0, 59 * 86_400))
def test_an_age_is_off_by_less_than_half_of_it(seconds: int) -> None:
    unit, n = coarse_age(timedelta(seconds=seconds))
    length = {"day": 86_400, "hour": 3_600, "minute": 60}[unit]
    assert n * length <= seconds < (n + 1) * length
    assert n >= 2 or unit == "minute"


def test_nearly_two_days_are_not_one(time: Time) -> None:
    with translation.override("en"):
        assert age_of(time.now() - timedelta(hours=47, minutes=50)) == "47\xa0hours"
        assert age_of(time.now() - timedelta(minutes=119)) == "119\xa0minutes"
        assert age_of(time.now() - timedelta(days=13)) == "13\xa0days"
        assert "year" in age_of(time.now() - timedelta(days=800))
