"""`make screenshots` makes what it promises."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.conftest import CHROMIUM
from tests.servers import ROOT


@pytest.mark.slow
def test_a_page_in_four_sizes_and_two_themes(tmp_path: Path) -> None:
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no Chromium at {CHROMIUM}: set CHROMIUM")
    arguments = ("--only", "robble", "--page", "planning", "--into", str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-m", "tests.screenshots", *arguments],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    assert "look at" not in done.stdout, done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"robble-planning-{size}-{theme}.png"
        for size in ("browser", "desktop", "phone", "tablet")
        for theme in ("blueprint", "paper")
    ]
