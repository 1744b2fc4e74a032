"""The URLs of the comic strip, the embedded page, its oEmbed response, and the check of a match file."""

from __future__ import annotations

from django.urls import path

from robosite.share import comic, embed, referee

urlpatterns = [
    path("m/<key:key>/comic/", comic.comic, name="comic"),
    path("m/<key:key>/embed/", embed.embed, name="embed"),
    path("verify/", referee.verify, name="verify"),
    path("oembed", embed.oembed, name="oembed"),
]
