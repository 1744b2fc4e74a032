"""Prints the site's data as JSON, to be compared with what was acknowledged.

`manage.py verify` has looked at it before, and fails where something does not fit.
"""

from __future__ import annotations

import json
from collections import defaultdict
from io import StringIO
from typing import Any

import django


def main() -> dict[str, Any]:
    django.setup()

    from django.core.management import call_command

    from robosite.notices.models import Delivery, Kind, Notice
    from robosite.talk.models import Message

    with StringIO() as report:
        call_command("verify", stdout=report)
        verified = report.getvalue()
    said = defaultdict(list)
    for key, text in Message.objects.values_list("match__key", "text"):
        said[key].append(text)
    noted = Notice.objects.filter(kind=Kind.MESSAGE).values_list("match__key", flat=True)
    told: dict[str, int] = defaultdict(int)
    for key in noted:
        told[key] += 1
    over = Delivery.objects.filter(notice__kind=Kind.OVER)
    parcels = Delivery.objects.values_list("parcel__number", "parcel__state", "parcel__tries").distinct()
    return {
        "verified": verified,
        "said": said,
        "told of": told,
        "over": {key: number.hex for key, number in over.values_list("notice__match__key", "parcel__number")},
        "parcels": [[number.hex, state, tries] for number, state, tries in parcels],
    }


if __name__ == "__main__":
    print(json.dumps(main()))
