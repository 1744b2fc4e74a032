"""The address of the privacy page, on what is kept and for how long."""

from __future__ import annotations

from django.urls import path

from robosite.ops import views

urlpatterns = [
    path("privacy/", views.privacy, name="privacy"),
]
