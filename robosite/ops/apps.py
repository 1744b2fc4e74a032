"""What every process of the site begins with."""

from __future__ import annotations

from django.apps import AppConfig


class RobositeConfig(AppConfig):
    name = "robosite"
