"""Prints JSON of the site's own database: `python -m tests.faults.drills.inside tables COUNT`, or `kept`."""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from io import StringIO
from typing import Any

import django


def tables(count: str) -> list[dict[str, str]]:
    """Makes tables of two. On seat B sits a guest who wants mails of what happens."""
    from games import newest
    from robosite.matches import flow
    from robosite.notices.models import Channel
    from robosite.people.models import Guest

    pigs, made = newest("pigs"), []
    for number in range(int(count)):
        bob = Guest.objects.create(name="Bob", email=f"bob{number}@example.org")
        Channel.objects.create(guest=bob, kind="mail", tells=["turn", "over", "message"])
        match, alices, invite = flow.create(pigs, pigs.read_options({}), 2, "Alice")
        bobs = flow.join(match, "Bob", invite=invite, guest=bob)
        made.append({"key": match.key, "A": alices.secret, "B": bobs.secret})
    return made


def kept() -> dict[str, Any]:
    """The site's data, to be compared with what was acknowledged, and what `manage.py verify` says of it."""
    from django.core.management import call_command

    from robosite.notices.models import Delivery, Kind, Notice
    from robosite.talk.models import Message

    with StringIO() as report:
        call_command("verify", stdout=report)
        verified = report.getvalue()
    said = defaultdict(list)
    for key, text in Message.objects.values_list("match__key", "text"):
        said[key].append(text)
    over = Delivery.objects.filter(notice__kind=Kind.OVER)
    parcels = Delivery.objects.values_list("parcel__number", "parcel__state").distinct()
    return {
        "verified": verified,
        "said": said,
        "told of": Counter(Notice.objects.filter(kind=Kind.MESSAGE).values_list("match__key", flat=True)),
        "over": {key: number.hex for key, number in over.values_list("notice__match__key", "parcel__number")},
        "parcels": [[number.hex, state] for number, state in parcels],
    }


if __name__ == "__main__":
    django.setup()
    print(json.dumps(tables(sys.argv[2]) if sys.argv[1] == "tables" else kept()))
