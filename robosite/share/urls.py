"""The URLs of pictures, the comic strip, the embedded page, its oEmbed response, and a match file's check."""

from __future__ import annotations

from django.urls import path

from robosite.share import comic, embed, referee
from robosite.share.pictures import views

urlpatterns = [
    path("m/<key:key>/<int:turn>.<int:step>.<picture:kind>", views.step, name="step-picture"),
    path("m/<key:key>/<int:turn>.svg", views.turn, name="turn-picture"),
    path("m/<key:key>/comic.png", views.strip, name="comic-strip"),
    path("m/<key:key>/comic.gif", views.reel, name="comic-reel"),
    path("m/<key:key>/card.png", views.match_card, name="match-card"),
    path("rules/<slug:slug>/card.png", views.game_card, name="game-card"),
    path("card.png", views.site_card, name="site-card"),
    path("m/<key:key>/comic/", comic.comic, name="comic"),
    path("m/<key:key>/embed/", embed.embed, name="embed"),
    path("verify/", referee.verify, name="verify"),
    path("oembed", embed.oembed, name="oembed"),
]
