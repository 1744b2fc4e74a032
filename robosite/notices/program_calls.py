"""The API's calls about a program's webhook, a URL to which the program's events are sent."""

from __future__ import annotations

from django.http import HttpRequest

from robosite.api.calls import call
from robosite.api.models import NamedProgram
from robosite.api.problems import at_field
from robosite.api.program_schemas import NewWebhook, Webhook, WebhookKey
from robosite.api.serializers import moment
from robosite.notices import webhooks
from robosite.notices.models import Channel
from robosite.notices.transports import kept_of
from robosite.web import limits
from robosite.web.http import absolute


@call("PUT", "me/webhook")
def set_webhook(request: HttpRequest, program: NamedProgram, body: NewWebhook) -> WebhookKey:
    """Sets the webhook to which all events of the program are sent; a test is sent first.

    Each event is a POST in the format of Standard Webhooks: `webhook-id` stays the same when it is tried
    again, and `webhook-signature` is the HMAC-SHA256 of id, `webhook-timestamp` and body with the key, which
    only this response shows.
    """
    limits.take(("test", str(program.guest_id)))
    try:
        channel, key = webhooks.give(program.guest, body.url, absolute(request, "/").rstrip("/"))
    except webhooks.Refused as refusal:
        raise at_field("/url", str(refusal)) from None
    return WebhookKey(key=key, **_shown(channel).model_dump())


@call("GET", "me/webhook")
def see_webhook(program: NamedProgram) -> Webhook:
    """Returns the program's webhook: the URL to which events are sent, and whether sending works.

    Without a webhook, `url` is empty and `on` false.
    """
    channel = webhooks.of_program(program.guest)
    if channel is None:
        return Webhook(url="", on=False, failures=0, fault="", succeeded_at=None, failed_at=None)
    return _shown(channel)


@call("DELETE", "me/webhook")
def drop_webhook(program: NamedProgram) -> None:
    """Removes the program's webhook; has no effect if there is none."""
    Channel.objects.filter(guest=program.guest_id, kind=Channel.Kind.WEBHOOK).delete()


def _shown(channel: Channel) -> Webhook:
    return Webhook(
        url=kept_of(channel)["url"],
        on=channel.on,
        failures=channel.failures,
        fault=channel.fault,
        succeeded_at=moment(channel.succeeded_at) if channel.succeeded_at else None,
        failed_at=moment(channel.failed_at) if channel.failed_at else None,
    )
