"""What every process of the site begins with."""

from __future__ import annotations

from django.apps import AppConfig


class OpsConfig(AppConfig):
    name = "robosite.ops"
