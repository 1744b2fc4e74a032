"""docs/hosting.md speaks of commands, settings and units that are there."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.core.management import get_commands

from tests.servers import ROOT

PAGES = [ROOT / "docs" / "hosting.md", ROOT / "docs" / "security.md", ROOT / "README.md"]
EXAMPLES = (ROOT / ".env.example").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.name))
def test_every_command_that_is_named_is_there(page: Path) -> None:
    named = set(re.findall(r"manage\.py ([a-z_]+)", page.read_text(encoding="utf-8")))
    assert named and named <= set(get_commands())


def test_every_setting_that_is_named_is_explained() -> None:
    named = re.findall(r"^    ([A-Z_]+)=", PAGES[0].read_text(encoding="utf-8"), re.MULTILINE)
    named += re.findall(r"`([A-Z][A-Z_]+)(?:=\w+)?`", PAGES[0].read_text(encoding="utf-8"))
    assert len(named) > 12
    for name in named:
        assert re.search(rf"^# {name}=", EXAMPLES, re.MULTILINE), name


def test_systemd_reads_the_units(tmp_path: Path) -> None:
    tool = shutil.which("systemd-analyze") or pytest.skip("no systemd-analyze")
    units = re.findall(r"```ini\n(.*?)```", PAGES[0].read_text(encoding="utf-8"), re.DOTALL)
    files = []
    for name, unit in zip(
        ("robosite.service", "robosite-daily.service", "robosite-daily.timer"), units, strict=True
    ):
        files.append(tmp_path / name)
        # the page's programs and user are not on this machine
        here = re.sub(r"/srv/robosite/\.venv/bin/python", "/usr/bin/env", unit)
        files[-1].write_text(re.sub(r"^User=.*$", "User=root", here, flags=re.MULTILINE))
    done = subprocess.run(
        [tool, "verify", "--man=no", *map(str, files)], capture_output=True, text=True, timeout=60
    )
    about_ours = [line for line in done.stderr.splitlines() if "robosite" in line]
    assert not about_ours, done.stderr
