"""Other people's checkers, as `make checkers` brings them from the npm packages of `.ci/checkers`."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.servers import ROOT

CHECKERS = ROOT / ".ci" / "checkers"
RUNNERS = {".jar": ("java", "-jar"), ".js": ("node",), ".mjs": ("node",)}

QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


def check(program: str, *arguments: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
    """Runs a program in `.ci/checkers`; skips the test where it cannot, unless it must (REQUIRE_CHECKERS)."""
    path = CHECKERS / program
    runner = RUNNERS[path.suffix]
    if not (shutil.which(runner[0]) and path.exists() and (CHECKERS / "node_modules").exists()):
        if os.environ.get("REQUIRE_CHECKERS"):
            pytest.fail(f"{program} must be here: make checkers.")
        pytest.skip(f"no {program}: make checkers")
    return subprocess.run(
        [*runner, path, *arguments],
        input=given,
        capture_output=True,
        text=True,
        timeout=240,
        cwd=CHECKERS,
        env={**os.environ, **QUIET},
    )
