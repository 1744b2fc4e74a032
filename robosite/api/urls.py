"""The addresses of the JSON API, version 1."""

from __future__ import annotations

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
