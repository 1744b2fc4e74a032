"""The site's URLs. Most of them are in the apps' own `urls.py`.

The path of each secret link begins with /s/; logs leave out everything after this prefix.
"""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path, re_path

from robosite.api.answers import view_of
from robosite.matches.live.consumers import Changes, OwnGames, UnknownUrl
from robosite.web import converters  # noqa: F401  (registers what the apps' addresses use)
from robosite.web import views as site
from robosite.web.metrics import metrics

urlpatterns = [
    path("", include("robosite.play.urls")),
    path("", include("robosite.lobby.urls")),
    path("api/v1/", include("robosite.api.urls")),  # early: Django tries one after another
    path("api/v1", view_of(""), name="api-root-plain"),
    path("", include("robosite.learn.urls")),
    path("", include("robosite.standings.urls")),
    path("", include("robosite.share.urls")),
    path("", include("robosite.leagues.urls")),
    path("", include("robosite.bots.urls")),
    path("", include("robosite.api.page_urls")),
    path("", include("robosite.people.urls")),
    path("", include("robosite.talk.urls")),
    path("", include("robosite.notices.urls")),
    path("", include("robosite.moderation.urls")),
    path("", include("robosite.reviews.urls")),
    path("", include("robosite.ops.urls")),
    path("healthz", site.healthz, name="healthz"),
    path("readyz", site.readyz, name="readyz"),
    path("manifest.webmanifest", site.manifest, name="manifest"),
    path("offline/", site.offline, name="offline"),
    path("early.json", site.speculation_rules, name="speculation-rules"),
    path("robots.txt", site.robots, name="robots"),
    path(".well-known/security.txt", site.security, name="security"),
    path("metrics", metrics, name="metrics"),
    path("admin/", admin.site.urls),
]

sockets = [
    path("ws/mine/", OwnGames.as_asgi()),
    path("ws/m/<key:key>/", Changes.as_asgi()),
    path("ws/m/<key:key>/<letter:letter>/", Changes.as_asgi()),
    re_path("", UnknownUrl.as_asgi()),
]

handler400 = "robosite.web.views.bad_request"
handler404 = "robosite.web.views.not_found"
handler500 = "robosite.web.views.failed"
