"""The addresses of a match, from making it to its results. Secret links share the prefix /s/."""

from __future__ import annotations

from django.urls import path

from robosite.matches.pages import (
    invitations,
    lessons,
    lost_seats,
    making,
    my_games,
    results,
    time_views,
    views,
)

urlpatterns = [
    path("", my_games.home, name="home"),
    path("matches/", making.make, name="make"),
    path("new/<slug:slug>/", making.new, name="new"),
    path("mine/", my_games.my_games, name="my-games"),
    path("mine/results/", results.results, name="results"),
    path("next/", my_games.next_game, name="next"),
    path("me/holidays/", time_views.my_holidays, name="holidays"),
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
    path("m/<key:key>/<letter:letter>/here/", views.mark_present, name="here"),
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
    path("m/<key:key>/<letter:letter>/invite/", invitations.new_invite, name="new-invite"),
    path("m/<key:key>/<letter:letter>/rematch/", views.rematch, name="rematch"),
    path("m/<key:key>/<letter:letter>/results/", results.results_here, name="results-here"),
]
