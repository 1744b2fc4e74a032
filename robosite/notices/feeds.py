"""Feeds (Atom) and calendars (iCalendar): a guest's, at secret links, and those of leagues, for everybody."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from operator import itemgetter
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, UUID, uuid5

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.http import quote_etag
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import condition, require_safe
from icalendar import Alarm, Calendar, Event
from icalendar.prop import vDuration, vText

from robosite.leagues import flow
from robosite.leagues.last_day import date_of_end
from robosite.leagues.league_standings import Standings, standings_of
from robosite.leagues.models import Fixture, League
from robosite.leagues.pages.league_page import league_with
from robosite.matches.models import Seat, held_by
from robosite.matches.time.calendar import DAY
from robosite.matches.time.timekeeping import deadline_of
from robosite.matches.wording import listed, wording_of
from robosite.notices.models import ALWAYS, Channel, Kind, Notice
from robosite.notices.texts import site_of, write_notice
from robosite.people.letters import as_read_by
from robosite.people.zones import date_and_time, zone_named
from robosite.play.waiting import with_waits
from robosite.web.http import absolute, path_of, private, public
from robosite.web.link_secrets import hash_secret
from robosite.web.written_names import without_isolates

ENTRIES = 50
EVENTS = 100
REFRESH = timedelta(minutes=15)
"""The interval at which calendar programs should fetch a calendar again."""
SOON = timedelta(minutes=15)
"""The length of an event that ends at a deadline, or at the beginning of a round."""
NOTED_EVERY = timedelta(minutes=10)
"""The least time between two updates of `Channel.succeeded_at` by requests for a feed or calendar."""
SECONDS = 60
"""Seconds for which proxies may cache a league's feed or calendar."""


