"""What templates can call about readers: times in their zone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from robosite.people.zones import zone_label


def moment(at: datetime, *, zoned: bool = False) -> SafeString:
    """A time in the reader's zone, which it names; with JavaScript it is written as the machine does.

    A `zoned` one names its zone then, too: something ends at that time.
    """
    here = timezone.localtime(at)
    written = '<time datetime="{}" data-time="{}">{} {}</time>'
    says = date_format(here, "j M, H:i")
    return format_html(
        written, at.isoformat(timespec="seconds"), "zoned" if zoned else "", says, zone_label(here)
    )


FUNCTIONS: dict[str, Callable[..., Any]] = {function.__name__: function for function in (moment,)}
