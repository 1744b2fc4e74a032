"""Template functions about readers: times in their zone."""

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
    """A time as HTML, in the reader's zone, which is named; JavaScript rewrites it in the device's style.

    If `zoned`, JavaScript names the zone too, since something ends at that time.
    """
    here = timezone.localtime(at)
    written = '<time datetime="{}" data-time="{}">{} {}</time>'
    says = date_format(here, "j M, H:i")
    return format_html(
        written, at.isoformat(timespec="seconds"), "zoned" if zoned else "", says, zone_label(here)
    )


FUNCTIONS: dict[str, Callable[..., Any]] = {function.__name__: function for function in (moment,)}
