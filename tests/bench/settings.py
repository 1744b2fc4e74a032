"""The site's own settings, without limits; DEBUG stays off, as for who plays."""

from __future__ import annotations

import os

from robosite.settings import *  # noqa: F403

LIMITS = "off"
ROOT_URLCONF = os.environ.get("BENCH_URLCONF", "robosite.urls")
if not os.environ.get("BENCH_MIDDLEWARE"):
    MIDDLEWARE = []
    SILENCED_SYSTEM_CHECKS = ["admin.E408", "admin.E409", "admin.E410"]  # nobody opens it there
