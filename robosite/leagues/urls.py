"""The addresses of leagues. Secret links share the prefix /s/."""

from __future__ import annotations

from django.urls import path

from robosite.leagues import views

urlpatterns = [
    path("l/new/", views.new, name="new-league"),
    path("l/of/<key:key>/", views.league_of, name="league-of"),
    path("l/<key:key>/", views.league, name="league"),
    path("l/<key:key>/start/", views.start, name="start-league"),
    path("l/<key:key>/leave/", views.leave, name="leave-league"),
    path("l/<key:key>/invite/", views.new_invite, name="new-league-invite"),
    path("l/<key:key>/link/", views.new_place_link, name="new-place-link"),
    path("l/<key:key>/organiser/", views.new_organiser_link, name="new-organiser-link"),
    path("l/<key:key>/record/", views.record, name="league-record"),
    path("s/league/<str:secret>/", views.invited, name="league-invite"),
    path("s/league/<str:secret>/join/", views.join, name="join-league"),
    path("s/place/<str:secret>/", views.place_link, name="place-link"),
    path("s/place/<str:secret>/take/", views.take_place, name="take-place"),
    path("s/organiser/<str:secret>/", views.organiser_link, name="organiser-link"),
    path("s/organiser/<str:secret>/take/", views.take_organiser, name="take-organiser"),
]
