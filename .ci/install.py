"""Makes .venv hold the pinned packages of `site` or `dev`. Standard library only; started by .ci/venv.

A call that finds everything in place takes a moment. What was installed is noted in .venv/.pins as checksums
of the requirement files. An installation that began and never ended has .venv made anew.
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
    """Tell whether the environment, or else .env, names PostgreSQL or Redis."""
    file = ROOT / ".env"
    text = file.read_text() if file.exists() else ""
    lines = re.findall(r"^\s*(?:export\s+)?(\w+)\s*=\s*[\"']?(\S*)", text, re.MULTILINE)
    settings = {**dict(lines), **os.environ}
    return any(settings.get(name, "").startswith(schemes) for name, schemes in SERVERS.items())


def usable() -> bool:
    """Tell whether .venv is whole: its Python runs, is new enough (or the one asked for), and has pip."""
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
    if failure := run("-m", "ensurepip", "--upgrade", "--default-pip"):
        sys.exit(reason(failure))
    BEGUN.unlink()


def install(names: list[str]) -> None:
    """Brings .venv to these pins, or leaves with one sentence."""
    pins = checksums(names)
    if pins.items() <= installed().items():
        return
    print(
        "Installing the packages that Robosite needs into .venv: half a minute or so, only this once.",
        flush=True,
    )
    files = [part for name in names for part in ("-r", f"requirements/{name}.txt")]
    BEGUN.touch()
    quietly = ("--no-input", "--disable-pip-version-check", "--retries", "3")
    failure = run("-m", "pip", "install", *quietly, "--require-hashes", *files)
    BEGUN.unlink()
    if failure:
        sys.exit(reason(failure))
    PINS.write_text(json.dumps({**installed(), **pins}))


def checksums(names: list[str]) -> dict[str, str]:
    """The checksums of these requirement files, by name."""
    files = {name: ROOT / "requirements" / f"{name}.txt" for name in names}
    return {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items()}


def installed() -> dict[str, str]:
    """The checksums of the requirement files as they were last installed."""
    try:
        return json.loads(PINS.read_text())
    except (OSError, ValueError):
        return {}


def run(*arguments: str) -> str:
    """Runs .venv's Python; what it prints goes to the log. Returns "" or, if it failed, what it printed."""
    with LOG.open("w") as log:
        ended = subprocess.run(
            [PYTHON, *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )
    return "" if ended.returncode == 0 else LOG.read_text(errors="replace") or "It said nothing."


def reason(failure: str) -> str:
    """One sentence for what pip printed."""
    if "No space left" in failure:
        return "The disk is full: make room for about 500 MB and run make again."
    if "DO NOT MATCH THE HASHES" in failure:
        return "A package is not the one that was pinned, so it was not installed: see .venv/install.log."
    out_of_reach = r"connection|resolution|timed out|No matching distribution|SSLError|ProxyError"
    if re.search(out_of_reach, failure, re.IGNORECASE):
        return (
            "The package registry is out of reach: connect this machine to it, or name yours with "
            "PIP_INDEX_URL, and run make again (details in .venv/install.log)."
        )
    return (
        "The packages could not be installed: see the end of .venv/install.log, mend that and run make again."
    )


def main(what: str) -> None:
    os.chdir(ROOT)
    with (ROOT / ".venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of two makes at once, the second waits
        if not usable():
            make()
        install(wanted(what))


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except OSError as error:
        sys.exit(f"Robosite cannot make its .venv: {error}.")
    except KeyboardInterrupt:
        sys.exit(130)
