"""The URLs of the comic strip, of the page that other sites embed, of the oEmbed response, and
of the page that checks a match file."""

from __future__ import annotations

from django.urls import path

from robosite.share import comic, embed, referee

urlpatterns = [
    path("m/<key:key>/comic/", comic.comic, name="comic"),
    path("m/<key:key>/embed/", embed.embed, name="embed"),
    path("verify/", referee.verify, name="verify"),
    path("oembed", embed.oembed, name="oembed"),
]
