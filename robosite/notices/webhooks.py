"""Webhooks, to which notices are sent as signed JSON: any number of a person's, one of a program's."""

import base64
import json
import secrets

from django.dispatch import receiver
from django.utils import timezone
from django.utils.translation import gettext as _

from robosite.api import challenges
from robosite.api.models import Challenge
from robosite.matches import flow
from robosite.matches.models import Match, held_by
from robosite.notices import facts, outbox, safe_http, services
from robosite.notices.models import Channel, Kind, Parcel, Wishes
from robosite.people.models import Guest

WAITING = 100
"""The most matches, changed last, whose open notices are sent when a program sets its webhook."""


class Refused(Exception):
    """Raised for a channel that cannot be created; the message says why and what to do."""


def host_of(service: str, address: str) -> str:
    """Checks an address on the public internet and returns its host; raises Refused."""
    if not services.is_on(service):
        raise Refused(_("This site doesn’t send to other addresses."))
    try:
        return safe_http.check(address)
    except safe_http.Forbidden:
        raise Refused(
            _("Enter an address that begins with https:// and is on the public internet.")
        ) from None


def point_at(channel: Channel, address: str) -> str:
    """Sets the URL and label of a channel, unsaved, and returns its new signing key; raises Refused."""
    host = host_of("ntfy" if channel.kind == Channel.Kind.NTFY else "json", address)
    if channel.kind == Channel.Kind.NTFY and not address.rpartition("/")[2]:
        raise Refused(_("Enter the address of a topic, such as https://ntfy.sh/my-secret-topic"))
    channel.label = host[:60]
    key = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
    channel.store_secret(json.dumps({"url": address, "key": key}))
    return key


def of_program(guest: Guest) -> Channel | None:
    return guest.channels.filter(kind=Channel.Kind.WEBHOOK).first()


def give(guest: Guest, address: str, origin: str) -> tuple[Channel, str]:
    """Makes or changes a program's only webhook, queues a test and open notices; returns it and its key."""
    Wishes.objects.update_or_create(
        guest=guest, defaults={"origin": origin}, create_defaults={"origin": origin, "steps": [24, 3]}
    )
    channel = of_program(guest) or Channel(guest=guest, kind=Channel.Kind.WEBHOOK)
    key = point_at(channel, address)
    channel.tells, channel.on = list(Kind.values), True
    channel.failures, channel.fault = 0, ""
    channel.save()
    outbox.test(channel)
    going_on = Match.objects.filter(held_by(guest, "seats__"), status__in=flow.GOING_ON)
    for pk in list(going_on.order_by("-changed_at").values_list("pk", flat=True).distinct()[:WAITING]):
        facts.sweep(pk)  # notices that are open already are sent first
    return channel, key


@receiver(challenges.invited)
def listen_invited(challenge: Challenge, **_signal: object) -> None:
    """Signal receiver: queues a program's invitation to a match, if the program has a webhook that is on."""
    channel = of_program(challenge.program.guest)
    if channel and channel.on:
        Parcel.objects.create(
            channel=channel, what=Parcel.What.INVITED, match=challenge.match, due_at=timezone.now()
        )
