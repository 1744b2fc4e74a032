"""The trial of a host's commands (`make host`) itself: it would see what it looks for."""

from __future__ import annotations

import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.host import releases
from tests.host.players import Acknowledged, Step
from tests.host.units import COMMON, Systemctl, Units
from tests.receivers import until


def test_a_lost_seal_or_message_is_seen_and_one_that_stands_there_twice() -> None:
    kept = Acknowledged({("m", 0, "A"): "1f", ("m", 0, "B"): ""})
    kept.said["m"].add("Hello")
    rows, texts = [("m", 0, "A", "1f"), ("m", 0, "B", "2e"), ("m", 1, "A", "")], [("m", "Hello")]
    assert kept.missing(rows, texts) == []
    assert len(kept.missing(rows[1:], texts)) == 1
    assert len(kept.missing([("m", 0, "A", "other"), *rows[1:]], texts)) == 1
    assert len(kept.missing([rows[0], ("m", 0, "B", "")], texts)) == 1
    assert len(kept.missing(rows, [])) == 1
    assert len(kept.missing(rows, texts * 2)) == 1


@pytest.mark.parametrize("status", [0, 404, 500, 503])
def test_a_rolling_step_may_give_no_such_answer(status: int) -> None:
    step = Step("upgrade", rolling=True)
    step.statuses[200] = 5
    before = step.is_bad
    step.statuses[status] = 1
    assert (before, step.is_bad) == (False, True)


@pytest.fixture
def units(tmp_path: Path) -> Units:
    """One unit that runs, one that is done once, and one that fails."""
    folder = tmp_path / "units"
    (folder / COMMON).parent.mkdir(parents=True)
    (folder / COMMON).write_text(f"[Service]\nWorkingDirectory={tmp_path}\n")
    (folder / "runs@.service").write_text("ExecStart=/bin/sleep %i\nRestart=always\nRestartSec=0.1\n")
    (folder / "once.service").write_text("Type=oneshot\nExecStart=/bin/sh -c 'echo done > once'\n")
    (folder / "fails.service").write_text("Type=oneshot\nExecStart=/bin/false\n")
    return Units(folder, tmp_path / "logs", {"PATH": "/usr/bin:/bin"})


def test_units_do_as_systemd_does(tmp_path: Path, units: Units) -> None:
    program = tmp_path / "systemctl"

    def systemctl(*words: str) -> int:
        return subprocess.run([program, *words], timeout=60, check=False).returncode

    with closing(Systemctl(units, program)):
        assert systemctl("is-enabled", "--quiet", "runs@60") != 0
        assert systemctl("enable", "runs@60") == systemctl("is-enabled", "--quiet", "runs@60") == 0
        assert systemctl("restart", "runs@60") == 0
        unit = units.unit("runs@60")
        assert unit.is_running and unit.process
        before = unit.process.pid
        units.kill("runs@60")
        until(lambda: unit.restarts == 1)
        until(lambda: unit.process and unit.process.pid != before and unit.is_running)
        assert systemctl("stop", "runs@60") == 0
        assert unit.process.poll() is not None
        assert systemctl("start", "once") == 0 and (tmp_path / "once").read_text() == "done\n"
        assert systemctl("start", "fails") != 0


def test_a_release_is_found_by_its_tag_or_by_the_commit_that_the_page_names() -> None:
    head = releases.git("rev-parse", "HEAD")
    assert releases.Release("2000.01.01", head[:10]).found() == head
    assert releases.Release("2000.01.01", "0" * 40).found() == ""
    for release in releases.promised():
        assert release.commit or release.found(), f"{release.version} has neither a tag nor a commit"
