"""The URL of the page on which a finished match is reviewed."""

from __future__ import annotations

from django.urls import path

from robosite.reviews import views

urlpatterns = [path("m/<key:key>/review/", views.review, name="review")]
