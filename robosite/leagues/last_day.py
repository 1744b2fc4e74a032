"""The end of a league: the end of its last day in the league's zone, or of the day of its last evening."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils import timezone

from robosite.leagues.models import League
from robosite.matches.time import evenings
from robosite.matches.time.calendar import DAY, midnight
from robosite.matches.time.reveal_hours import RevealHour
from robosite.people.zones import date_and_time, day, zone_named

FILMS = timedelta(hours=1)
"""The minimum time from the last evening's turns to the end of a league."""
MOMENT = timedelta(microseconds=1)


def end_of(league: League, started: datetime) -> datetime:
    """Returns the time at which a league ends if it starts at the time `started`.

    With `reveal_at`, it ends on the day of the last such hour. A length with a fraction counts in hours.
    """
    if league.ends_days % 1 and not league.reveal_at:
        return started + timedelta(days=league.ends_days)
    zone = zone_named(league.zone)
    last = (started.astimezone(zone) + timedelta(days=league.ends_days)).date()
    end = midnight(last + DAY, zone)
    if not league.reveal_at:
        return end
    hour = RevealHour.read(league.reveal_at)
    return _after_evening(hour, max(hour.before(end - MOMENT), hour.after(started)))


def _after_evening(hour: RevealHour, evening: datetime) -> datetime:
    return max(midnight(evening.astimezone(hour.zone).date() + DAY, hour.zone), evening + FILMS)


def moved_end(league: League, since: datetime, now: datetime) -> datetime:
    """Returns the time at which a league ends after a downtime from `since` to `now`.

    With `reveal_at`, as many such hours are left as before; otherwise, as much time.
    """
    assert league.ends
    if not league.reveal_at or now < since:
        return league.ends + (now - since)
    hour = RevealHour.read(league.reveal_at)
    last = hour.before(league.ends - MOMENT)
    coming, evening = hour.after(since), hour.after(max(now + evenings.least() - MOMENT, since))
    if last < coming or evening == coming:
        return league.ends
    while coming < last:
        coming, evening = hour.after(coming), hour.after(evening)
    return _after_evening(hour, evening)


def date_of_end(league: League, zone: ZoneInfo) -> date | None:
    """Returns the last day of a league that has started; None if it does not end with a day in the zone."""
    assert league.ends
    here = league.ends.astimezone(zone).date()
    return here - DAY if league.ends == midnight(here, zone) else None


def last_day_of(league: League) -> str:
    """Returns a league's last day as text, in the active zone; with the time if it ends within a day."""
    assert league.ends
    last = date_of_end(league, zone_named(timezone.get_current_timezone_name()))
    return day(last) if last else date_and_time(league.ends)
