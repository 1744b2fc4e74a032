"""The URLs of a match for its players and watchers."""

from django.urls import path

from robosite.matches.flow import Ending
from robosite.play import lost_seats, reply_page, time_views, views

urlpatterns = [
    # URLs that open pages request often come first, since Django tries one after another
    path("m/<key:key>/version/", views.version, name="version"),
    path("m/<key:key>/<letter:letter>/plan/", views.plan, name="plan"),
    path("m/<key:key>/<letter:letter>/", views.seat, name="seat"),
    path("m/<key:key>/", views.watch, name="match"),
    path("me/holidays/", time_views.my_holidays, name="holidays"),
    path("me/presence/", views.presence, name="presence"),
    path("rules/<game:slug>/", views.rules, name="rules"),
    path("m/<key:key>/more/", views.match_menu, name="match-menu"),
    path("m/<key:key>/<letter:letter>/more/", views.seat_menu, name="seat-menu"),
    path("m/<key:key>/record/", views.record, name="record"),
    path("m/<key:key>/<letter:letter>/here/", views.mark_present, name="here"),
    path("m/<key:key>/<letter:letter>/bubbles/", views.put_bubbles_away, name="bubbles"),
    path("m/<key:key>/<letter:letter>/react/", views.react, name="react"),
    path("m/<key:key>/<letter:letter>/start/", views.start, name="start"),
    path("m/<key:key>/<letter:letter>/reopen/", views.reopen, name="reopen"),
    path("m/<key:key>/<letter:letter>/replies/", reply_page.reply_page, name="replies"),
    path("m/<key:key>/<letter:letter>/resign/", views.resign, name="resign"),
    path("m/<key:key>/<letter:letter>/draw/", views.offer_ending, {"ending": Ending.DRAW}, "draw"),
    path("m/<key:key>/<letter:letter>/call-off/", views.offer_ending, {"ending": Ending.OFF}, "call-off"),
    path("m/<key:key>/<letter:letter>/take-back/", views.take_back, name="take-back"),
    path("m/<key:key>/<letter:letter>/time/", time_views.time, name="time"),
    path("m/<key:key>/<letter:letter>/pause/", time_views.pause, name="pause"),
    path("m/<key:key>/<letter:letter>/nudge/", time_views.nudge, name="nudge"),
    path("m/<key:key>/<letter:letter>/claim/", views.claim, name="claim"),
    path("m/<key:key>/<letter:letter>/put-out/", views.put_out, name="put-out"),
    path("m/<key:key>/<letter:letter>/ask/", lost_seats.ask, name="ask"),
    path("m/<key:key>/<letter:letter>/asked/", lost_seats.asked, name="asked"),
    path("m/<key:key>/<letter:letter>/leave/", views.leave, name="leave"),
    path("m/<key:key>/<letter:letter>/rematch/", views.rematch, name="rematch"),
]
