"""The admin's front page: the last days in numbers, and drawn."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from games import newest
from robosite.matches import flow
from robosite.moderation.overview import HEIGHT, count
from robosite.trail import tally
from robosite.trail.entries import note
from robosite.trail.models import Tally

pytestmark = pytest.mark.django_db


def play() -> None:
    """A match of which one order is sealed, and that is over then."""
    pigs = newest("pigs")
    match, alice, invite = flow.create(pigs, pigs.read_options({}), 2, "Alice")
    flow.join(match, "Bob", invite=invite)
    flow.seal(alice.seat, 0, "TL TL TL TL TL")
    alice.seat.refresh_from_db()
    flow.resign(alice.seat)


def rows() -> dict[str, list[int]]:
    return {row.name: list(row.counts) for row in count().rows}


def test_each_day_is_counted_in_the_sites_time_zone(time: Any, settings: Any) -> None:
    time.present = time.present.replace(hour=12)
    Tally.objects.create(day=tally.today() - timedelta(days=1), what=tally.ERRORS, count=4)
    Tally.objects.create(day=tally.today() - timedelta(days=30), what=tally.ERRORS, count=9)
    play()
    time.pass_(days=1)
    play()
    play()
    told = rows()
    assert told["Matches made"] == [0] * 12 + [1, 2]
    assert told["Matches finished"] == [0] * 12 + [1, 2]
    assert told["Orders sealed"][:12] == [0] * 12
    assert told["Requests that failed"] == [0] * 11 + [4, 0, 0]
    time.pass_(days=13)
    assert rows()["Matches made"] == [2] + [0] * 13


def test_the_highest_bar_is_as_high_as_the_drawing_and_a_small_number_is_seen(time: Any) -> None:
    for back, n in enumerate((1, 1000, 0)):
        Tally.objects.create(day=tally.today() - timedelta(days=back), what=tally.ERRORS, count=n)
    *_, before, most, one = count().rows[-1].bars
    assert (before.height, most.height, most.y, one.height) == (0, HEIGHT, 0, 1)


def test_the_front_page_draws_it_and_tells_the_numbers_as_a_table() -> None:
    cache.clear()
    play()
    boss = User.objects.create_superuser("boss")
    note(boss, "look", "match:k3v9qx7m2abc")
    client = Client()
    client.force_login(boss)
    page = client.get(reverse("admin:index")).content.decode()
    assert 'aria-label="Matches made, day by day: 1 at most"' in page
    assert len(re.findall(r"<svg", page)) >= 4 and "style=" not in page and "<script>" not in page
    assert re.search(r"<th scope=\"row\">Matches made</th>\s*<td>1</td>\s*<td>0</td>", page)
    assert "Each day in numbers" in page
    assert "match:k3v9qx7m2abc" in page


def test_who_may_not_read_the_trail_sees_none_of_it_there() -> None:
    cache.clear()
    mia = User.objects.create_user("mia", is_staff=True)
    note(mia, "look", "match:k3v9qx7m2abc")
    client = Client()
    client.force_login(mia)
    page = client.get(reverse("admin:index")).content.decode()
    assert "Matches made" in page and "k3v9qx7m2abc" not in page
