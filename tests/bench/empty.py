"""Addresses of a site that does nothing: what Django, its middleware and the server cost by themselves."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import path


def empty(request: HttpRequest) -> HttpResponse:
    return HttpResponse(headers={"Content-Length": "0"})


urlpatterns = [path("empty/", empty), path("healthz", empty)]
