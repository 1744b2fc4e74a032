"""The environment of every test run, set before Django reads its settings (`-p tests.environment`)."""

from __future__ import annotations

import os
import tempfile

_data = tempfile.TemporaryDirectory(prefix="robosite-tests-")
os.environ["DATA_DIR"] = _data.name
for _name in (
    "DATABASE_URL",
    "REDIS_URL",
    "PRODUCTION",
    "PUBLIC_URL",
    "ALLOWED_HOSTS",
    "SECRET_KEY",
    "SEAL_KEYS",
):
    os.environ.pop(_name, None)
os.environ["DEBUG"] = "1"  # so that LIMITS=off is allowed; Django's test runner sets DEBUG to False again
os.environ["LIMITS"] = "off"
