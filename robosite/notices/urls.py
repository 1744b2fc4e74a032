"""The URLs of notices, feeds and calendars."""

from __future__ import annotations

from django.urls import URLPattern, path

from robosite.notices import feed_views, league_feeds, views

urlpatterns: list[URLPattern] = [
    path("notices/", views.page, name="notices"),
    path("notices/wishes/", views.wishes, name="wishes"),
    path("notices/add/", views.add, name="add-channel"),
    path("notices/<uuid:number>/", views.channel, name="channel"),
    path("s/feed/<str:secret>/", feed_views.feed, name="feed"),
    path("s/calendar/<str:secret>/", feed_views.calendar, name="calendar"),
    path("s/unsubscribe/<str:token>/", feed_views.unsubscribe, name="unsubscribe"),
    path("l/<key:key>/feed/", league_feeds.feed, name="league-feed"),
    path("l/<key:key>/calendar/", league_feeds.calendar, name="league-calendar"),
    path("sw.js", feed_views.service_worker, name="service-worker"),
]
