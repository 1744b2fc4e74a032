"""The API's calls about the channel of a match or league (one message in a chat) and a program's webhook."""

from typing import Any, Literal

from django.http import HttpRequest
from django.utils.translation import gettext as _
from pydantic import Field

from robosite.api.calls import call
from robosite.api.checks import Caller
from robosite.api.models import NamedProgram
from robosite.api.problems import Problem, at_field
from robosite.api.program_views import Url
from robosite.api.schemas import Body, Shown
from robosite.api.serializers import moment
from robosite.leagues.flow import locked_league, organisers_place
from robosite.leagues.models import League
from robosite.matches import flow
from robosite.matches.models import Match, Seat
from robosite.notices import group_channels, safe_http, webhooks
from robosite.notices.models import Channel as OwnChannel
from robosite.notices.models import GroupChannel
from robosite.notices.services import Address
from robosite.notices.transports import kept_of
from robosite.web import limits
from robosite.web.http import absolute
from robosite.web.written_names import name_to_show

Kind = Literal["discord", "slack", "matrix", "telegram", "ntfy", "json"]


class NewChannel(Body):
    kind: Kind = Field(description="The service.")
    url: str = Field(
        max_length=safe_http.LONGEST,
        description="Its address; https, on the open internet. Nobody is told it afterwards.",
        examples=["https://discord.com/api/webhooks/1234/abcd"],
    )
    token: str | None = Field(
        None,
        description="The token of the service's bot, or the key that signs JSON. Without one, Slack gets a"
        " message for each turn, as its webhooks cannot edit.",
    )


class Channel(Shown):
    """The channel of a match or league, as everybody may read it."""

    kind: Kind
    host: str = Field(description="The host of its address.")
    made_by: str = Field(description="The name of whoever made it.")


@call("POST", "matches/<str:key>/channel", status=201)
def make_match_channel(request: HttpRequest, seat: Seat, body: NewChannel) -> Channel:
    """Gives the match a channel in a chat; needs the token of the seat whose player made the match."""
    if not seat.host:
        raise Problem(403, _("Only the creator of the match can post it to a chat."))
    guest = seat.hold.guest if seat.hold else None
    return _make(request, body, f"seat {seat.pk}", lock=flow.locked_seat(seat), guest=guest, name=seat.name)


@call("GET", "matches/<str:key>/channel", by="viewer")
def match_channel(match: Match) -> Channel:
    """Returns the channel of a match; 404 if it has none."""
    return _shown(group_channels.channel_of(match))


@call("DELETE", "matches/<str:key>/channel", conflicts=True)
def end_match_channel(seat: Seat) -> None:
    """Ends the match's channel; any player may. Has no effect if there is none."""
    group_channels.end(flow.locked_seat(seat))


@call("POST", "leagues/<str:league>/channel", status=201)
def make_league_channel(request: HttpRequest, league: League, caller: Caller, body: NewChannel) -> Channel:
    """Gives a league or cup a channel in a chat; needs the organiser's token."""
    caller.check_organises(league)
    program, own = caller.program, caller.place(league) or organisers_place(league)
    name = own.name if own else program.guest.name if program else ""
    guest = program.guest if program else league.organiser
    lock = locked_league(league.pk, caller.organises, quiet=True)
    return _make(request, body, f"league {league.pk}", lock=lock, guest=guest, name=name)


@call("GET", "leagues/<str:league>/channel")
def league_channel(league: League) -> Channel:
    """Returns the channel of a league or cup; 404 if it has none."""
    return _shown(group_channels.channel_of(league))


@call("DELETE", "leagues/<str:league>/channel", conflicts=True)
def end_league_channel(league: League, caller: Caller) -> None:
    """Ends a league's channel; needs the organiser's token. Has no effect if there is none."""
    caller.check_organises(league)
    group_channels.end(locked_league(league.pk, caller.organises, quiet=True))


def _make(request: HttpRequest, body: NewChannel, who: str, **given: Any) -> Channel:
    limits.take(("test", who), ("test/address", limits.address(request)))
    address, site = Address(body.url.strip(), (body.token or "").strip()), absolute(request, "/").rstrip("/")
    try:
        return _shown(group_channels.make(kind=body.kind, address=address, site=site, **given))
    except webhooks.Refused as refusal:
        raise at_field("/url", str(refusal)) from None


def _shown(channel: GroupChannel | None) -> Channel:
    if channel is None:
        raise Problem(404, _("There’s no channel."))
    return Channel.model_validate(
        {"kind": channel.kind, "host": channel.host, "made_by": name_to_show(channel.made_by)}
    )


class NewWebhook(Body):
    url: Url = Field(description="It begins with https:// and is on the open internet.")


class Webhook(Shown):
    """The URL to which a program's events are sent, and its state."""

    url: str
    on: bool = Field(description="False once it has failed too often; set it again.")
    failures: int = Field(description="How often in a row it has failed.")
    fault: str = Field(description="What failed last, in a word; empty if nothing has since it last worked.")
    succeeded_at: str | None
    failed_at: str | None


class WebhookKey(Webhook):
    key: str = Field(description="Signs for what is sent. It is shown this once.")


@call("PUT", "me/webhook")
def set_webhook(request: HttpRequest, program: NamedProgram, body: NewWebhook) -> WebhookKey:
    """Sets the webhook to which all events of the program are sent; a test is sent first."""
    limits.take(("test", str(program.guest_id)))
    try:
        channel, key = webhooks.give(program.guest, body.url, absolute(request, "/").rstrip("/"))
    except webhooks.Refused as refusal:
        raise at_field("/url", str(refusal)) from None
    return WebhookKey(key=key, **_shown_webhook(channel).model_dump())


@call("GET", "me/webhook")
def see_webhook(program: NamedProgram) -> Webhook:
    """Returns the program's webhook; without one, `url` is empty and `on` false."""
    channel = webhooks.of_program(program.guest)
    if channel is None:
        return Webhook(url="", on=False, failures=0, fault="", succeeded_at=None, failed_at=None)
    return _shown_webhook(channel)


@call("DELETE", "me/webhook")
def drop_webhook(program: NamedProgram) -> None:
    """Removes the program's webhook; has no effect if there is none."""
    OwnChannel.objects.filter(guest=program.guest_id, kind=OwnChannel.Kind.WEBHOOK).delete()


def _shown_webhook(channel: OwnChannel) -> Webhook:
    return Webhook(
        url=kept_of(channel)["url"],
        on=channel.on,
        failures=channel.failures,
        fault=channel.fault,
        succeeded_at=moment(channel.succeeded_at) if channel.succeeded_at else None,
        failed_at=moment(channel.failed_at) if channel.failed_at else None,
    )
