"""The channels of matches and leagues: making and ending one, and keeping its living message up to date.

The sender looks at channels whose match or league has a newer version than the message, and posts or edits it
if it reads otherwise now. A message may be sent twice if a sender dies in between. Once the end has been
told, the channel waits for the rematch or the next season, which gets a new message.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from robosite.leagues.flow import locked_league
from robosite.leagues.models import Fixture, League
from robosite.matches import flow
from robosite.matches.models import Match, held_by
from robosite.notices import living, services
from robosite.notices.models import GroupChannel, new_number
from robosite.notices.parcels import BACKOFF, TIRED, SendOutcome, unclaimed
from robosite.notices.services import Address
from robosite.notices.webhooks import Refused, host_of
from robosite.people.models import Guest
from robosite.web.http import path_of
from robosite.web.transactions import lock_rows

log = logging.getLogger("robosite")

SPACED = timedelta(seconds=5)
"""The least time between two messages of a channel: what happens meanwhile goes into the second one."""
LONGEST_TOKEN = 300
GOING_ON = (*flow.GOING_ON, League.Status.OPEN, League.Status.PLAYING)


def channel_of(about: Match | League) -> GroupChannel | None:
    """The channel of a match or league, without its address; None if it has none."""
    return GroupChannel.objects.filter(**_of(about)).defer("secret").first()


def _of(about: Match | League) -> dict[str, Any]:
    return {"match" if isinstance(about, Match) else "league": about}


def way_to_channel(about: Match | League, letter: str | None = None) -> str:
    """The path of a channel's page, for players their seat's own; "" if there is none and none can begin."""
    over = about.status not in GOING_ON  # then one may wait for what follows
    if not any(map(services.is_on, services.SERVICES)) or (over and not channel_of(about)):
        return ""
    if isinstance(about, League):
        return path_of("league-channel", about.key)
    return path_of("seat-channel", about.key, letter) if letter else path_of("match-channel", about.key)


def checked(kind: str, address: Address) -> str:
    """Checks an address for a channel of this kind and returns its host; raises Refused with a sentence."""
    host = host_of(kind, address.url)
    token = address.token
    if len(token) > LONGEST_TOKEN or not (token.isascii() and token.isprintable()) or " " in token:
        raise Refused(_("That isn’t a token of this service: copy it again."))
    if not services.SERVICES[kind].fits(address):
        name = services.SERVICES[kind].name
        raise Refused(_("That isn’t an address of {service}: follow the three steps.").format(service=name))
    return host


def make(
    lock: AbstractContextManager[Match | League],
    kind: str,
    address: Address,
    *,
    guest: Guest | None,
    name: str,
    site: str,
) -> GroupChannel:
    """Gives the match or league that `lock` yields a channel, made by `guest` under this name.

    Raises what the lock raises, and both kinds of Refused.
    """
    host = checked(kind, address)
    with lock as about:
        if about.status not in GOING_ON:
            raise flow.Refused("The league is over." if isinstance(about, League) else "The match is over.")
        if channel_of(about):
            raise flow.Refused("There’s a channel already. Remove it first.")
        language, now = get_language() or settings.LANGUAGE_CODE, timezone.now()
        new = GroupChannel(**_of(about), kind=kind, host=host, language=language, site=site, due_at=now)
        new.guest, new.made_by = guest, name
        new.store_secret(json.dumps(address._asdict()))
        new.save()
        return new


def end(lock: AbstractContextManager[Match | League]) -> None:
    with lock as about:
        GroupChannel.objects.filter(**_of(about)).delete()


# The living message


def note_changed() -> None:
    """Has the sender look at the channels of leagues in which a match has changed since the last look."""
    changed = Fixture.objects.filter(league=OuterRef("league"), match__changed_at__gte=OuterRef("looked_at"))
    running = GroupChannel.objects.filter(league__status=League.Status.PLAYING).exclude(version=0)
    running.filter(Exists(changed)).update(version=0)


def move_on() -> None:
    """Moves channels that have told the end to the rematch, once it has begun, or to the next season.

    A match's channel moves only if its maker plays on, else it is deleted; none replaces another channel.
    """
    told_match, told_league = (Q(version__gte=F(f"{of}__version")) for of in ("match", "league"))
    now = timezone.now()
    here = GroupChannel.objects.filter(unclaimed(now)).select_related("match__rematch", "league__following")
    begun = [status for status in Match.Status if status != Match.Status.OPEN]
    after = Q(match__rematch__status__in=begun, match__rematch__group_channel=None)
    ended = here.exclude(match__status__in=flow.GOING_ON).filter(told_match, after)
    for channel in ended:
        _move(channel)
    over = here.filter(told_league, league__status=League.Status.OVER, league__following__group_channel=None)
    for channel in over.exclude(league__following=None):
        _move(channel)


def _move(channel: GroupChannel) -> None:
    if channel.match:
        with flow.locked_match(channel.match.rematch) as match:
            maker = held_by(channel.guest_id) if channel.guest_id else Q(name=channel.made_by)
            if match.seats.filter(maker).exists():
                _begin_anew(channel, match)
            else:
                channel.delete()
    elif channel.league and (following := channel.league.next_season):
        with locked_league(following.pk, quiet=True) as league:
            _begin_anew(channel, league)


def _begin_anew(channel: GroupChannel, about: Match | League) -> None:
    """Points a channel at another match or league, if that has none, with a new number and no message."""
    opened, new = channel.open(), {"match": None, "league": None, **_of(about)}
    if not opened or channel_of(about):
        return
    channel.number = new_number()
    channel.store_secret(opened)
    GroupChannel.objects.filter(pk=channel.pk).update(
        **new,
        number=channel.number,
        secret=channel.secret,
        message="",
        version=0,
        digest="",
    )


def claim(busy: Collection[str] = ()) -> GroupChannel | None:
    """Claims the next channel to look at, if there is one; hosts in `busy` are skipped."""
    now = timezone.now()
    newer = Q(match__version__gt=F("version")) | Q(league__version__gt=F("version"))
    waiting = GroupChannel.objects.filter(newer, unclaimed(now), due_at__lte=now).exclude(host__in=busy)
    pk = waiting.order_by("due_at", "pk").values_list("pk", flat=True).first()
    if pk is None:
        return None
    with transaction.atomic():
        channel = lock_rows(GroupChannel.objects.filter(unclaimed(now), pk=pk)).first()
        if channel:
            channel.claimed_until = now + timedelta(seconds=settings.SENDER_LEASE)
            channel.save(update_fields=["claimed_until"])
        return channel


def ready(channel: GroupChannel) -> Callable[[], SendOutcome]:
    """Returns a function that gives a SendOutcome; it sends the channel's message if changed and possible."""
    channel.looked_at = timezone.now()
    post, kind, message = living.write(channel), channel.kind, channel.message
    channel.version = post.version
    digest = hashlib.sha256(repr(post._replace(version=0)).encode("utf-8", "surrogatepass")).hexdigest()
    opened = channel.open()
    if not opened:
        return lambda: SendOutcome("lost", gone=True)
    if digest == channel.digest:
        return lambda: SendOutcome(message=message)
    channel.digest = digest
    if not services.is_on(kind):
        return lambda: SendOutcome("off", final=True, message=message)
    address = Address(**json.loads(opened))
    return lambda: services.send(kind, address, post, message)


def note_outcome(channel: GroupChannel, outcome: SendOutcome) -> None:
    """Stores the outcome of sending: done, to be tried again, or the end of the channel."""
    now = timezone.now()
    row = GroupChannel.objects.filter(pk=channel.pk)
    if outcome.gone or (outcome.fault and channel.failures + 1 >= TIRED):
        row.delete()
        return
    wait, failures = SPACED, 0
    new = {"message": outcome.message, "version": channel.version, "digest": channel.digest}
    if outcome.fault == services.MISSING:
        new = {"message": "", "version": 0, "digest": ""}
    elif outcome.fault:
        failures, new = channel.failures + 1, {"version": 0}
        seconds = BACKOFF[min(failures, len(BACKOFF)) - 1]
        wait = timedelta(seconds=max(seconds, min(outcome.later, 86_400)))
    row.update(**new, failures=failures, looked_at=channel.looked_at, due_at=now + wait, claimed_until=None)
