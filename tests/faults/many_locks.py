"""Feeds, holidays, nudges and seals of the same guests at once, in processes of their own, on one database.

A program of its own, since it needs another database; it prints what failed.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import django
from django.db import OperationalError

from tests.faults.outcomes import in_processes

TABLES = 8
TIMES = 4


def prepare() -> tuple[int, int]:
    """Alice sits with Bob at many tables with a deadline; their primary keys."""
    from games import newest
    from robosite.matches import flow
    from robosite.notices.models import Channel
    from robosite.people.models import Guest

    alice, bob = (Guest.objects.create(name=name) for name in ("Alice", "Bob"))
    pigs = newest("pigs")
    for guest in (alice, bob):
        Channel.objects.create(guest=guest, kind="mail", tells=["turn", "nudge"])
    made = []
    for _ in range(TABLES):
        match, _taken, invite = flow.create(
            pigs, pigs.read_options({}), 2, "Alice", guest=alice, deadline_hours=48
        )
        flow.join(match, "Bob", invite=invite, guest=bob)
        made.append(match)
    for match in reversed(made):  # the one with the least key has changed last
        flow.note_opened(match, "x")
        match.save()
    return alice.pk, bob.pk


def feeds(alice: Any, bob: Any) -> None:
    from django.test import Client
    from django.urls import reverse

    from robosite.people.current_guest import KEY

    client = Client(raise_request_exception=True)
    session = client.session
    session[KEY] = alice.pk
    session.save()
    client.cookies["sessionid"] = session.session_key or ""
    for _ in range(TIMES):
        alice.channels.filter(kind="atom").delete()
        answer = client.post(reverse("add-channel"), {"kind": "atom"}, HTTP_HOST="localhost")
        assert answer.status_code == 302, answer.content[:300]


def holidays(alice: Any, bob: Any) -> None:
    from django.utils import timezone

    from robosite.matches.flow import holidays
    from robosite.matches.site_models import Holiday

    for _ in range(TIMES):
        now, zone = timezone.now(), ZoneInfo("UTC")
        holidays.begin(alice, first=now.date(), last=now.date() + timedelta(days=2), zone=zone, now=now)
        holidays.end(alice, holidays.coming(alice, now).latest("pk").pk, zone, timezone.now())
        Holiday.objects.filter(guest=alice).delete()


def nudges(alice: Any, bob: Any) -> None:
    from robosite.matches import flow
    from robosite.matches.flow import nudges
    from robosite.matches.models import Nudge, Seat

    seats = list(Seat.objects.filter(holds__guest=bob).select_related("match"))
    for _ in range(2):
        for seat in seats:
            if not flow.order_of(seat.match, seat):
                flow.seal(seat, 0, "F F F F F")
            with suppress(flow.Refused):  # Alice is on holiday just now
                nudges.nudge(seat)
        Nudge.objects.all().delete()


def down(alice: Any, bob: Any) -> None:
    """The site was down, again and again: every clock gets its time back."""
    from django.utils import timezone

    from robosite.matches import flow
    from robosite.matches.site_models import Heartbeat

    for _ in range(TIMES):
        Heartbeat.objects.update_or_create(pk=1, defaults={"at": timezone.now() - timedelta(minutes=6)})
        try:
            flow.give_time_back(timezone.now(), alive=True)
        except (
            OperationalError
        ) as fault:  # it may have to wait too long for one of all matches, but in no ring
            if "lock timeout" not in str(fault):
                raise


DEEDS = (feeds, feeds, holidays, nudges, down)


def main() -> list[str]:
    django.setup()
    keys = prepare()

    def do(number: int, line: Any) -> None:
        from robosite.people.models import Guest

        alice, bob = (Guest.objects.get(pk=pk) for pk in keys)
        line.wait(60)
        DEEDS[number](alice, bob)

    return in_processes(len(DEEDS), do)


if __name__ == "__main__":
    print(json.dumps(main()))
