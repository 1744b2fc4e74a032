"""A guest's personal data in notices: exporting the data, merging two guests, and erasing one."""

from typing import Any

from robosite.notices.models import Channel, GroupChannel, Notice, Wishes
from robosite.people.models import Guest
from robosite.people.personal_data import Part


def export(guest: Guest, request: object = None) -> dict[str, Any] | None:
    wishes = Wishes.objects.filter(guest=guest).values("steps", "quiet_from", "quiet_until", "digest_hour")
    ways = [
        {
            "kind": one.kind,
            "address": one.open(),
            "tells": one.tells,
            "when": one.when,
            "on": one.on,
            "made_at": one.made_at.isoformat(),
        }
        for one in guest.channels.all()
    ]
    notices = Notice.objects.filter(guest=guest).select_related("match").order_by("pk")
    noted = [
        {"kind": one.kind, "match": one.match.key, "turn": one.turn, "at": one.noted_at.isoformat()}
        for one in notices
    ]
    chats = [
        {
            "match": one.match and one.match.key,
            "league": one.league and one.league.key,
            "kind": one.kind,
            "address": one.open(),
            "made_by": one.made_by,
            "made_at": one.made_at.isoformat(),
        }
        for one in guest.group_channels.select_related("match", "league").order_by("pk")
    ]
    if not wishes and not ways and not noted and not chats:
        return None
    return {"wishes": wishes.first(), "ways": ways, "told": noted, "chats": chats}


def export_for_host(guest: Guest) -> dict[str, Any] | None:
    """The data of `export` for the site's host, without the channels' addresses; None if there is no data."""
    data = export(guest)
    if data:
        for what in ("ways", "chats"):
            data[what] = [{**way, "address": None} for way in data[what]]
    return data


def merge(guest: Guest, into: Guest) -> None:
    """Moves a guest's rows to `into`; deletes preferences, mail channels and notices that `into` has too."""
    if Wishes.objects.filter(guest=into).exists():
        Wishes.objects.filter(guest=guest).delete()
    if into.channels.filter(kind=Channel.Kind.MAIL).exists():
        guest.channels.filter(kind=Channel.Kind.MAIL).delete()
    Wishes.objects.filter(guest=guest).update(guest=into)
    known = set(Notice.objects.filter(guest=into).values_list("seat", "kind", "fact"))
    for notice in Notice.objects.filter(guest=guest):
        if (notice.seat_id, notice.kind, notice.fact) in known:
            notice.delete()
    Notice.objects.filter(guest=guest).update(guest=into)
    Channel.objects.filter(guest=guest).update(guest=into)
    GroupChannel.objects.filter(guest=guest).update(guest=into)


def forget(guest: Guest) -> None:
    """Deletes the guest's channels at once, and those that they made for matches and leagues."""
    guest.channels.all().delete()
    guest.group_channels.all().delete()


PART = Part(export=export, export_for_host=export_for_host, merge=merge, forget=forget)
