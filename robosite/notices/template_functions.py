"""Template functions for the reader's choice of notices, for failed channels, and for pushes."""

from django.conf import settings
from jinja2 import pass_context
from jinja2.runtime import Context

from robosite.notices.group_channels import way_to_channel
from robosite.notices.models import Channel, Wishes
from robosite.notices.texts import lost_sentence
from robosite.notices.webpush import application_key
from robosite.people.current_guest import current_guest
from robosite.people.models import GuestFlag

LOUDEST = ("push", "mail", "ntfy", "webhook")


@pass_context
def told_by(context: Context) -> str | None:
    """The kind of channel by which the reader hears that it is their turn, or ""; None before they chose."""
    guest = current_guest(context["request"])
    if guest is None:
        return ""
    chosen = Wishes.objects.filter(guest=guest).values_list("guest__channels__kind", "guest__channels__on")
    kinds = {kind for kind, on in chosen if on}
    return next((kind for kind in LOUDEST if kind in kinds), "") if chosen else None


@pass_context
def lost_channels(context: Context) -> list[tuple[Channel, str]]:
    """The reader's channels that failed and were switched off, each with a sentence that says so."""
    guest = current_guest(context["request"])
    if guest is None or not guest.may_have(GuestFlag.NOTICES_LOST):
        return []
    lost = Channel.objects.filter(guest=guest, on=False).exclude(fault="").defer("secret")
    return [(channel, lost_sentence(channel)) for channel in lost]


def pushes_key() -> str:
    """The public key with which browsers subscribe to pushes; "" if the site sends no pushes."""
    return application_key() if settings.VAPID_KEY else ""


@pass_context
def wants_sound(context: Context) -> bool:
    guest = current_guest(context["request"])
    if guest is None or not guest.may_have(GuestFlag.SOUND):
        return False
    return Wishes.objects.filter(guest=guest, sound=True).exists()


FUNCTIONS = {"way_to_channel": way_to_channel}
