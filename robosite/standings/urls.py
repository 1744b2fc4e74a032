from django.urls import path

from robosite.standings import game_figures, views

urlpatterns = [
    path("mine/results/", views.results, name="results"),
    path("rules/<slug:slug>/figures/", game_figures.show_figures, name="figures"),
    # until 2026-11 these were pages of their own
    path("mine/friends/<key:key>/<letter:letter>/", views.friend, name="friend"),
    path("m/<key:key>/<letter:letter>/results/", views.results_here, name="results-here"),
]
