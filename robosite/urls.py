"""The site's URLs; those of `play`, `lobby`, `leagues` and `api` are in these apps' own `urls.py`.

The path of each secret link begins with /s/; logs leave out everything after this prefix.
"""

from django.contrib import admin
from django.urls import include, path, re_path, register_converter
from django.urls.converters import StringConverter

from games import GAMES
from robosite.api import pages
from robosite.api.answers import view_of
from robosite.bots import playing_on
from robosite.bots import views as bots
from robosite.learn import examples, lessons, puzzles, things
from robosite.matches.live.consumers import Changes, OwnGames, UnknownUrl
from robosite.moderation import views as moderation
from robosite.notices import channel_views, feeds
from robosite.notices import views as notices
from robosite.ops import periods as ops
from robosite.people import offline
from robosite.people import views as people
from robosite.reviews import views as reviews
from robosite.share import comic, embed, referee
from robosite.share.pictures import views as pictures
from robosite.standings import friends, game_figures
from robosite.talk import views as talk
from robosite.web import views as site
from robosite.web.metrics import metrics


class LetterConverter(StringConverter):
    """URL converter for a seat's letter, A to H."""

    regex = "[A-H]"


class KeyConverter(StringConverter):
    regex = "[a-z0-9]{12}"


class GameConverter(StringConverter):
    regex = "|".join(GAMES)


class PictureConverter(StringConverter):
    regex = "svg|png"


register_converter(LetterConverter, "letter")
register_converter(KeyConverter, "key")
register_converter(GameConverter, "game")
register_converter(PictureConverter, "picture")

urlpatterns = [
    path("", include("robosite.play.urls")),
    path("", include("robosite.lobby.urls")),
    path("api/v1/", include("robosite.api.urls")),  # early: Django tries one after another
    path("api/v1", view_of(""), name="api-root-plain"),
    path("learn/<game:slug>/", lessons.learn, name="first-lesson"),
    path("learn/<game:slug>/<int:at>/", lessons.learn, name="learn"),
    path("learn/<game:slug>/<slug:key>/", lessons.learn, name="next-lesson"),
    path("learn/<game:slug>/<slug:key>/<int:at>/", lessons.learn, name="learn-more"),
    path("puzzles/", puzzles.overview, name="puzzles"),
    path("puzzles/<game:slug>/<int:at>/", puzzles.puzzle, name="puzzle"),
    path("rules/<game:slug>/examples/<slug:key>/", examples.example, name="example"),
    path("rules/<game:slug>/paper/", things.paper, name="paper"),
    path("rules/<game:slug>/things/", things.show_things, name="things"),
    path("mine/results/", friends.results, name="results"),
    path("rules/<game:slug>/figures/", game_figures.show_figures, name="figures"),
    # until 2026-11 these were pages of their own
    path("mine/friends/<key:key>/<letter:letter>/", friends.friend, name="friend"),
    path("m/<key:key>/<letter:letter>/results/", friends.results_here, name="results-here"),
    path("m/<key:key>/<int:turn>.<int:step>.<picture:kind>", pictures.step, name="step-picture"),
    path("m/<key:key>/<int:turn>.svg", pictures.turn, name="turn-picture"),
    path("m/<key:key>/comic.png", pictures.comic, {"kind": "png"}, "comic-strip"),
    path("m/<key:key>/comic.gif", pictures.comic, {"kind": "gif"}, "comic-reel"),
    path("m/<key:key>/card.png", pictures.match_card, name="match-card"),
    path("rules/<game:slug>/card.png", pictures.game_card, name="game-card"),
    path("card.png", pictures.site_card, name="site-card"),
    path("m/<key:key>/comic/", comic.comic, name="comic"),
    path("m/<key:key>/embed/", embed.embed, name="embed"),
    path("verify/", referee.verify, name="verify"),
    path("oembed", embed.oembed, name="oembed"),
    path("", include("robosite.leagues.urls")),
    path("play/", bots.play, name="play"),
    path("m/<key:key>/again/", playing_on.again, name="again"),
    path("m/<key:key>/<letter:letter>/bot/", bots.seat_bot, name="seat-bot"),
    path("programs/", pages.programs, name="programs"),
    path("rules/<game:slug>/notation/", pages.notation, name="notation"),
    path("m/<key:key>/<letter:letter>/programs/", pages.invite_program, name="invite-program"),
    path("me/", people.me, name="me"),
    path("me/name/", people.rename, name="rename"),
    path("me/device/", people.device, name="device"),
    path("me/phrase/", people.phrase, name="phrase"),
    path("me/others/", people.others_out, name="others-out"),
    path("me/mail/", people.my_mail, name="my-mail"),
    path("me/export/", people.export, name="export"),
    path("me/offline/", people.offline_boards, name="offline-boards"),
    path("me/kept/", offline.keep, name="keep"),
    path("me/leave/", people.leave, name="leave-here"),
    path("me/forget/", people.forget_me, name="forget-me"),
    path("back/", people.back, name="back"),
    path("back/phrase/", people.back_by_phrase, name="back-by-phrase"),
    path("back/mail/", people.back_by_mail, name="back-by-mail"),
    path("back/link/", people.back_by_link, name="back-by-link"),
    path("s/you/<str:secret>/", people.you_link, name="you-link"),
    path("s/you/<str:secret>/take/", people.you_take, name="you-take"),
    path("s/mail/<str:secret>/", people.mail_link, name="mail-link"),
    path("s/mail/<str:secret>/confirm/", people.mail_confirm, name="mail-confirm"),
    path("language/", people.language, name="language"),
    path("m/<key:key>/talk/", talk.among_watchers, name="watchers-talk"),
    path("m/<key:key>/<letter:letter>/talk/", talk.talk, name="talk"),
    path("m/<key:key>/<letter:letter>/notes/", talk.notes, name="notes"),
    path("notices/", notices.page, name="notices"),
    path("notices/wishes/", notices.wishes, name="wishes"),
    path("notices/add/", notices.add, name="add-channel"),
    path("notices/<uuid:number>/", notices.channel, name="channel"),
    path("s/feed/<str:secret>/", feeds.feed, name="feed"),
    path("s/calendar/<str:secret>/", feeds.calendar, name="calendar"),
    path("s/unsubscribe/<str:token>/", notices.unsubscribe, name="unsubscribe"),
    path("m/<key:key>/<letter:letter>/channel/", channel_views.seat_channel, name="seat-channel"),
    path("m/<key:key>/channel/", channel_views.match_channel, name="match-channel"),
    path("l/<key:key>/channel/", channel_views.league_channel, name="league-channel"),
    path("l/<key:key>/feed/", feeds.league_feed, name="league-feed"),
    path("l/<key:key>/calendar/", feeds.league_calendar, name="league-calendar"),
    path("sw.js", notices.service_worker, name="service-worker"),
    path("report/league/<key:key>/", moderation.report_league, name="report-league"),
    path("report/<key:key>/", moderation.report, name="report"),
    path("report/received/<int:number>/", moderation.received, name="report-received"),
    path("measure/<int:number>/", moderation.measure, name="measure"),
    path("m/<key:key>/review/", reviews.review, name="review"),
    path("privacy/", ops.privacy, name="privacy"),
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
