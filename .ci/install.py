"""Makes .venv hold the pinned packages of `site` or `dev`. Standard library only; started by .ci/venv.

A call that finds everything in place takes a moment. What was installed is noted in .venv/.pins as checksums of the
requirement files; a note of an installation that began and never ended has the folder made anew.
"""

import fcntl
import hashlib
import json
import os
import re
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
PINS = VENV / ".pins"
BEGUN = VENV / ".begun"
LOG = VENV / "install.log"

SERVERS = {"DATABASE_URL": ("postgres",), "REDIS_URL": ("redis", "unix")}


def wanted(what: str) -> list[str]:
    """The requirement files to install, by name without suffix."""
    if what == "dev":
        return ["site", "servers", "dev"]
    return ["site", "servers"] if asks_for_servers() else ["site"]


def asks_for_servers() -> bool:
    """Whether the environment, or else .env, names PostgreSQL or Redis."""
    file = ROOT / ".env"
    lines = (
        re.findall(r"^\s*(?:export\s+)?(\w+)\s*=\s*[\"']?(\S*)", file.read_text(), re.M)
        if file.exists()
        else []
    )
    settings = {**dict(lines), **os.environ}
    return any(settings.get(name, "").startswith(schemes) for name, schemes in SERVERS.items())


def usable() -> bool:
    """Whether .venv is whole: its Python runs, is new enough (the one asked for, if one was), and has pip."""
    if BEGUN.exists() or not PYTHON.exists():
        return False
    code = "import sys, importlib.util as u; print(*sys.version_info[:2], u.find_spec('pip') is not None)"
    answer = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True)
    if answer.returncode != 0:
        return False
    major, minor, pip = answer.stdout.split()
    version = int(major), int(minor)
    fits = version == sys.version_info[:2] if os.environ.get("PYTHON") else version >= (3, 11)
    return fits and pip == "True"


def make() -> None:
    """An empty .venv."""
    venv.EnvBuilder(clear=True, symlinks=True).create(VENV)
    BEGUN.touch()
    run("-m", "ensurepip", "--upgrade", "--default-pip")
    BEGUN.unlink()


def run(*arguments: str) -> str:
    """Runs .venv's Python; what it prints goes to the log. Returns '' or, if it failed, what it printed."""
    with LOG.open("w") as log:
        ended = subprocess.run(
            [PYTHON, *arguments], stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
        )
    return "" if ended.returncode == 0 else LOG.read_text(errors="replace") or "It said nothing."


def checksums(names: list[str]) -> dict[str, str]:
    """What the pins of these files are, for comparison."""
    return {
        name: hashlib.sha256((ROOT / "requirements" / f"{name}.txt").read_bytes()).hexdigest()
        for name in names
    }


def installed() -> dict[str, str]:
    """The checksums that were in force when each file was last installed."""
    try:
        return json.loads(PINS.read_text())
    except (OSError, ValueError):
        return {}


def install(names: list[str]) -> None:
    """Brings .venv to these pins, or leaves with one sentence."""
    pins = checksums(names)
    if pins.items() <= installed().items():
        return
    print(
        "Installing the packages that Robosite needs into .venv: half a minute or so, and only this once.",
        flush=True,
    )
    files = [part for name in names for part in ("-r", f"requirements/{name}.txt")]
    BEGUN.touch()
    failure = run(
        "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--require-hashes", *files
    )
    BEGUN.unlink()
    if failure:
        leave(reason(failure))
    PINS.write_text(json.dumps({**installed(), **pins}))


def reason(failure: str) -> str:
    """One sentence for what pip printed."""
    if "No space left" in failure:
        return "The disk is full: make room for about 300 MB and run make again."
    if "DO NOT MATCH THE HASHES" in failure:
        return "A package is not the one that was pinned, so it was not installed: see .venv/install.log."
    if re.search(
        r"connection|No matching distribution|resolution|timed out|SSLError|ProxyError", failure, re.I
    ):
        return (
            "The package registry is out of reach: connect this machine to it, or name yours with PIP_INDEX_URL, "
            "and run make again (details in .venv/install.log)."
        )
    return (
        "The packages could not be installed: see the end of .venv/install.log, mend that and run make again."
    )


def leave(sentence: str) -> None:
    sys.exit(sentence)


def main(what: str) -> None:
    os.chdir(ROOT)
    VENV.mkdir(exist_ok=True)
    with (ROOT / ".venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two makes at once: the second waits
        if not usable():
            make()
        install(wanted(what))


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except OSError as error:
        leave(f"Robosite cannot make its .venv: {error.strerror or error}.")
    except KeyboardInterrupt:
        sys.exit(130)
