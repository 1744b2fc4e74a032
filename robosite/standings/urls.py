"""The addresses of results, friends and figures."""

from __future__ import annotations

from django.urls import path

from robosite.standings import friends, game_figures, results

urlpatterns = [
    path("mine/results/", results.results, name="results"),
    path("mine/friends/<key:key>/<letter:letter>/", friends.friend, name="friend"),
    path("rules/<slug:slug>/figures/", game_figures.show_figures, name="figures"),
    path("m/<key:key>/<letter:letter>/results/", results.results_here, name="results-here"),
]
