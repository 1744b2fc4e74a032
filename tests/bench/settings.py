"""The site's own settings, without limits; DEBUG stays off, as for who plays."""

from __future__ import annotations

import os

from robosite.settings import *  # noqa: F403

LIMITS = "off"
ROOT_URLCONF = os.environ.get("BENCH_URLCONF", "robosite.urls")
