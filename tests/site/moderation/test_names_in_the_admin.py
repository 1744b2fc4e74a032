"""Names written from right to left in the admin: nothing beside them is dragged to their other end."""

from __future__ import annotations

import html
import re

import pytest
from django.urls import reverse

from robosite.leagues.models import League, Place
from robosite.matches.models import Seat
from robosite.moderation.models import Measure, Report
from robosite.people.models import Guest
from robosite.talk.models import Message
from robosite.web.written_names import FIRST, LAST
from tests.site.routes import asks
from tests.site.world import world

pytestmark = pytest.mark.django_db

NAME = "שרה"
ISOLATED = re.compile(rf"<bdi>[^<]*</bdi>|{FIRST}[^{FIRST}{LAST}<>]*{LAST}")
ALONE = re.compile(
    rf"""<(?:t[dh]|dd|div|p|blockquote|li)\b[^>]*>\s*(?:<a\b[^>]*>)?{NAME}\s*(?:</a>\s*)?(?=</(?!a>))"""
    rf"""|<(?:input|option|textarea)\b[^>]*>(?:{NAME})?"""
)
"""A name that has a cell, a line or a field to itself."""


def in_company(page: str) -> list[str]:
    """The places where the name stands beside other words without an isolate, with what is around it."""
    rest = ALONE.sub("", ISOLATED.sub("", html.unescape(page)))
    return [rest[max(0, found.start() - 60) : found.end() + 40] for found in re.finditer(NAME, rest)]


def test_no_page_of_the_admin_has_a_name_beside_other_words_without_an_isolate() -> None:
    there = world()
    Seat.objects.exclude(name="").update(name=NAME)
    Guest.objects.exclude(name="").update(name=NAME)
    Message.objects.update(name=NAME)
    League.objects.update(name=NAME)
    Place.objects.exclude(name="").update(name=NAME)
    assert Report.objects.exists() and Measure.objects.exists()
    seen, wrong = 0, {}
    for ask in asks(there):
        if not ask.name.startswith("admin:"):
            continue
        answer = there.ask("staff", ask)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            page = answer.content.decode()
            seen += NAME in page
            if found := in_company(page):
                wrong[ask.path] = found
    assert wrong == {}
    assert seen >= 15


@pytest.mark.parametrize("kind", ["revoke", "rename"])
def test_what_a_measure_will_do_is_said_with_isolated_names(kind: str) -> None:
    there = world()
    Seat.objects.exclude(name="").update(name=NAME)
    seat = Seat.objects.filter(name=NAME, holds__isnull=False).order_by("pk")[0]
    data = {"action": kind, "_selected_action": [seat.pk], "name": "Zoe"}
    asks_first = there.people["staff"].post(reverse("admin:matches_seat_changelist"), data)
    page = asks_first.content.decode()
    assert NAME in page
    assert in_company(page) == []
