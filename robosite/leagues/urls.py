"""The URLs of leagues. Secret links share the prefix /s/."""

from django.urls import path

from robosite.leagues.pages import actions, own_leagues, pictures, season_terms, tonight, views

urlpatterns = [
    path("l/new/", views.new, name="new-league"),
    path("l/over/", own_leagues.finished, name="finished-leagues"),
    path("l/of/<key:key>/", views.league_of, name="league-of"),
    path("l/<key:key>/", views.league, name="league"),
    path("l/<key:key>/start/", actions.start, name="start-league"),
    path("l/<key:key>/leave/", actions.leave, name="leave-league"),
    path("l/<key:key>/bot/", actions.add_bot, name="add-league-bot"),
    path("l/<key:key>/invite/", actions.new_invite, name="new-league-invite"),
    path("l/<key:key>/link/", actions.new_place_link, name="new-place-link"),
    path("l/<key:key>/organiser/", actions.new_organiser_link, name="new-organiser-link"),
    path("l/<key:key>/handover/", actions.hand_over, name="hand-over-place"),
    path("l/<key:key>/organises/", actions.hand_on_organising, name="hand-on-organising"),
    path("l/<key:key>/nudge/", actions.nudge, name="nudge-place"),
    path("l/<key:key>/choose/", actions.choose_organiser, name="choose-organiser"),
    path("l/<key:key>/offer/", actions.offer_place, name="offer-place"),
    path("l/<key:key>/next/", actions.announce, name="next-season"),
    path("l/<key:key>/stay/", actions.stay, name="stay-in-season"),
    path("l/<key:key>/terms/", season_terms.terms, name="league-terms"),
    path("l/<key:key>/once/", actions.play_once, name="play-once"),
    path("l/<key:key>/tonight/", tonight.tonight, name="league-tonight"),
    path("l/<key:key>/moment/", views.moment, name="league-moment"),
    path(
        "l/<key:key>/table-<int:division>.<picture:kind>",
        pictures.table_picture,
        name="league-table-picture",
    ),
    path("l/<key:key>/talk/", views.talk, name="league-talk"),
    path("l/<key:key>/record/", views.record, name="league-record"),
    path("s/league/<str:secret>/", views.invited, name="league-invite"),
    path("s/league/<str:secret>/join/", views.join, name="join-league"),
    path("s/place/<str:secret>/", views.place_link, name="place-link"),
    path("s/place/<str:secret>/take/", views.take_place, name="take-place"),
    path("s/offer/<str:secret>/", views.place_offer, name="place-offer"),
    path("s/offer/<str:secret>/take/", views.take_offer, name="take-offer"),
    path("s/organiser/<str:secret>/", views.organiser_link, name="organiser-link"),
    path("s/organiser/<str:secret>/take/", views.take_organiser, name="take-organiser"),
]
