"""The environment of every test run, set before Django reads its settings (`-p tests.environment`).

With ON_SERVERS=1 the site of the tests stands on the PostgreSQL of TEST_POSTGRES_URL and the Redis of
TEST_REDIS_URL (`make test-servers`), with a database and a prefix of its own for each run and worker.
"""

from __future__ import annotations

import atexit
import os
import secrets
import tempfile
from urllib.parse import urlsplit

_data = tempfile.TemporaryDirectory(prefix="robosite-tests-")
atexit.register(_data.cleanup)
os.environ["DATA_DIR"] = _data.name
os.environ.setdefault("TEST_READY", f"{_data.name}/ready")  # the workers of one run share it
for _name in (
    "DATABASE_URL",
    "REDIS_URL",
    "REDIS_PREFIX",
    "PRODUCTION",
    "PUBLIC_URL",
    "ALLOWED_HOSTS",
    "SECRET_KEY",
    "SEAL_KEYS",
):
    os.environ.pop(_name, None)
os.environ["DEBUG"] = "1"  # so that LIMITS=off is allowed; Django's test runner sets DEBUG to False again
os.environ["LIMITS"] = "off"
# Plugins of packages that tests happen to bring along warn while they are loaded, which would end a run.
os.environ["HYPOTHESIS_NO_PLUGINS"] = "1"

if os.environ.get("ON_SERVERS"):
    for _service in ("TEST_POSTGRES_URL", "TEST_REDIS_URL"):
        if not os.environ.get(_service):
            raise SystemExit(f"ON_SERVERS=1 needs {_service}.")
    _run = os.environ.setdefault("TEST_RUN", secrets.token_hex(4))  # workers have it from who starts them
    _at = urlsplit(os.environ["TEST_POSTGRES_URL"])
    os.environ["DATABASE_URL"] = _at._replace(path=f"/robosite_{_run}").geturl()
    os.environ["REDIS_URL"] = os.environ["TEST_REDIS_URL"]
    os.environ["REDIS_PREFIX"] = f"tests-{_run}-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"
