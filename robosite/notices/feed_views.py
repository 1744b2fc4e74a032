"""Views that need no session: feeds at secret links, unsubscribing from mails, the service worker."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from uuid import UUID

from django.contrib.staticfiles.storage import staticfiles_storage
from django.core import signing
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from robosite.matches.link_secrets import hash_secret
from robosite.notices import feeds
from robosite.notices.models import Channel
from robosite.notices.transports import UNSUBSCRIBE
from robosite.people import offline
from robosite.people.mail import as_read_by
from robosite.play.decorators import private, secret

NOTED_EVERY = timedelta(minutes=10)
"""The least time between two updates of `Channel.succeeded_at` by requests for a feed or calendar."""


@require_safe
@private
def feed(request: HttpRequest, secret: str) -> HttpResponse:
    channel = _of(secret, Channel.Kind.ATOM)
    return _answer(request, channel, lambda: feeds.atom(channel, request.path), "application/atom+xml")


@require_safe
@private
def calendar(request: HttpRequest, secret: str) -> HttpResponse:
    channel = _of(secret, Channel.Kind.CALENDAR)
    return _answer(request, channel, lambda: feeds.calendar(channel), "text/calendar")


def _of(secret: str, kind: str) -> Channel:
    channels = Channel.objects.select_related("guest__wishes")
    return get_object_or_404(channels, kind=kind, on=True, link_hash=hash_secret(secret))


def _answer(request: HttpRequest, channel: Channel, make: Callable[[], str], kind: str) -> HttpResponse:
    """What `make` writes in the guest's language, or a 304; notes the success, once in NOTED_EVERY."""
    now = timezone.now()
    before = Q(succeeded_at=None) | Q(succeeded_at__lt=now - NOTED_EVERY)
    Channel.objects.filter(before, pk=channel.pk).update(succeeded_at=now)
    with as_read_by(channel.guest):
        return feeds.tagged_text(request, make(), kind)


@csrf_exempt  # mail programs, which have no cookie, send this; the token is enough
@require_http_methods(["GET", "HEAD", "POST"])
@secret
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the unsubscribe link in mails; a POST (its button, or one click by RFC 8058) stops them."""
    try:
        number = UUID(hex=signing.loads(token, salt=UNSUBSCRIBE))
    except (signing.BadSignature, ValueError, TypeError, AttributeError):
        raise Http404 from None
    channels = Channel.objects.filter(number=number, kind=Channel.Kind.MAIL)
    if request.method == "POST":
        channels.update(on=False, fault="")
    return render(request, "notices/unsubscribe.html", {"on": channels.filter(on=True).exists()})


@require_safe
@cache_control(no_cache=True)
def service_worker(request: HttpRequest) -> HttpResponse:
    """The script of the service worker, which shows pushes and, with `?keep`, works without a network."""
    text = render_to_string("notices/sw.js", {"version": _version(), "nobody": offline.NOBODY})
    return HttpResponse(text, content_type="text/javascript; charset=utf-8")


@cache
def _version() -> str:
    """A hash of the names of all static files in use."""
    files = getattr(staticfiles_storage, "hashed_files", {})
    return hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
