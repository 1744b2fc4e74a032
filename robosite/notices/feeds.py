"""What a guest can subscribe to: a feed of notices (Atom), and a calendar of deadlines (iCalendar)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid5

from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from robosite.matches.mine import with_waits
from robosite.matches.models import Seat
from robosite.matches.phrases import listed, phrases_of
from robosite.notices.models import ALWAYS, Channel, Notice
from robosite.notices.words import site_of, tell

ENTRIES = 50


class _Feed(Atom1Feed):
    """A feed that changes when its entries do; an empty one would say at each look that it is new."""

    def __init__(self, newest: datetime, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self.newest = newest

    def latest_post_date(self) -> datetime:
        return self.newest


def atom(channel: Channel, own: str) -> str:
    """The newest notices of who has this feed; what is dealt with says so. `own` is the feed's path."""
    guest, site = channel.guest, site_of(channel.guest)
    notices = Notice.objects.filter(guest=guest, seat__holds__guest=guest, kind__in=[*channel.tells, *ALWAYS])
    shown = list(notices.select_related("match", "seat").prefetch_related("match__seats")[:ENTRIES])
    newest = max([channel.made_at, *(notice.done_at or notice.noted_at for notice in shown)])
    feed = _Feed(
        newest,
        title=_("Robosite: what happens at your tables"),
        link=f"{site}/mine/",
        description="",
        language=get_language(),
        feed_url=site + own,
        feed_guid=f"urn:uuid:{channel.number}",
    )
    for notice in shown:
        told = tell(notice)
        title = _("Done: {title}").format(title=told.title) if notice.done_at else told.title
        feed.add_item(
            title=_printable(title),
            link=site + told.path,
            description=escape(_printable(told.text or told.title)),
            unique_id=uuid5(channel.number, str(notice.pk)).urn,
            pubdate=notice.noted_at,
            updateddate=notice.done_at or notice.noted_at,
        )
    if not shown:
        feed.feed["title"] = _("Robosite: nothing has happened yet")
    return str(feed.writeString("utf-8"))


def _printable(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f]+", " ", text)


# The calendar


def calendar(channel: Channel) -> str:
    """The deadlines of all matches in which the guest owes an order, as events with an alarm before."""
    guest = channel.guest
    held = Seat.objects.filter(holds__guest=guest, match__deadline__gt=timezone.now())
    owing = with_waits(held).filter(waits=True).select_related("match").prefetch_related("match__seats")
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Robosite//deadlines//EN",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        f"X-WR-CALNAME:{_escape(_('Robosite: deadlines'))}",
        "REFRESH-INTERVAL;VALUE=DURATION:PT15M",
        "X-PUBLISHED-TTL:PT15M",
    ]
    for seat in owing.order_by("match__deadline", "pk"):
        lines += _event(seat, site_of(guest))
    return "".join(_folded([*lines, "END:VCALENDAR"]))


def _event(seat: Seat, site: str) -> Iterable[str]:
    match = seat.match
    assert match.deadline
    others = [one.name for one in match.seats.all() if one.pk != seat.pk and one.taken_at]
    title = _("Deadline: {game} with {names}").format(game=match.game.name, names=listed(others))
    turn = phrases_of(match.game).say("turn", n=match.turn + 1)
    return [
        "BEGIN:VEVENT",
        f"UID:{match.key}-{seat.pk}-{match.turn}.{match.taken_back}@robosite",
        f"DTSTAMP:{_time(match.changed_at)}",
        f"LAST-MODIFIED:{_time(match.changed_at)}",
        f"SEQUENCE:{match.version}",
        f"DTSTART:{_time(match.deadline - timedelta(minutes=15))}",
        f"DTEND:{_time(match.deadline)}",
        f"SUMMARY:{_escape(title)}",
        f"DESCRIPTION:{_escape(turn)}",
        f"URL:{site}{seat.get_absolute_url()}",
        "TRANSP:TRANSPARENT",
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        f"DESCRIPTION:{_escape(title)}",
        "TRIGGER:-PT45M",
        "END:VALARM",
        "END:VEVENT",
    ]


def _time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _escape(text: str) -> str:
    """Text as iCalendar writes it: no sign of it ends the line or the value."""
    for sign in "\\;,":
        text = text.replace(sign, "\\" + sign)
    return _printable(text.replace("\r\n", "\n").replace("\n", "\\n"))


def _folded(lines: Iterable[str]) -> Iterator[str]:
    """Lines of at most 75 bytes, none cut inside a sign; what goes on begins with a space."""
    for line in lines:
        part, room = "", 75
        for sign in line:
            if len((part + sign).encode()) > room:
                yield part + "\r\n "
                part, room = "", 74
            part += sign
        yield part + "\r\n"
