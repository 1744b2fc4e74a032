"""Collects static files, and does nothing where the last time left exactly these."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.management.commands import collectstatic

from robosite import lightness

STAMP = "made_from.txt"
"""A file beside those that were collected: what they were made from."""
MAKERS = ("django", "whitenoise", "brotli", "tinycss2", "rjsmin")
"""Packages on which the files as they are served depend, besides `lightness.py`."""


class Command(collectstatic.Command):
    """Django's own, which copies, names and compresses every file again, whatever is there already."""

    def collect(self) -> dict[str, list[str]]:
        if self.dry_run or self.clear or self.symlink or not self.post_process:
            return super().collect()
        stamp = Path(settings.STATIC_ROOT, STAMP)
        made_from = _digest(self.ignore_patterns)
        if stamp.exists() and stamp.read_text() == made_from and stamp.with_name("staticfiles.json").exists():
            return {"modified": [], "unmodified": [], "post_processed": []}
        stamp.unlink(missing_ok=True)
        collected: dict[str, list[str]] = super().collect()
        stamp.write_text(made_from)
        return collected


def _digest(ignored: list[str]) -> str:
    """A hash of all files that are found, by name and content, and of what makes others of them."""
    found = hashlib.sha256(Path(lightness.__file__).read_bytes())
    found.update(repr([(name, version(name)) for name in MAKERS]).encode())
    for finder in get_finders():
        for path, storage in sorted(finder.list(ignored), key=_name):
            found.update(f"\0{getattr(storage, 'prefix', None) or ''}\0{path}\0".encode())
            with storage.open(path) as file:
                found.update(hashlib.sha256(file.read()).digest())
    return found.hexdigest()


def _name(found: tuple[str, Any]) -> tuple[str, str]:
    path, storage = found
    return str(getattr(storage, "prefix", None) or ""), path
