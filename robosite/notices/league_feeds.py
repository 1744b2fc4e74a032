"""The public feed and calendar of a league: only what everybody may see on its page, whoever requests it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import NAMESPACE_URL, UUID, uuid5

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from icalendar import Event

from robosite.leagues import flow
from robosite.leagues.last_day import date_of_end
from robosite.leagues.league_standings import Standings, standings_of
from robosite.leagues.models import Fixture, League
from robosite.leagues.pages.league_page import league_with
from robosite.matches.time.calendar import DAY
from robosite.matches.wording import listed
from robosite.notices.feeds import Feed, new_calendar, one_line, tagged_text, text_of
from robosite.people.zones import date_and_time, zone_named
from robosite.web.http import absolute, path_of, public
from robosite.web.written_names import without_isolates

ENTRIES = 50
EVENTS = 100
SECONDS = 60
"""Seconds for which proxies may cache a feed or a calendar."""


class Entry(NamedTuple):
    """An entry of a league's feed, which `of`, such as “end” or “match 12”, identifies within the league."""

    at: datetime
    title: str
    path: str
    of: str


@require_safe
@public(SECONDS)
def feed(request: HttpRequest, key: str) -> HttpResponse:
    """The feed of a league (Atom): start (or when it starts), results, end, next season, a cup’s ties."""
    league = flow.brought_up(league_with(key))
    return tagged_text(request, _feed(request, league), "application/atom+xml")


@require_safe
@public(SECONDS)
def calendar(request: HttpRequest, key: str) -> HttpResponse:
    """The calendar of a league (iCalendar): its start, the rounds to come, and the last day."""
    league = flow.brought_up(league_with(key))
    return tagged_text(request, _calendar(request, league), "text/calendar")


def _feed(request: HttpRequest, league: League) -> str:
    entries = sorted(entries_of(standings_of(league)), reverse=True)[:ENTRIES]
    feed = Feed(
        max([league.created_at, *(entry.at for entry in entries)]),
        title=one_line(league.title),
        link=absolute(request, league.get_absolute_url()),
        description="",
        language=get_language(),
        feed_url=absolute(request, request.path),
        feed_guid=_number(league, "feed").urn,
    )
    for entry in entries:
        feed.add_item(
            title=one_line(entry.title),
            link=absolute(request, entry.path),
            description=escape(one_line(entry.title)),
            unique_id=_number(league, entry.of).urn,
            pubdate=entry.at,
            updateddate=entry.at,
        )
    return str(feed.writeString("utf-8"))


def _number(league: League, of: str) -> UUID:
    return uuid5(NAMESPACE_URL, f"robosite league {league.key} {of}")


def entries_of(standings: Standings) -> Iterator[Entry]:
    league, page = standings.league, standings.league.get_absolute_url()
    if league.starts_at and league.status == League.Status.OPEN:
        yield Entry(league.created_at, _with_start(league, league.title), page, "starts")
    if league.started_at:
        yield Entry(league.started_at, str(league.kind.begun), page, "start")
    for fixture in standings.fixtures:
        if fixture.match and fixture.decided:
            to = path_of("match", fixture.match.key)
            yield Entry(fixture.match.changed_at, _result(standings, fixture), to, f"match {fixture.pk}")
    if league.kind.knocks_out and league.started_at:
        yield from _decided_ties(standings)
    if league.over_at:
        yield Entry(league.over_at, _final(standings), page, "end")
    season = league.next_season
    if season:
        title = _with_start(season, season.kind.announced.format(n=season.season))
        yield Entry(season.created_at, title, season.get_absolute_url(), "next")


def _with_start(league: League, title: str) -> str:
    """The title with the day and hour, in the league's zone, at which the league starts by itself."""
    if not league.starts_at or league.started_at:
        return title
    with timezone.override(zone_named(league.zone)):
        when = date_and_time(league.starts_at)
    return without_isolates(f"{title}. {_('It starts {when}.').format(when=when)}")


def _decided_ties(standings: Standings) -> Iterator[Entry]:
    page = standings.league.get_absolute_url()
    rows = dict(zip(standings.cup_matches, standings.fixtures, strict=True))
    names = {place.number: place.shown_name for place in standings.places}
    for tie in standings.bracket.ties:
        ends = [row.match.changed_at for one in tie.matches if (row := rows.get(one)) and row.match]
        if tie.winner and ends and tie.round < len(standings.bracket.rounds):
            title = without_isolates(_("{name} is through to the next round").format(name=names[tie.winner]))
            yield Entry(max(ends), title, page, f"tie {tie.round} {tie.number}")


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


def _calendar(request: HttpRequest, league: League) -> str:
    dates = new_calendar(_("Robosite: {league}").format(league=league.name))
    for number, (at, title) in enumerate(_dates(league)):
        event = Event()
        of = "end" if at == league.ends else f"round {number}" if league.started_at else "start"
        event.add("uid", f"{_number(league, of)}@robosite")
        event.add("dtstamp", league.started_at or league.created_at)
        last = date_of_end(league, zone_named(league.zone)) if at == league.ends else None
        event.add("dtstart", last or (at - timedelta(minutes=15)).astimezone(UTC))
        event.add("dtend", last + DAY if last else at.astimezone(UTC))
        event.add("summary", text_of(title))
        event.add("url", absolute(request, league.get_absolute_url()))
        event.add("transp", "TRANSPARENT")
        dates.add_component(event)
    return str(dates.to_ical(sorted=False), "utf-8")


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
