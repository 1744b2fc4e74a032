import hashlib
import json
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.management.commands import collectstatic

from robosite.web import minifying
from robosite.web.minifying import HASHED

STAMP = "made_from.txt"
KEPT_FOR = 7 * 24 * 3600.0
"""Seconds for which files of an older version stay available, for its processes and for open pages."""
MAKERS = ("django", "whitenoise", "brotli", "lightningcss", "rjsmin")
"""The packages on which the processed files depend, besides `minifying.py`."""


class Command(collectstatic.Command):
    """Django's own command, but idle if the sources are unchanged; else it also deletes old files."""

    def collect(self) -> dict[str, list[str]]:
        if self.dry_run or self.clear or self.symlink or not self.post_process:
            return super().collect()
        stamp = Path(settings.STATIC_ROOT, STAMP)
        made_from = _digest(self.ignore_patterns)
        if stamp.exists() and stamp.read_text() == made_from and stamp.with_name("staticfiles.json").exists():
            return {"modified": [], "unmodified": [], "post_processed": []}
        stamp.unlink(missing_ok=True)
        _touch(before := _hashed_files())
        collected: dict[str, list[str]] = super().collect()
        _delete_old(but=before | _hashed_files())
        stamp.write_text(made_from)
        return collected


def _hashed_files() -> set[str]:
    try:
        manifest = json.loads(Path(settings.STATIC_ROOT, "staticfiles.json").read_text())
    except (OSError, ValueError):
        return set()
    return set(manifest["paths"].values())


def _touch(names: set[str]) -> None:
    for name in names:
        for end in ("", ".gz", ".br"):
            file = Path(settings.STATIC_ROOT, f"{name}{end}")
            if file.exists():
                file.touch()


def _delete_old(*, but: set[str]) -> None:
    """Deletes hashed files last in use more than KEPT_FOR seconds ago, except `but`."""
    root = Path(settings.STATIC_ROOT)
    for file in root.rglob("*"):
        hashed = HASHED.search(file.name.removesuffix(".gz").removesuffix(".br"))
        name = file.relative_to(root).as_posix().removesuffix(".gz").removesuffix(".br")
        if hashed and name not in but and file.stat().st_mtime < time.time() - KEPT_FOR:
            file.unlink(missing_ok=True)


def _digest(ignored: list[str]) -> str:
    found = hashlib.sha256(Path(minifying.__file__).read_bytes())
    found.update(repr([minifying.OLDEST, *((name, version(name)) for name in MAKERS)]).encode())
    for finder in get_finders():
        for path, storage in sorted(finder.list(ignored), key=_name):
            found.update(f"\0{getattr(storage, 'prefix', None) or ''}\0{path}\0".encode())
            with storage.open(path) as file:
                found.update(hashlib.sha256(file.read()).digest())
    return found.hexdigest()


def _name(found: tuple[str, Any]) -> tuple[str, str]:
    path, storage = found
    return str(getattr(storage, "prefix", None) or ""), path
