"""Every address of the site. Secret links share the prefix /s/, and no log holds what follows it."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path, re_path, register_converter

from robosite import views as site
from robosite.bots import views as bots
from robosite.keeping import views as keeping
from robosite.matches import invitations, lessons, lostseats, making, mine, results, times, views
from robosite.matches.consumers import Changes, Nowhere
from robosite.metrics import metrics
from robosite.pictures import views as pictures


class LetterConverter:
    """A seat's letter."""

    regex = "[A-H]"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class KeyConverter(LetterConverter):
    """A match's public key."""

    regex = "[a-z0-9]{12}"


class PictureConverter(LetterConverter):
    """What a picture is written as."""

    regex = "svg|png"


register_converter(LetterConverter, "letter")
register_converter(KeyConverter, "key")
register_converter(PictureConverter, "picture")

urlpatterns = [
    path("", making.home, name="home"),
    path("matches/", making.make, name="make"),
    path("play/", bots.play, name="play"),
    path("new/<slug:slug>/", making.new, name="new"),
    path("mine/", mine.my_games, name="my-games"),
    path("mine/results/", results.results, name="results"),
    path("next/", mine.next_game, name="next"),
    path("me/holidays/", times.my_holidays, name="holidays"),
    path("learn/<slug:slug>/", lessons.learn, name="first-lesson"),
    path("learn/<slug:slug>/<int:at>/", lessons.learn, name="learn"),
    path("rules/", making.rules_of_all, name="rules-of-all"),
    path("rules/<slug:slug>/", views.rules, name="rules"),
    path("s/invite/<str:secret>/", invitations.invited, name="invite"),
    path("s/invite/<str:secret>/accept/", invitations.accept, name="accept"),
    path("s/invite/<str:secret>/opened/", invitations.opened, name="opened"),
    path("s/seat/<str:secret>/", invitations.seat_link, name="seat-link"),
    path("s/seat/<str:secret>/take/", invitations.take_seat, name="take-seat"),
    path("m/<key:key>/", views.watch, name="match"),
    path("m/<key:key>/version/", views.version, name="version"),
    path("m/<key:key>/record/", views.record, name="record"),
    path("m/<key:key>/<letter:letter>/", views.seat, name="seat"),
    path("m/<key:key>/<letter:letter>/qr/<slug:what>.svg", invitations.qr, name="qr"),
    path("m/<key:key>/<letter:letter>/plan/", views.plan, name="plan"),
    path("m/<key:key>/<letter:letter>/here/", views.here, name="here"),
    path("m/<key:key>/<letter:letter>/start/", views.start, name="start"),
    path("m/<key:key>/<letter:letter>/reopen/", views.reopen, name="reopen"),
    path("m/<key:key>/<letter:letter>/resign/", views.resign, name="resign"),
    path("m/<key:key>/<letter:letter>/draw/", views.draw, name="draw"),
    path("m/<key:key>/<letter:letter>/call-off/", views.call_off, name="call-off"),
    path("m/<key:key>/<letter:letter>/take-back/", views.take_back, name="take-back"),
    path("m/<key:key>/<letter:letter>/time/", times.time, name="time"),
    path("m/<key:key>/<letter:letter>/pause/", times.pause, name="pause"),
    path("m/<key:key>/<letter:letter>/nudge/", times.nudge, name="nudge"),
    path("m/<key:key>/<letter:letter>/claim/", views.claim, name="claim"),
    path("m/<key:key>/<letter:letter>/ask/", lostseats.ask, name="ask"),
    path("m/<key:key>/<letter:letter>/asked/", lostseats.asked, name="asked"),
    path("m/<key:key>/<letter:letter>/leave/", views.leave, name="leave"),
    path("m/<key:key>/<letter:letter>/bot/", bots.seat_bot, name="seat-bot"),
    path("m/<key:key>/<letter:letter>/link/", invitations.new_link, name="new-link"),
    path("m/<key:key>/<letter:letter>/invite/", invitations.new_invite, name="new-invite"),
    path("m/<key:key>/<letter:letter>/rematch/", views.rematch, name="rematch"),
    path("m/<key:key>/<letter:letter>/results/", results.results_here, name="results-here"),
    path("", include("robosite.people.urls")),
    path("", include("robosite.talk.urls")),
    path("", include("robosite.notices.urls")),
    path("", include("robosite.moderation.urls")),
    path("m/<key:key>/<int:turn>.<int:step>.<picture:kind>", pictures.step, name="step-picture"),
    path("m/<key:key>/<int:turn>.svg", pictures.turn, name="turn-picture"),
    path("m/<key:key>/card.png", pictures.match_card, name="match-card"),
    path("rules/<slug:slug>/card.png", pictures.game_card, name="game-card"),
    path("card.png", pictures.site_card, name="site-card"),
    path("healthz", site.healthz, name="healthz"),
    path("readyz", site.readyz, name="readyz"),
    path("manifest.webmanifest", site.manifest, name="manifest"),
    path("robots.txt", site.robots, name="robots"),
    path(".well-known/security.txt", site.security, name="security"),
    path("metrics", metrics, name="metrics"),
    path("privacy/", keeping.privacy, name="privacy"),
    path("api/v1/", include("robosite.api.urls")),
    path("admin/", admin.site.urls),
]

sockets = [
    path("ws/m/<key:key>/", Changes.as_asgi()),
    path("ws/m/<key:key>/<letter:letter>/", Changes.as_asgi()),
    re_path("", Nowhere.as_asgi()),
]

handler400 = "robosite.views.bad_request"
handler404 = "robosite.views.not_found"
handler500 = "robosite.views.failed"
