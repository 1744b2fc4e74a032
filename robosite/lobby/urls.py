"""The URLs of pages outside of matches. Secret links share the prefix /s/, which logs cut."""

from django.urls import path
from django.views.generic import RedirectView

from robosite.lobby import handing_over, home, importing, invitations, making, my_games, open_tables

former_rules = RedirectView.as_view(url="/#games-title", permanent=True, http_method_names=["get", "head"])

urlpatterns = [
    path("", home.home, name="home"),
    path("tables/", open_tables.tables, name="tables"),
    path("tables/<key:key>/", open_tables.table, name="table"),
    path("tables/<key:key>/sit/", open_tables.sit, name="sit"),
    path("matches/", making.make, name="make"),
    path("import/", importing.import_record, name="import"),
    path("new/<game:slug>/", making.new, name="new"),
    path("new/<game:slug>/board/", making.draw_board, name="draw-board"),
    path("mine/", my_games.my_games, name="my-games"),
    path("mine/waiting/", my_games.waiting, name="waiting"),
    path("next/", my_games.next_game, name="next"),
    path("rules/", former_rules, name="rules-of-all"),
    path("s/invite/<str:secret>/", invitations.invited, name="invite"),
    path("s/invite/<str:secret>/accept/", invitations.accept, name="accept"),
    path("s/invite/<str:secret>/opened/", invitations.opened, name="opened"),
    path("s/seat/<str:secret>/", invitations.seat_link, name="seat-link"),
    path("s/seat/<str:secret>/take/", invitations.take_seat, name="take-seat"),
    path("m/<key:key>/<letter:letter>/handover/", handing_over.hand_over, name="hand-over"),
    path("s/handover/<str:secret>/", handing_over.handed_over, name="handed-over"),
    path("s/handover/<str:secret>/take/", handing_over.take_over, name="take-over"),
    path("m/<key:key>/<letter:letter>/qr/<slug:what>.svg", invitations.qr, name="qr"),
    path("m/<key:key>/<letter:letter>/link/", invitations.new_link, name="new-link"),
    path("m/<key:key>/<letter:letter>/table/", open_tables.stay, name="stay-listed"),
    path("m/<key:key>/<letter:letter>/invite/", invitations.new_invite, name="new-invite"),
]
