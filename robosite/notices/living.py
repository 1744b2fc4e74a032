"""The living message of a match or league in a chat: what every watcher may see, in its maker's language."""

from collections.abc import Iterator
from datetime import datetime

from django.utils import timezone, translation
from django.utils.translation import gettext as _

from games.core import Seat as Letter
from robosite.leagues.league_standings import Standings, standings_of
from robosite.leagues.models import League
from robosite.leagues.pages.shown import owed_in, written_points
from robosite.matches import flow
from robosite.matches.models import Match
from robosite.matches.wording import listed, wording_of
from robosite.notices import feeds
from robosite.notices.models import GroupChannel
from robosite.notices.services import Post
from robosite.people.zones import date_and_time, zone_named
from robosite.play import film
from robosite.play.drawings import is_drawn
from robosite.web.http import path_of
from robosite.web.sentences import render_sentence
from robosite.web.written_names import harmless, without_isolates

REVEALS = 3
ROWS = 8


def write(channel: GroupChannel) -> Post:
    about = channel.match or channel.league
    assert about is not None
    with translation.override(channel.language), timezone.override(zone_named(about.zone)):
        return _of_match(channel, about) if isinstance(about, Match) else _of_league(channel, about)


def _of_match(channel: GroupChannel, match: Match) -> Post:
    names = [seat.shown_name for seat in match.seats.all() if seat.taken]
    title = match.game.name
    if names:
        title = _("{game}: {names}").format(game=title, names=listed([harmless(name) for name in names]))
    turns = [wording_of(match.game).say("turn", n=n + 1) for n in range(match.turn)][-REVEALS:]
    reveals = [_("{turn} is on the board.").format(turn=turn) for turn in turns]
    shows = match.watched and match.turn and is_drawn(match.game_slug)
    picture = f"{path_of('match-card', match.key)}?v={match.turn}.{match.taken_back}" if shows else ""
    lines = [*_state_of(match), *reveals]
    return Post(
        number=channel.number.hex,
        version=match.version,
        title=_plain(title),
        lines=tuple(_plain(line) for line in lines),
        link=channel.site + match.get_absolute_url(),
        picture=picture and channel.site + picture,
        reveals=match.turn + (match.status not in flow.GOING_ON),
        newest=_plain(lines[0] if match.status not in flow.GOING_ON else (reveals or lines)[-1]),
    )


def _state_of(match: Match) -> Iterator[str]:
    if match.status == Match.Status.OPEN:
        yield _("Seats are still free.")
    elif match.status == Match.Status.ABORTED:
        yield _("Cancelled.")
    elif match.status == Match.Status.OVER:
        names = {Letter(seat.letter): harmless(seat.shown_name) for seat in match.seats.all()}
        result = film.result(match, names)
        yield render_sentence(result, names) if result else _("The match is over.")
    else:
        standing = flow.standing_of(match)
        owing = [harmless(seat.shown_name) for seat in standing.seats if seat.at in standing.owing]
        yield from _waits(listed(owing), match.deadline, at_hour=bool(match.reveal_at))
        if match.paused:
            yield _("The match is paused.")


def _waits(names: str, until: datetime | None, *, at_hour: bool) -> Iterator[str]:
    if names and until and not at_hour:
        yield _("Waiting for {names}, until {when}.").format(names=names, when=date_and_time(until))
    elif names:
        yield _("Waiting for {names}.").format(names=names)
    if until and at_hour:
        yield _("Next turn, for everyone at once: {when}.").format(when=date_and_time(until))


def _of_league(channel: GroupChannel, league: League) -> Post:
    standings = standings_of(league)
    entries = sorted(feeds.entries_of(standings), reverse=True)
    drawn = standings.started and not league.kind.knocks_out
    picture = path_of("league-table-picture", league.key, 1, "png") + f"?v={len(entries)}" if drawn else ""
    lines = [*_league_state(standings), *_table(standings), *(entry.title for entry in entries[:REVEALS])]
    return Post(
        number=channel.number.hex,
        version=league.version,
        title=_plain(harmless(league.title)),
        lines=tuple(_plain(line) for line in lines),
        link=channel.site + league.get_absolute_url(),
        picture=picture and channel.site + picture,
        reveals=len(entries),
        newest=_plain(entries[0].title if entries else ""),
    )


def _league_state(standings: Standings) -> Iterator[str]:
    league = standings.league
    if league.status == League.Status.OPEN:
        yield _("Not started yet. Joined so far: {n}.").format(n=len(standings.taken))
        if league.starts_at:
            yield _("It starts {when}.").format(when=date_and_time(league.starts_at))
    if league.status != League.Status.PLAYING:
        return
    owed = [
        f"{harmless(standings.by_key[pk].shown_name)} ({n})"
        for pk, n in owed_in(league).most_common()
        if pk in standings.by_key
    ]
    playing = [one.match for one in standings.fixtures if one.match and not one.decided]
    until = min((one.deadline for one in playing if one.deadline), default=None)
    yield from _waits(listed(owed), until, at_hour=bool(league.reveal_at))


def _table(standings: Standings) -> Iterator[str]:
    if not standings.started or standings.league.kind.knocks_out:
        return
    names = {place.number: harmless(place.shown_name) for place in standings.places}
    for division in standings.table["divisions"]:
        for row in division["rows"][:ROWS]:
            yield f"{row['rank']}. {names[row['place']]} {written_points(row['points'])}"


def _plain(text: str) -> str:
    return " ".join(without_isolates(text).split())
