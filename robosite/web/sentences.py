"""Sentences in the reader's language, with names in place of seats; ages and durations in words."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from django.utils import timezone
from django.utils.html import avoid_wrapping
from django.utils.timesince import TIME_STRINGS, timesince
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from games.core import Seat, Sentence


def translated(text: str) -> str:
    """Translates a text of the site into the reader's language."""
    return gettext(text)


def render_sentence(sentence: Any, names: Mapping[Any, str] | None = None) -> str:
    """Translates a sentence with its facts: sentences translated, seats as `names`, the rest as text."""
    names = names or {}
    if isinstance(sentence, Seat):
        return names.get(sentence, sentence)
    if not isinstance(sentence, Sentence):
        return str(sentence)
    facts = {key: render_sentence(fact, names) for key, fact in sentence.facts.items()}
    return translated(sentence.template).format(**facts)


MINUTE, HOUR, DAY = 60, 3_600, 86_400
UNITS = (("day", DAY), ("hour", HOUR))
MANY_DAYS = 60
"""The number of days from which an age is written in months and years."""


def coarse_age(age: timedelta) -> tuple[str, int]:
    """An age as (unit, number), rounded down: in days from two days, hours from two hours, else minutes."""
    seconds = int(age.total_seconds())
    for unit, length in UNITS:
        if seconds >= 2 * length:
            return unit, seconds // length
    return "minute", seconds // 60


def age_of(at: datetime) -> str:
    """The time since `at` in words, such as “47 hours”, “2 days” or, from MANY_DAYS on, “2 months”."""
    unit, n = coarse_age(timezone.now() - at)
    if unit == "day" and n >= MANY_DAYS:
        return timesince(at, depth=2)
    return avoid_wrapping(TIME_STRINGS[unit] % {"num": n})


DAYS, HOURS, MINUTES, SECONDS = _("{n} days"), _("{n} h"), _("{n} min"), _("{n} s")
LEFT, TIME_IS_UP = _("{time} left"), _("time is up")


def time_left(length: timedelta, *, brief: bool = False) -> str:
    """The remaining time in words, rounded up: “2 days 4 h left”, “1 h 35 min left”, “time is up”.

    With `brief`, one unit: “23 h”. `static/js/times.js` writes the same on an open page.
    """
    seconds = ceil(length.total_seconds())
    if seconds <= 0:
        return gettext(TIME_IS_UP)
    if seconds >= 10 * DAY:
        units = [(DAYS, -(-seconds // DAY))]
    elif seconds > 2 * DAY - HOUR:
        days, hours = divmod(-(-seconds // HOUR), 24)
        units = [(DAYS, days), (HOURS, hours)]
    elif seconds > 12 * HOUR - MINUTE:
        units = [(HOURS, -(-seconds // HOUR))]
    elif seconds > 2 * MINUTE - 1:
        hours, minutes = divmod(-(-seconds // MINUTE), 60)
        units = [(HOURS, hours), (MINUTES, minutes)]
    else:
        units = [(MINUTES, seconds // MINUTE), (SECONDS, seconds % MINUTE)]
    words = [gettext(words).format(n=n) for words, n in units if n]
    if brief:
        return avoid_wrapping(words[0])
    return avoid_wrapping(gettext(LEFT).format(time=" ".join(words)))


def words_of_time_left() -> str:
    """The translated words that `time_left` uses, joined by `|`, for scripts on a page."""
    return "|".join(gettext(words) for words in (LEFT, DAYS, HOURS, MINUTES, TIME_IS_UP, SECONDS))


def spell_duration(length: timedelta | float) -> str:
    """A duration (a number is in hours) by its two largest neighbouring units, such as “9 days 4 hours”."""
    minutes = round(length.total_seconds() if isinstance(length, timedelta) else length * 3600) // 60
    days, minutes = divmod(minutes, 24 * 60)
    hours, minutes = divmod(minutes, 60)
    counts = [("day", days), ("hour", hours), ("minute", minutes)]
    first = next((at for at, (_unit, n) in enumerate(counts) if n), 2)
    units = [(unit, n) for unit, n in counts[first : first + 2] if n] or counts[2:]
    return avoid_wrapping(" ".join(TIME_STRINGS[unit] % {"num": n} for unit, n in units))
