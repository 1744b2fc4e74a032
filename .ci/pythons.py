"""Runs a short test of the whole site on every CPython that this machine has, from 3.11 on.

    python .ci/pythons.py            # all of them but the one that runs this
    python .ci/pythons.py 3.12 3.13  # these, and it fails if one is not there

The packages of each go into build/python-3.x. Standard library only.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MINORS = (11, 12, 13)
"""The versions that requirements/*.txt are pinned for."""
PINS = [ROOT / "requirements" / f"{name}.txt" for name in ("site", "servers", "dev")]
TESTS = (
    "tests/games/test_contract.py",
    "tests/games/test_record.py",
    "tests/site/web/test_every_address.py",
    "tests/site/api/test_api.py",
    "tests/site/web/test_served.py",
)
"""The rules, all addresses, a match by pages and by the API, and a process that serves."""


def find_python(minor: int) -> str:
    """The path of a CPython 3.`minor` that runs; "" if there is none."""
    homes = sorted(
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions").glob(f"3.{minor}.*")
    )
    places = [shutil.which(f"python3.{minor}"), *(str(home / "bin" / "python") for home in reversed(homes))]
    for place in filter(None, places):
        code = f"import sys; sys.exit(sys.version_info[:2] != (3, {minor}))"
        if subprocess.run([place, "-c", code], capture_output=True).returncode == 0:
            return place
    return ""


def prepare(python: str, minor: int) -> Path:
    """The interpreter of a virtual environment with the pinned packages; SystemExit if pip fails."""
    folder = ROOT / "build" / f"python-3.{minor}"
    done, pins = folder / "pins", hashlib.sha256(b"".join(file.read_bytes() for file in PINS)).hexdigest()
    inside = folder / "bin" / "python"
    if done.exists() and done.read_text() == pins:
        return inside
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([python, "-m", "venv", folder], check=True)
    files = [part for file in PINS for part in ("-r", str(file))]
    subprocess.run([inside, "-m", "pip", "install", "-q", "--require-hashes", *files], check=True)
    done.write_text(pins)
    return inside


def main(asked: list[str]) -> int:
    """The exit status: 0 if all tests pass on all versions, and all that were asked for are there."""
    faults = 0
    others = [minor for minor in MINORS if minor != sys.version_info.minor]  # all tests run on this one
    for minor in [int(one.removeprefix("3.")) for one in asked] or others:
        python = find_python(minor)
        if not python:
            print(f"CPython 3.{minor}: not on this machine", flush=True)
            faults += bool(asked)
            continue
        command = [prepare(python, minor), ".ci/run_tests.py", "-q", "-n", "2", "--dist", "loadfile"]
        failed = subprocess.run([*command, "-m", "not more and not slow", *TESTS], cwd=ROOT).returncode
        print(f"CPython 3.{minor}: {'failed' if failed else 'passed'}", flush=True)
        faults += bool(failed)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
