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


def brought(name: str) -> Path:
    """A file in `.ci/checkers`; skips the test where it is not, unless it must be (REQUIRE_CHECKERS)."""
    path = CHECKERS / name
    if not (path.exists() and (CHECKERS / "node_modules").exists()):
        if os.environ.get("REQUIRE_CHECKERS"):
            pytest.fail(f"{name} must be here: make checkers.")
        pytest.skip(f"no {name}: make checkers")
    return path


def check(program: str, *arguments: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
    """Runs a program in `.ci/checkers`; skips the test where it cannot, unless it must (REQUIRE_CHECKERS)."""
    path = brought(program)
    runner = RUNNERS[path.suffix]
    if not shutil.which(runner[0]):
        if os.environ.get("REQUIRE_CHECKERS"):
            pytest.fail(f"{runner[0]} must be here: make checkers.")
        pytest.skip(f"no {runner[0]}: make checkers")
    return subprocess.run(
        [*runner, path, *arguments],
        input=given,
        capture_output=True,
        text=True,
        timeout=240,
        cwd=CHECKERS,
        env={**os.environ, **QUIET},
    )
