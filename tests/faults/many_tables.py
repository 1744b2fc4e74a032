"""A guest makes ten open tables at once, and then has ten that have left the list wait on, all at once.

Before that, ten people behind one address, whom the site does not know, make one each.

A program of its own, since it needs another database. It prints what came of it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import django

from tests.faults.outcomes import at_once

AT_ONCE = 10


def statuses(does: Callable[[int], int]) -> dict[str, int]:
    """Counts the statuses of the answers when AT_ONCE threads call this at once, each with its number."""
    return {str(status): n for status, n in sorted(Counter(at_once(AT_ONCE, does)).items())}


def main() -> dict[str, object]:
    django.setup()

    from django.conf import settings
    from django.contrib.sessions.backends.db import SessionStore
    from django.test import Client
    from django.utils import timezone

    from robosite.matches.flow.listing import open_tables
    from robosite.matches.models import LISTED_FOR, Match
    from robosite.people.current_guest import KEY, ROUND
    from robosite.people.models import Guest

    guest = Guest.objects.create(name="Ann")

    def browser() -> Client:
        session = SessionStore()
        session[KEY], session[ROUND] = guest.pk, guest.round
        session.save()
        here = Client(SERVER_NAME="localhost")
        here.cookies[settings.SESSION_COOKIE_NAME] = session.session_key or ""
        return here

    def make(here: Client) -> int:
        form = {"game": "pigs", "seats": 2, "name": "Ann", "with": "open"}
        return here.post("/matches/", form).status_code

    def leave_the_list() -> None:
        open_tables().update(listed_at=timezone.now() - LISTED_FOR - timedelta(days=1))

    strangers = statuses(lambda number: make(Client(SERVER_NAME="localhost", REMOTE_ADDR="192.0.2.9")))
    devices = [browser() for _ in range(AT_ONCE)]
    made = statuses(lambda number: make(devices[number]))
    listed = open_tables().count() - strangers["302"]
    hers = Match.objects.filter(listed=True, seats__holds__guest=guest)
    while hers.count() < AT_ONCE:
        leave_the_list()
        assert make(browser()) == 302
    leave_the_list()
    devices = [browser() for _ in range(AT_ONCE)]
    keys = list(hers.values_list("key", flat=True))
    renewed = statuses(
        lambda number: devices[number].post(f"/m/{keys[number]}/A/table/", {"list": "1"}).status_code
    )
    return {
        "strangers": strangers,
        "made": made,
        "listed": listed,
        "renewed": renewed,
        "listed again": open_tables().count(),
    }


if __name__ == "__main__":
    print(json.dumps(main()))
