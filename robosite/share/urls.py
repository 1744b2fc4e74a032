"""The URLs of the comic strip, of the page that other sites embed, and of the oEmbed response."""

from __future__ import annotations

from django.urls import path

from robosite.share import comic, embed

urlpatterns = [
    path("m/<key:key>/comic/", comic.comic, name="comic"),
    path("m/<key:key>/embed/", embed.embed, name="embed"),
    path("oembed", embed.oembed, name="oembed"),
]