class Feed(Atom1Feed):
    """An Atom feed with the date `newest`; Django's would give an empty feed the present time."""

    def __init__(self, newest: datetime, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self.newest = newest

    def latest_post_date(self) -> datetime:
        return self.newest


class Entry(NamedTuple):
    """An entry of a feed; `number` is a URN that identifies it. An empty `text` stands for the title."""

    at: datetime
    title: str
    link: str
    number: str
    text: str = ""
    changed_at: datetime | None = None


def written_feed(newest: datetime, entries: Iterable[Entry], **about: str) -> str:
    feed = Feed(newest, description="", language=get_language(), **about)
    for entry in entries:
        title = one_line(entry.title)
        feed.add_item(
            title=title,
            link=entry.link,
            description=escape(one_line(entry.text) or title),
            unique_id=entry.number,
            pubdate=entry.at,
            updateddate=entry.changed_at or entry.at,
        )
    return str(feed.writeString("utf-8"))


def written_calendar(title: str, events: Iterable[Event]) -> str:
    calendar = Calendar()
    calendar.add("version", "2.0")
    calendar.add("prodid", "-//Robosite//deadlines//EN")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", text_of(title))
    calendar.add("refresh-interval", REFRESH, {"VALUE": "DURATION"})
    calendar.add("x-published-ttl", vDuration(REFRESH))
    for event in events:
        calendar.add_component(event)
    return str(calendar.to_ical(sorted=False), "utf-8")


def event_of(of: str, title: str, url: str, *, stamp: datetime, ends: datetime | date, **more: Any) -> Event:
    """Returns an event that ends at a time, SOON after its start, or one of the whole day `ends`."""
    at = ends.astimezone(UTC) if isinstance(ends, datetime) else None
    start, end = (at - SOON, at) if at else (ends, ends + DAY)
    values = {"uid": f"{of}@robosite", "dtstamp": stamp, **more, "dtstart": start, "dtend": end}
    event = Event()
    for name, value in {**values, "summary": text_of(title), "url": url, "transp": "TRANSPARENT"}.items():
        event.add(name.replace("_", "-"), value)
    return event


def text_of(text: str) -> vText:
    """An iCalendar value, with spaces for control characters other than line breaks."""
    return vText("\n".join(one_line(line) for line in text.replace("\r\n", "\n").split("\n")))


def one_line(text: str) -> str:
    """Replaces each sequence of control characters, such as line breaks, by a space."""
    return re.sub(r"[\x00-\x1f\x7f]+", " ", text)


def tagged_text(request: HttpRequest, text: str, kind: str) -> HttpResponse:
    """A response of this media type, or a 304 to a client that has the same text."""
    tag = quote_etag(hash_secret(text))

    @condition(etag_func=lambda _request: tag)
    def whole(_request: HttpRequest) -> HttpResponse:
        return HttpResponse(text, content_type=f"{kind}; charset=utf-8")

    return whole(request)


# A guest's, which needs no session


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


def atom(channel: Channel, own: str) -> str:
    """The newest notices of the guest, of kinds that the channel tells and seats that they hold, as Atom."""
    guest, site = channel.guest, site_of(channel.guest)
    still_his = held_by(guest, "seat__") | Q(kind=Kind.PASSED)
    notices = Notice.objects.filter(still_his, guest=guest, kind__in=[*channel.tells, *ALWAYS]).distinct()
    shown = list(notices.select_related("match", "seat").prefetch_related("match__seats")[:ENTRIES])
    nothing = _("Robosite: nothing has happened yet")
    return written_feed(
        max([channel.made_at, *(notice.done_at or notice.noted_at for notice in shown)]),
        [_told(channel, notice, site) for notice in shown],
        title=_("Robosite: news from your matches") if shown else nothing,
        link=site + reverse("my-games"),
        feed_url=site + own,
        feed_guid=channel.number.urn,
    )


def _told(channel: Channel, notice: Notice, site: str) -> Entry:
    says = write_notice(notice)
    title = _("Done: {title}").format(title=says.title) if notice.done_at else says.title
    number, text = uuid5(channel.number, str(notice.pk)).urn, says.text or says.title
    return Entry(notice.noted_at, title, site + says.path, number, text, notice.done_at)


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
    site = site_of(guest)
    events = [_deadline(seat, deadline, site) for seat, deadline in sorted(coming, key=itemgetter(1))]
    return written_calendar(_("Robosite: deadlines"), events)


def _deadline(seat: Seat, deadline: datetime, site: str) -> Event:
    match = seat.match
    others = [one.shown_name for one in match.seats.all() if one.pk != seat.pk and one.taken_at]
    title = _("Deadline: {game} with {names}").format(game=match.game.name, names=listed(others))
    event = event_of(
        f"{match.key}-{seat.pk}-{match.turn}.{match.taken_back}",
        without_isolates(title),
        f"{site}{seat.get_absolute_url()}",
        stamp=match.changed_at,
        ends=deadline,
        last_modified=match.changed_at,
        sequence=match.version,
        description=text_of(wording_of(match.game).say("turn", n=match.turn + 1)),
    )
    alarm = Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", text_of(title))
    alarm.add("trigger", -timedelta(minutes=45))
    event.add_component(alarm)
    return event


# A league's: only what everybody may see on its page, whoever requests it


@require_safe
@public(SECONDS)
def league_feed(request: HttpRequest, key: str) -> HttpResponse:
    """The feed of a league: start (or when it starts), results, end, next season, a cup’s ties."""
    league = flow.brought_up(league_with(key))
    entries = sorted(entries_of(standings_of(league)), reverse=True)[:ENTRIES]
    text = written_feed(
        max([league.created_at, *(entry.at for entry in entries)]),
        [entry._replace(link=absolute(request, entry.link)) for entry in entries],
        title=one_line(league.title),
        link=absolute(request, league.get_absolute_url()),
        feed_url=absolute(request, request.path),
        feed_guid=_number(league, "feed").urn,
    )
    return tagged_text(request, text, "application/atom+xml")


def _number(league: League, of: str) -> UUID:
    return uuid5(NAMESPACE_URL, f"robosite league {league.key} {of}")


def entries_of(standings: Standings) -> Iterator[Entry]:
    """Yields the entries of a league's feed, with paths as their links."""
    league, page = standings.league, standings.league.get_absolute_url()

    def entry(at: datetime, title: str, path: str, of: str) -> Entry:
        return Entry(at, title, path, _number(league, of).urn)

    if league.starts_at and league.status == League.Status.OPEN:
        yield entry(league.created_at, _with_start(league, league.title), page, "starts")
    if league.started_at:
        yield entry(league.started_at, str(league.kind.begun), page, "start")
    for fixture in standings.fixtures:
        if fixture.match and fixture.decided:
            to = path_of("match", fixture.match.key)
            yield entry(fixture.match.changed_at, _result(standings, fixture), to, f"match {fixture.pk}")
    if league.kind.knocks_out and league.started_at:
        for at, title, of in _decided_ties(standings):
            yield entry(at, title, page, of)
    if league.over_at:
        yield entry(league.over_at, _final(standings), page, "end")
    season = league.next_season
    if season:
        title = _with_start(season, season.kind.announced.format(n=season.season))
        yield entry(season.created_at, title, season.get_absolute_url(), "next")


def _with_start(league: League, title: str) -> str:
    """The title, with the time (in the league's zone) at which the league starts by itself, if it will."""
    if not league.starts_at or league.started_at:
        return title
    with timezone.override(zone_named(league.zone)):
        when = date_and_time(league.starts_at)
    return without_isolates(f"{title}. {_('It starts {when}.').format(when=when)}")


def _decided_ties(standings: Standings) -> Iterator[tuple[datetime, str, str]]:
    rows = dict(zip(standings.cup_matches, standings.fixtures, strict=True))
    names = {place.number: place.shown_name for place in standings.places}
    for tie in standings.bracket.ties:
        ends = [row.match.changed_at for one in tie.matches if (row := rows.get(one)) and row.match]
        if tie.winner and ends and tie.round < len(standings.bracket.rounds):
            title = without_isolates(_("{name} is through to the next round").format(name=names[tie.winner]))
            yield max(ends), title, f"tie {tie.round} {tie.number}"


def _result(standings: Standings, fixture: Fixture) -> str:
    names = [standings.by_key[pk].shown_name for pk in fixture.seats.values()]
    result = standings.result_of(fixture)
    shares = result.won_shares
    won = [name for name, share in zip(names, shares, strict=True) if share] if shares else []
    others = [name for name in names if name not in won]
    if not won:
        sentence = _("{a} – {b}: no result").format(a=" – ".join(names[:-1]), b=names[-1])
    elif not others:
        sentence = _("{a} – {b}: draw").format(a=" – ".join(names[:-1]), b=names[-1])
    elif len(won) == 1:
        sentence = _("{winner} beat {loser}").format(winner=won[0], loser=listed(others))
    else:
        sentence = _("{winners} share the win against {others}")
        sentence = sentence.format(winners=listed(won), others=listed(others))
    return without_isolates(sentence)


def _final(standings: Standings) -> str:
    kind = standings.league.kind
    if standings.league.closed:
        return str(kind.closed)
    names = {place.number: place.shown_name for place in standings.places}
    rows = [row for division in standings.table["divisions"] for row in division["rows"]]
    first = [names[row["place"]] for row in rows if row["rank"] == 1]
    return without_isolates(kind.won_by.format(name=first[0])) if len(first) == 1 else str(kind.nobody_won)


@require_safe
@public(SECONDS)
def league_calendar(request: HttpRequest, key: str) -> HttpResponse:
    """The calendar of a league: its start, the rounds to come, and the last day."""
    league = flow.brought_up(league_with(key))
    stamp, page = league.started_at or league.created_at, absolute(request, league.get_absolute_url())
    events = []
    for number, (at, title) in enumerate(_dates(league)):
        last = date_of_end(league, zone_named(league.zone)) if at == league.ends else None
        of = "end" if last else f"round {number}" if league.started_at else "start"
        events.append(event_of(str(_number(league, of)), title, page, stamp=stamp, ends=last or at))
    text = written_calendar(_("Robosite: {league}").format(league=league.name), events)
    return tagged_text(request, text, "text/calendar")


def _dates(league: League) -> Iterator[tuple[datetime, str]]:
    if league.status == League.Status.OPEN and league.starts_at:
        yield league.starts_at, _("{league}: start").format(league=league.title)
    if league.status != League.Status.PLAYING or not league.ends:
        return
    waiting = league.fixtures.filter(match=None, decided="").order_by("round")
    rounds = sorted(set(waiting.values_list("round", flat=True)))
    for later, number in enumerate(rounds[:EVENTS]):
        if league.next_round_at and league.every_days:
            at = league.next_round_at + later * timedelta(days=league.every_days)
            yield at, _("{league}: matchday {n} begins").format(league=league.name, n=number)
    yield league.ends, _("{league}: last day").format(league=league.name)
