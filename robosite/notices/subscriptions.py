"""Browsers' push subscriptions as channels, found by a hash of the subscription's endpoint (its URL).

A channel keeps the hash after the endpoint has stopped working.
"""

from __future__ import annotations

from robosite.matches.link_secrets import hash_secret
from robosite.notices.models import Channel
from robosite.notices.webpush import Subscription
from robosite.people.models import Guest


def endpoint_hash(channel: Channel) -> str:
    """Returns the hash of a channel's push endpoint; "" if the endpoint is unknown or cannot be decrypted."""
    if channel.link_hash:
        return channel.link_hash
    try:
        return hash_secret(Subscription.read(channel.open()).endpoint)
    except ValueError:
        return ""


def subscription_of(guest: Guest, *endpoints: str) -> Channel | None:
    """Returns the guest's push channel for the first of these endpoints that has a channel, or None."""
    hashes = [hash_secret(endpoint) for endpoint in endpoints]
    own = {endpoint_hash(channel): channel for channel in guest.channels.filter(kind=Channel.Kind.PUSH)}
    return next((own[one] for one in hashes if one in own), None)


def keep_subscription(channel: Channel, subscription: Subscription) -> None:
    """Sets the push subscription of a channel, without saving the channel.

    Switches the channel on if it was off because of a fault, but not if its owner has switched it off.
    """
    if channel.fault or channel.on:
        channel.on, channel.fault, channel.failures = True, "", 0
    channel.link_hash = hash_secret(subscription.endpoint)
    channel.store_secret(subscription.write())


def forget_subscription(channel: Channel) -> None:
    """Deletes the push endpoint of a channel, but keeps the endpoint's hash.

    By the hash, the browser can renew its subscription.
    """
    Channel.objects.filter(pk=channel.pk).update(secret=None, link_hash=endpoint_hash(channel))
