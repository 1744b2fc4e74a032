"""A host's year in some minutes, tried: `make host`, or `python -m tests.host`.

Ends with 1 if anything acknowledged was lost, or if an answer of 500 or above, or a 404, came while processes
were restarted in turn.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tests.bench.figures import machine as described
from tests.faults.drills.services import versions
from tests.host import releases
from tests.host.players import Step
from tests.host.site import Machine
from tests.host.story import Story

HEAD = """
| step | seconds | requests | ≥ 500 | 404 | no answer | lost | p50 | p99 |
|---|---|---|---|---|---|---|---|---|"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.host", description=__doc__)
    parser.add_argument("--own-venv", action="store_true", help="install the packages anew for each release")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="robosite-host-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        os.environ.update(DATA_DIR=str(folder / "unused"), DJANGO_SETTINGS_MODULE="robosite.settings")
        return _run(folder, parser.parse_args())


def _run(folder: Path, given: argparse.Namespace) -> int:
    print("\n".join([time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), *described(), versions()]))
    tags = {}
    for release in releases.promised():
        if commit := release.found():
            tags[release.version] = commit
        else:
            print(f"{release.version}: neither its tag nor its commit is in this clone, so it was not tried.")
    if not tags:
        print("No release to upgrade from is in this clone: fetch its tags (git fetch --tags).")
        return 1
    source = releases.repository(folder, {**tags, releases.WORKING: releases.working_tree(folder)})
    venv = None if given.own_venv else Path(sys.prefix)
    print(f"Packages: {'installed for each release' if venv is None else f'those of {venv}'}", flush=True)
    began = time.monotonic()
    with Machine(folder, venv) as machine:
        story = Story(machine, source, list(tags))
        print(HEAD, flush=True)
        try:
            story.tell()
        except Exception:
            traceback.print_exc()
            print(machine.units.logged()[-20_000:])
            _report(story.crowd.steps, story.lost)
            return 1
    print(f"{time.monotonic() - began:.0f} s in all")
    return _report(story.crowd.steps, story.lost)


def _report(steps: list[Step], lost: dict[str, list[str]]) -> int:
    """Prints how slow upgrades were, and what was lost; returns 1 if something must not be."""
    named = {step.name: step for step in steps}
    usual = named["usual"].quantile(0.99) if "usual" in named else 0.0
    for step in steps:
        if step.rolling and usual:
            print(f"p99 of “{step.name}”: {step.quantile(0.99) / usual:.1f} times the usual")
    bad = [f"{step.name}: {dict(step.statuses)} {step.failed[:5]}" for step in steps if step.is_bad]
    missing = [what for found in lost.values() for what in found]
    print(f"\nLost: {'nothing' if not missing else ''}")
    print("\n".join([*missing[:50], *bad]))
    return int(bool(missing or bad))


if __name__ == "__main__":
    sys.exit(main())
