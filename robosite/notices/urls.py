"""The URLs of notices, feeds and calendars."""

from __future__ import annotations

from django.urls import URLPattern, path

from robosite.notices import channel_views, feeds, league_feeds, views

urlpatterns: list[URLPattern] = [
    path("notices/", views.page, name="notices"),
    path("notices/wishes/", views.wishes, name="wishes"),
    path("notices/add/", views.add, name="add-channel"),
    path("notices/<uuid:number>/", views.channel, name="channel"),
    path("s/feed/<str:secret>/", feeds.feed, name="feed"),
    path("s/calendar/<str:secret>/", feeds.calendar, name="calendar"),
    path("s/unsubscribe/<str:token>/", feeds.unsubscribe, name="unsubscribe"),
    path("m/<key:key>/<letter:letter>/channel/", channel_views.seat_channel, name="seat-channel"),
    path("m/<key:key>/channel/", channel_views.match_channel, name="match-channel"),
    path("l/<key:key>/channel/", channel_views.league_channel, name="league-channel"),
    path("l/<key:key>/feed/", league_feeds.feed, name="league-feed"),
    path("l/<key:key>/calendar/", league_feeds.calendar, name="league-calendar"),
    path("sw.js", feeds.service_worker, name="service-worker"),
]
