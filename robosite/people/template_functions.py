"""Template functions for times in the reader's zone."""

from datetime import datetime

from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from jinja2 import pass_context
from jinja2.runtime import Context

from robosite.people.zones import COOKIE, date_and_time, day
from robosite.web.sentences import time_left, words_of_time_left


@pass_context
def moment(context: Context, at: datetime, *, zoned: bool = False) -> SafeString:
    """A time as an HTML element for a script; with its zone if `zoned`, or if the reader's is unknown."""
    request = context.get("request")
    zoned = zoned or not (request and COOKIE in request.COOKIES)
    return format_html(
        '<time datetime="{}" data-time="{}">{}</time>',
        at.isoformat(timespec="seconds"),
        "zoned" if zoned else "",
        date_and_time(at, zoned=zoned),
    )


def left(at: datetime, *, brief: bool = False) -> SafeString:
    """The time left until `at` as an HTML element that JavaScript counts down; `brief` as in `time_left`."""
    return format_html(
        '<time class="left" datetime="{}" data-left="{}"{}>{}</time>',
        at.isoformat(timespec="seconds"),
        words_of_time_left(),
        SafeString(" data-brief") if brief else "",
        time_left(at - timezone.now(), brief=brief),
    )


@pass_context
def deadline(context: Context, at: datetime) -> SafeString:
    """A future time and the time left until then, as HTML: “Fri 28 Nov, 18:00 CET (23 h left)”."""
    return format_html("{} ({})", moment(context, at, zoned=True), left(at))


FILTERS = {"day": day}
