"""What the views of a match share: a request as they get it, and how long an answer may be kept."""

from __future__ import annotations

from django.http import HttpRequest
from django.views.decorators.cache import cache_control
from django_htmx.middleware import HtmxDetails

from robosite.matches.models import Hold


class Request(HttpRequest):
    """A request as the middlewares, and the seat's own door, have prepared it."""

    htmx: HtmxDetails
    hold: Hold


private = cache_control(private=True, no_cache=True)
secret = cache_control(no_store=True, private=True)
