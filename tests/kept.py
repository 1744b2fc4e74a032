"""Things kept from one run of the tests to the next: an empty database, and the static files."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent
DATABASE = "robosite.sqlite3"
FOLDER = ROOT / ".pytest_cache" / "robosite"
NEWEST = 4
"""The number of a kind that is kept: other branches, and runs that have not ended, may need older ones."""


def database() -> Path:
    """An SQLite database with all tables and no matches."""
    files = [*(ROOT / "robosite").rglob("*.py"), *(ROOT / "games").rglob("*.py")]
    return _made("database", files, "migrate") / DATABASE


def static_files() -> Path:
    """A folder with the static files, compressed, under hashed names."""
    files = [path for path in (ROOT / "static").rglob("*") if path.is_file()]
    makers = [ROOT / "robosite" / "settings.py", *(ROOT / "robosite" / "web").glob("*.py")]
    return _made("static", [*files, *makers], "collectstatic", "--no-input") / "static"


def _made(kind: str, files: Iterable[Path], *command: str) -> Path:
    """The data folder in which that management command was run, now or in an earlier run."""
    key = _hash([*files, ROOT / "requirements/site.txt", ROOT / "requirements/dev.txt"])
    made = FOLDER / f"{kind}-{key}"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if made.exists():
            os.utime(made)
            return made
        data = tempfile.mkdtemp(dir=FOLDER)
        env = {name: text for name, text in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
        env |= {"DATA_DIR": data, "DJANGO_SETTINGS_MODULE": "robosite.settings"}
        manage = [sys.executable, "manage.py", *command, "--verbosity", "0"]
        subprocess.run(manage, cwd=ROOT, env=env, check=True)
        Path(data).rename(made)
        for old in sorted(FOLDER.glob(f"{kind}-*"), key=lambda one: one.stat().st_mtime)[:-NEWEST]:
            shutil.rmtree(old, ignore_errors=True)
    return made


def _hash(files: Iterable[Path]) -> str:
    known = hashlib.sha256(f"{sys.version} {sys.prefix}".encode())
    for path in sorted(files):
        known.update(f"{path.relative_to(ROOT)} {path.stat().st_size}\n".encode() + path.read_bytes())
    return known.hexdigest()[:20]
