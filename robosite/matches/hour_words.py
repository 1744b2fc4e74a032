"""Texts that name the hour of the day at which turns are played (the evening reveal)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.dates import WEEKDAYS, WEEKDAYS_ABBR
from django.utils.translation import gettext as _

from robosite.matches.wording import listed


def hour_in_full(reveal_at: Mapping[str, Any]) -> str:
    """Returns a sentence on the hour at which turns are played: the time, zone and days in `reveal_at`.

    `reveal_at` is a field of matches and of leagues.
    """
    if len(reveal_at["days"]) == len(WEEKDAYS):
        return _("Turns are played every day at {time} ({zone}), never earlier.").format(**reveal_at)
    days = listed([str(WEEKDAYS[day]) for day in reveal_at["days"]])
    says = _("Turns are played at {time} ({zone}), never earlier, on these days: {days}.")
    return says.format(**{**reveal_at, "days": days})


def hour_briefly(reveal_at: Mapping[str, Any]) -> str:
    """Returns a phrase for the hour at which turns are played: “every day at 20:00 (Europe/Madrid)”.

    `reveal_at` is a field of matches and of leagues, with the time, zone and days.
    """
    if len(reveal_at["days"]) == len(WEEKDAYS):
        return _("every day at {time} ({zone})").format(**reveal_at)
    days = ", ".join(str(WEEKDAYS_ABBR[day]) for day in reveal_at["days"])
    return _("{days} at {time} ({zone})").format(**{**reveal_at, "days": days})
