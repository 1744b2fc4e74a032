"""Texts that name the hour of the day at which turns are played (the evening reveal)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.dates import WEEKDAYS, WEEKDAYS_ABBR
from django.utils.translation import gettext as _

from robosite.matches.wording import listed


def hour_in_full(reveal_at: Mapping[str, Any]) -> str:
    """A sentence on the hour at which turns are played, from the field `reveal_at` of matches and leagues."""
    if len(reveal_at["days"]) == len(WEEKDAYS):
        return _("Turns are played every day at {time} ({zone}), never earlier.").format(**reveal_at)
    days = listed([str(WEEKDAYS[day]) for day in reveal_at["days"]])
    says = _("Turns are played at {time} ({zone}), never earlier, on these days: {days}.")
    return says.format(**{**reveal_at, "days": days})


def hour_briefly(reveal_at: Mapping[str, Any]) -> str:
    """A phrase for that hour: “every day at 20:00 (Europe/Madrid)”."""
    if len(reveal_at["days"]) == len(WEEKDAYS):
        return _("every day at {time} ({zone})").format(**reveal_at)
    days = ", ".join(str(WEEKDAYS_ABBR[day]) for day in reveal_at["days"])
    return _("{days} at {time} ({zone})").format(**{**reveal_at, "days": days})
