from django.urls import path

from robosite.api import pages

urlpatterns = [
    path("programs/", pages.programs, name="programs"),
    path("rules/<slug:slug>/notation/", pages.notation, name="notation"),
    path("m/<key:key>/<letter:letter>/programs/", pages.invite_program, name="invite-program"),
]
