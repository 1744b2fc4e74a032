"""The configuration of the app `ops`."""

from __future__ import annotations

from django.apps import AppConfig


class OpsConfig(AppConfig):
    name = "robosite.ops"
