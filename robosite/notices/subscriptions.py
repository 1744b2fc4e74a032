"""Browsers' push subscriptions as channels, found by a hash of their endpoint, even after it stopped
working."""

from __future__ import annotations

from robosite.matches.link_secrets import hash_secret
from robosite.notices.models import Channel
from robosite.notices.webpush import Subscription
from robosite.people.models import Guest


def endpoint_hash(channel: Channel) -> str:
    """The hash of a channel's push endpoint; "" if no key decrypts it any more."""
    if channel.link_hash:
        return channel.link_hash
    try:
        return hash_secret(Subscription.read(channel.open()).endpoint)
    except ValueError:
        return ""


def subscription_of(guest: Guest, *endpoints: str) -> Channel | None:
    """The guest's channel with one of these endpoints; an earlier endpoint has precedence."""
    hashes = [hash_secret(endpoint) for endpoint in endpoints]
    own = {endpoint_hash(channel): channel for channel in guest.channels.filter(kind=Channel.Kind.PUSH)}
    return next((own[one] for one in hashes if one in own), None)


def keep_subscription(channel: Channel, subscription: Subscription) -> None:
    """Sets the push subscription of a channel, without saving. A channel that its owner has switched off
    stays off."""
    if channel.fault or channel.on:
        channel.on, channel.fault, channel.failures = True, "", 0
    channel.link_hash = hash_secret(subscription.endpoint)
    channel.store_secret(subscription.write())


def forget_subscription(channel: Channel) -> None:
    """Deletes an endpoint that accepts nothing any more. Its hash stays, so that the browser can renew it."""
    Channel.objects.filter(pk=channel.pk).update(secret=None, link_hash=endpoint_hash(channel))
