"""Warnings that a match or league that never began will soon be deleted."""

from datetime import timedelta

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from robosite.leagues.models import League
from robosite.matches.models import Match
from robosite.notices.models import Channel, Parcel
from robosite.notices.outbox import due
from robosite.people.models import Guest
from robosite.people.zones import day
from robosite.web.written_names import Name, without_isolates

WARNING = timedelta(days=7)
"""The time from a warning to the deletion."""


def tell(
    guests: QuerySet[Guest],
    *,
    match: Match | None = None,
    league: League | None = None,
    what: Parcel.What = Parcel.What.LAPSES,
) -> None:
    """Queues a warning on each channel of these guests, unless the channel has had one lately."""
    now = timezone.now()
    about = Parcel.objects.filter(what=what, match=match, league=league)
    lately = about.filter(channel=OuterRef("pk"), due_at__gt=now - 2 * WARNING)
    channels = Channel.objects.filter(~Exists(lately), guest__in=guests.values("pk"), on=True)
    for channel in channels.select_related("guest__wishes"):
        if channel.sends:
            Parcel.objects.create(
                channel=channel, what=what, match=match, league=league, due_at=due(channel, now)
            )


def told_lately(to: str, since: timedelta) -> Exists:
    """The condition that somebody was warned of a row's deletion less than `since` ago."""
    told = Parcel.objects.filter(what=Parcel.What.LAPSES, due_at__gt=timezone.now() - since)
    return Exists(told.filter(**{to: OuterRef("pk")}))


def text_of(parcel: Parcel) -> tuple[str, str, str]:
    when = day(parcel.due_at + WARNING)
    if parcel.league:
        title = _("“{league}” will be deleted on {day}").format(league=Name(parcel.league.title), day=when)
        path = parcel.league.get_absolute_url()
    else:
        assert parcel.match
        title = _("Your {game} match will be deleted on {day}").format(game=parcel.match.game.name, day=when)
        path = parcel.match.get_absolute_url()
    text = _(
        "It hasn’t begun, and nothing has happened in it for a long time. It’s kept if "
        "someone joins or writes."
    )
    return without_isolates(title), text, path
