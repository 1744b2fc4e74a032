"""The addresses of a match, from making it to its results. Secret links share the prefix /s/."""

from __future__ import annotations

from django.urls import path

from robosite.learn import examples, lessons, paper, puzzles
from robosite.lobby import importing, invitations, making, my_games, open_tables
from robosite.play import lost_seats, time_views, views
from robosite.share import comic, embed
from robosite.standings import friends, game_figures, results

urlpatterns = [
    # what open pages ask for again and again comes first: Django tries one after another
    path("m/<key:key>/version/", views.version, name="version"),
    path("m/<key:key>/<letter:letter>/plan/", views.plan, name="plan"),
    path("m/<key:key>/<letter:letter>/", views.seat, name="seat"),
    path("m/<key:key>/", views.watch, name="match"),
    path("", my_games.home, name="home"),
    path("tables/", open_tables.tables, name="tables"),
    path("tables/<key:key>/", open_tables.table, name="table"),
    path("tables/<key:key>/sit/", open_tables.sit, name="sit"),
    path("matches/", making.make, name="make"),
    path("import/", importing.import_record, name="import"),
    path("new/<slug:slug>/", making.new, name="new"),
    path("new/<slug:slug>/board/", making.draw_board, name="draw-board"),
    path("mine/", my_games.my_games, name="my-games"),
    path("mine/results/", results.results, name="results"),
    path("mine/friends/<key:key>/<letter:letter>/", friends.friend, name="friend"),
    path("next/", my_games.next_game, name="next"),
    path("me/holidays/", time_views.my_holidays, name="holidays"),
    path("learn/<slug:slug>/", lessons.learn, name="first-lesson"),
    path("learn/<slug:slug>/<int:at>/", lessons.learn, name="learn"),
    path("learn/<slug:slug>/<slug:key>/", lessons.learn, name="next-lesson"),
    path("learn/<slug:slug>/<slug:key>/<int:at>/", lessons.learn, name="learn-more"),
    path("puzzles/", puzzles.overview, name="puzzles"),
    path("puzzles/<slug:slug>/<int:at>/", puzzles.puzzle, name="puzzle"),
    path("rules/", making.rules_of_all, name="rules-of-all"),
    path("rules/<slug:slug>/", views.rules, name="rules"),
    path("rules/<slug:slug>/examples/<slug:key>/", examples.example, name="example"),
    path("rules/<slug:slug>/paper/", paper.paper, name="paper"),
    path("rules/<slug:slug>/figures/", game_figures.show_figures, name="figures"),
    path("s/invite/<str:secret>/", invitations.invited, name="invite"),
    path("s/invite/<str:secret>/accept/", invitations.accept, name="accept"),
    path("s/invite/<str:secret>/opened/", invitations.opened, name="opened"),
    path("s/seat/<str:secret>/", invitations.seat_link, name="seat-link"),
    path("s/seat/<str:secret>/take/", invitations.take_seat, name="take-seat"),
    path("m/<key:key>/comic/", comic.comic, name="comic"),
    path("m/<key:key>/embed/", embed.embed, name="embed"),
    path("oembed", embed.oembed, name="oembed"),
    path("m/<key:key>/record/", views.record, name="record"),
    path("m/<key:key>/<letter:letter>/qr/<slug:what>.svg", invitations.qr, name="qr"),
    path("m/<key:key>/<letter:letter>/here/", views.mark_present, name="here"),
    path("m/<key:key>/<letter:letter>/bubbles/", views.put_bubbles_away, name="bubbles"),
    path("m/<key:key>/<letter:letter>/start/", views.start, name="start"),
    path("m/<key:key>/<letter:letter>/reopen/", views.reopen, name="reopen"),
    path("m/<key:key>/<letter:letter>/resign/", views.resign, name="resign"),
    path("m/<key:key>/<letter:letter>/draw/", views.draw, name="draw"),
    path("m/<key:key>/<letter:letter>/call-off/", views.offer_calling_off, name="call-off"),
    path("m/<key:key>/<letter:letter>/take-back/", views.take_back, name="take-back"),
    path("m/<key:key>/<letter:letter>/time/", time_views.time, name="time"),
    path("m/<key:key>/<letter:letter>/pause/", time_views.pause, name="pause"),
    path("m/<key:key>/<letter:letter>/nudge/", time_views.nudge, name="nudge"),
    path("m/<key:key>/<letter:letter>/claim/", views.claim, name="claim"),
    path("m/<key:key>/<letter:letter>/ask/", lost_seats.ask, name="ask"),
    path("m/<key:key>/<letter:letter>/asked/", lost_seats.asked, name="asked"),
    path("m/<key:key>/<letter:letter>/leave/", views.leave, name="leave"),
    path("m/<key:key>/<letter:letter>/link/", invitations.new_link, name="new-link"),
    path("m/<key:key>/<letter:letter>/table/", open_tables.stay, name="stay-listed"),
    path("m/<key:key>/<letter:letter>/invite/", invitations.new_invite, name="new-invite"),
    path("m/<key:key>/<letter:letter>/rematch/", views.rematch, name="rematch"),
    path("m/<key:key>/<letter:letter>/results/", results.results_here, name="results-here"),
]
