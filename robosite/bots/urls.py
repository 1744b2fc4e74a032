from django.urls import path

from robosite.bots import playing_on, views

urlpatterns = [
    path("play/", views.play, name="play"),
    path("m/<key:key>/again/", playing_on.again, name="again"),
    path("m/<key:key>/<letter:letter>/bot/", views.seat_bot, name="seat-bot"),
]
