"""A guest's feed of notices and calendar of deadlines, at secret links; unsubscribing; the service worker."""

import hashlib
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from operator import itemgetter
from typing import Any
from uuid import UUID, uuid5

from django.contrib.staticfiles.storage import staticfiles_storage
from django.core import signing
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.http import quote_etag
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import condition, require_http_methods, require_safe
from icalendar import Alarm, Calendar, Event
from icalendar.prop import vDuration, vText

from robosite.matches.link_secrets import hash_secret
from robosite.matches.models import Seat, held_by
from robosite.matches.time.timekeeping import deadline_of
from robosite.matches.wording import listed, wording_of
from robosite.notices.models import ALWAYS, Channel, Kind, Notice
from robosite.notices.texts import site_of, write_notice
from robosite.notices.transports import UNSUBSCRIBE
from robosite.people import offline
from robosite.people.mail import as_read_by
from robosite.play.decorators import private, secret
from robosite.play.waiting import with_waits
from robosite.web.written_names import without_isolates

ENTRIES = 50
EVENTS = 100
REFRESH = timedelta(minutes=15)
"""The interval at which calendar programs should fetch a calendar again."""
NOTED_EVERY = timedelta(minutes=10)
"""The least time between two updates of `Channel.succeeded_at` by requests for a feed or calendar."""


