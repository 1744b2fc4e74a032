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


def must_be(name: str, there: bool) -> None:
    """Skips the test where something is not there, unless it must be (REQUIRE_CHECKERS)."""
    if not there:
        fails = pytest.fail if os.environ.get("REQUIRE_CHECKERS") else pytest.skip
        fails(f"no {name}: make checkers")


def brought(name: str) -> Path:
    """A file in `.ci/checkers`."""
    path = CHECKERS / name
    must_be(name, path.exists() and (CHECKERS / "node_modules").exists())
    return path


def check(program: str, *arguments: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
    """Runs a program in `.ci/checkers`."""
    path = brought(program)
    runner = RUNNERS[path.suffix]
    must_be(runner[0], shutil.which(runner[0]) is not None)
    return subprocess.run(
        [*runner, path, *arguments],
        input=given,
        capture_output=True,
        text=True,
        timeout=240,
        cwd=CHECKERS,
        env={**os.environ, **QUIET},
    )
