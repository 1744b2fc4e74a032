"""The URLs of the pages of messages and notes."""

from __future__ import annotations

from django.urls import URLPattern, path

from robosite.talk import views

urlpatterns: list[URLPattern] = [
    path("m/<key:key>/talk/", views.among_watchers, name="watchers-talk"),
    path("m/<key:key>/<letter:letter>/talk/", views.talk, name="talk"),
    path("m/<key:key>/<letter:letter>/notes/", views.notes, name="notes"),
]