class Feed(Atom1Feed):
    """An Atom feed with the date `newest`; Django's would give an empty feed the present time."""

    def __init__(self, newest: datetime, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self.newest = newest

    def latest_post_date(self) -> datetime:
        return self.newest


def atom(channel: Channel, own: str) -> str:
    """The newest notices of the guest, of kinds that the channel tells and seats that they hold, as Atom."""
    guest, site = channel.guest, site_of(channel.guest)
    still_his = held_by(guest, "seat__") | Q(kind=Kind.PASSED)
    notices = Notice.objects.filter(still_his, guest=guest, kind__in=[*channel.tells, *ALWAYS]).distinct()
    shown = list(notices.select_related("match", "seat").prefetch_related("match__seats")[:ENTRIES])
    newest = max([channel.made_at, *(notice.done_at or notice.noted_at for notice in shown)])
    feed = Feed(
        newest,
        title=_("Robosite: news from your matches"),
        link=f"{site}/mine/",
        description="",
        language=get_language(),
        feed_url=site + own,
        feed_guid=f"urn:uuid:{channel.number}",
    )
    for notice in shown:
        notice_text = write_notice(notice)
        title = _("Done: {title}").format(title=notice_text.title) if notice.done_at else notice_text.title
        feed.add_item(
            title=one_line(title),
            link=site + notice_text.path,
            description=escape(one_line(notice_text.text or notice_text.title)),
            unique_id=uuid5(channel.number, str(notice.pk)).urn,
            pubdate=notice.noted_at,
            updateddate=notice.done_at or notice.noted_at,
        )
    if not shown:
        feed.feed["title"] = _("Robosite: nothing has happened yet")
    return str(feed.writeString("utf-8"))


def tagged_text(request: HttpRequest, text: str, kind: str) -> HttpResponse:
    """A response of this media type, or a 304 to who has the same text."""
    tag = quote_etag(hash_secret(text))

    @condition(etag_func=lambda _request: tag)
    def whole(_request: HttpRequest) -> HttpResponse:
        return HttpResponse(text, content_type=f"{kind}; charset=utf-8")

    return whole(request)


def one_line(text: str) -> str:
    """Replaces each sequence of control characters, such as line breaks, by a space."""
    return re.sub(r"[\x00-\x1f\x7f]+", " ", text)


# The calendar


def deadlines_of(channel: Channel) -> str:
    """The coming deadlines of matches that wait for the guest's order, with alarms, as iCalendar text."""
    guest = channel.guest
    now = timezone.now()
    ahead = Q(match__deadline__gt=now) | Q(match__reserve_hours__gt=0, match__due__gt=now)
    held = Seat.objects.filter(held_by(guest)).filter(ahead)
    owing = with_waits(held).filter(waits=True).select_related("match").prefetch_related("match__seats")
    dated = [
        (seat, deadline_of(seat.match, seat.letter))
        for seat in owing.order_by("match__deadline", "pk")[:EVENTS]
    ]
    coming = [(seat, deadline) for seat, deadline in dated if deadline and deadline > now]
    deadlines = new_calendar(_("Robosite: deadlines"))
    for seat, deadline in sorted(coming, key=itemgetter(1)):
        deadlines.add_component(_event(seat, deadline, site_of(guest)))
    return str(deadlines.to_ical(sorted=False), "utf-8")


def new_calendar(title: str) -> Calendar:
    empty = Calendar()
    empty.add("version", "2.0")
    empty.add("prodid", "-//Robosite//deadlines//EN")
    empty.add("calscale", "GREGORIAN")
    empty.add("method", "PUBLISH")
    empty.add("x-wr-calname", text_of(title))
    empty.add("refresh-interval", REFRESH, {"VALUE": "DURATION"})
    empty.add("x-published-ttl", vDuration(REFRESH))
    return empty


def _event(seat: Seat, deadline: datetime, site: str) -> Event:
    match = seat.match
    others = [one.shown_name for one in match.seats.all() if one.pk != seat.pk and one.taken_at]
    title = _("Deadline: {game} with {names}").format(game=match.game.name, names=listed(others))
    event = Event()
    event.add("uid", f"{match.key}-{seat.pk}-{match.turn}.{match.taken_back}@robosite")
    event.add("dtstamp", match.changed_at)
    event.add("last-modified", match.changed_at)
    event.add("sequence", match.version)
    event.add("dtstart", (deadline - timedelta(minutes=15)).astimezone(UTC))
    event.add("dtend", deadline.astimezone(UTC))
    event.add("summary", text_of(without_isolates(title)))
    event.add("description", text_of(wording_of(match.game).say("turn", n=match.turn + 1)))
    event.add("url", f"{site}{seat.get_absolute_url()}")
    event.add("transp", "TRANSPARENT")
    event.add_component(_alarm(title))
    return event


def _alarm(title: str) -> Alarm:
    alarm = Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", text_of(title))
    alarm.add("trigger", -timedelta(minutes=45))
    return alarm


def text_of(text: str) -> vText:
    """An iCalendar value, with spaces for control characters other than line breaks."""
    return vText("\n".join(one_line(line) for line in text.replace("\r\n", "\n").split("\n")))


# The views, which need no session


@require_safe
@private
def feed(request: HttpRequest, secret: str) -> HttpResponse:
    channel = _of(secret, Channel.Kind.ATOM)
    return _answer(request, channel, lambda: atom(channel, request.path), "application/atom+xml")


@require_safe
@private
def calendar(request: HttpRequest, secret: str) -> HttpResponse:
    channel = _of(secret, Channel.Kind.CALENDAR)
    return _answer(request, channel, lambda: deadlines_of(channel), "text/calendar")


def _of(secret: str, kind: str) -> Channel:
    channels = Channel.objects.select_related("guest__wishes")
    return get_object_or_404(channels, kind=kind, on=True, link_hash=hash_secret(secret))


def _answer(request: HttpRequest, channel: Channel, make: Callable[[], str], kind: str) -> HttpResponse:
    """The text of `make` in the guest's language, or a 304; notes the success, once in NOTED_EVERY."""
    now = timezone.now()
    before = Q(succeeded_at=None) | Q(succeeded_at__lt=now - NOTED_EVERY)
    Channel.objects.filter(before, pk=channel.pk).update(succeeded_at=now)
    with as_read_by(channel.guest):
        return tagged_text(request, make(), kind)


@csrf_exempt  # mail programs, which have no cookie, send this; the token is enough
@require_http_methods(["GET", "HEAD", "POST"])
@secret
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the unsubscribe link in mails; a POST (its button, or one click by RFC 8058) stops them."""
    try:
        number = UUID(hex=signing.loads(token, salt=UNSUBSCRIBE))
    except (signing.BadSignature, ValueError, TypeError, AttributeError):
        raise Http404 from None
    channels = Channel.objects.filter(number=number, kind=Channel.Kind.MAIL)
    if request.method == "POST":
        channels.update(on=False, fault="")
    return render(request, "notices/unsubscribe.html", {"on": channels.filter(on=True).exists()})


@require_safe
@cache_control(no_cache=True)
def service_worker(request: HttpRequest) -> HttpResponse:
    """The script of the service worker, which shows pushes and, with `?keep`, works without a network."""
    text = render_to_string("notices/sw.js", {"version": _version(), "nobody": offline.NOBODY})
    return HttpResponse(text, content_type="text/javascript; charset=utf-8")


@cache
def _version() -> str:
    files = getattr(staticfiles_storage, "hashed_files", {})
    return hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
