"""Browsers' push subscriptions as channels, found by a hash of the subscription's endpoint (its URL).

The hash stays after the endpoint has stopped working. The subscription belongs to the browser's session: one
that its guest has left, or was signed out of, gets no pushes.
"""

from typing import Any

from django.db.models import QuerySet
from django.dispatch import receiver

from robosite.notices.models import Channel
from robosite.notices.webpush import Subscription
from robosite.people.current_guest import guest_of, others_signed_out, session_ended, session_moved
from robosite.people.models import Guest
from robosite.people.sessions import SessionStore
from robosite.web.link_secrets import hash_secret


def endpoint_hash(channel: Channel) -> str:
    """The hash of a channel's push endpoint; "" if it is unknown or cannot be decrypted."""
    if channel.link_hash:
        return channel.link_hash
    try:
        return hash_secret(Subscription.read(channel.open()).endpoint)
    except ValueError:
        return ""


def subscription_of(guest: Guest, *endpoints: str) -> Channel | None:
    hashes = [hash_secret(endpoint) for endpoint in endpoints]
    own = {endpoint_hash(channel): channel for channel in guest.channels.filter(kind=Channel.Kind.PUSH)}
    return next((own[one] for one in hashes if one in own), None)


def keep_subscription(channel: Channel, subscription: Subscription, session_key: str) -> None:
    """Gives a channel this browser's subscription, taken from other guests; switches it on after a fault."""
    channel.session_key = session_key
    _pushes(link_hash=hash_secret(subscription.endpoint)).exclude(guest=channel.guest).delete()
    if channel.fault or channel.on:
        channel.on, channel.fault, channel.failures = True, "", 0
    channel.link_hash = hash_secret(subscription.endpoint)
    channel.store_secret(subscription.write())


def forget_subscription(channel: Channel) -> None:
    """Deletes the push endpoint of a channel, but keeps the endpoint's hash."""
    Channel.objects.filter(pk=channel.pk).update(secret=None, link_hash=endpoint_hash(channel))


def is_left(channel: Channel) -> bool:
    """Returns True if this channel pushes to a browser that is not the guest's any more."""
    if channel.kind != Channel.Kind.PUSH or not channel.session_key:
        return False
    session: Any = SessionStore(channel.session_key)
    return guest_of(session) != channel.guest


@receiver(session_moved)
def note_moved(sender: object, before: str, after: str, **_signal: object) -> None:
    """Signal receiver: stores the new key of a browser's session."""
    _pushes(session_key=before).update(session_key=after)


@receiver(session_ended)
def drop_pushes(sender: object, session_key: str | None, **_signal: object) -> None:
    """Signal receiver: deletes the push channel of a browser that forgets its guest."""
    if session_key:
        _pushes(session_key=session_key).delete()


@receiver(others_signed_out)
def shut_others_out(sender: object, guest: Guest, session_key: str, **_signal: object) -> None:
    """Signal receiver: ends a guest's pushes to other browsers, and the links of feeds and calendars."""
    _pushes(guest=guest).exclude(session_key=session_key).delete()
    guest.channels.filter(kind__in=(Channel.Kind.ATOM, Channel.Kind.CALENDAR)).update(link_hash="")


def _pushes(**of: Any) -> QuerySet[Channel]:
    return Channel.objects.filter(kind=Channel.Kind.PUSH, **of)
