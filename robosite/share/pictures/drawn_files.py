"""A cache of pictures, and reviews, as files in DATA_DIR, limited in number, size and age."""

import hashlib
import logging
import os
import time
from contextlib import suppress
from functools import cache as once
from pathlib import Path
from tempfile import NamedTemporaryFile

from django.conf import settings

log = logging.getLogger("robosite")

MOST = 2_000
MOST_BYTES = 100 * 1024 * 1024
SECONDS = 30 * 24 * 3600
"""Seconds without use after which the next `store` deletes a file."""
HOUR = 3600
"""Seconds after a recorded use of a file in which further uses are not recorded."""

DRAWN_FROM = (
    ("templates", "*.svg"),
    ("static/css", "*.css"),
    ("robosite/share/pictures", "*.css"),
    ("robosite/share/pictures", "*.py"),
)
"""The folders with files that pictures are drawn from, each with the pattern of these files' names."""


def find(name: str, *, drawn: bool = True) -> bytes | None:
    """The cached file called `name`, stored with the same `drawn`; None if missing or not readable."""
    path = _path(name, drawn)
    try:
        found = path.read_bytes()
        if time.time() - path.stat().st_mtime > HOUR:
            os.utime(path)
    except FileNotFoundError:
        return None
    except OSError:
        log.warning("the kept pictures cannot be read", exc_info=True)
        return None
    return found


def store(name: str, data: bytes, *, drawn: bool = True) -> bytes:
    """Caches and returns `data`; without `drawn`, the data stay valid when templates and styles change."""
    try:
        _folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=_folder(), prefix="new-", delete=False) as file:
            file.write(data)
        Path(file.name).replace(_path(name, drawn))
        _forget_some()
    except OSError:
        log.warning("a picture cannot be kept", exc_info=True)
    return data


def clear() -> None:
    """Deletes all cached files (for tests)."""
    for path in _folder().glob("*"):
        path.unlink(missing_ok=True)


def tag(name: str) -> str:
    """The file name and ETag of a picture: a hash of `name` and of all files that pictures are drawn from."""
    return _hashed(f"{_drawn_by()}/{name}")


def _hashed(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:32]


def _forget_some() -> None:
    """Deletes the least recently used files, those being written too, until all limits are met."""
    there = []
    with os.scandir(_folder()) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):  # another process may delete files too
                stat = entry.stat()
                there.append((stat.st_mtime, stat.st_size, entry.path))
    count, size = len(there), sum(size for _used, size, _path in there)
    old = time.time() - SECONDS
    for used, bytes_, path in sorted(there):
        if count <= MOST and size <= MOST_BYTES and used >= old:
            return
        Path(path).unlink(missing_ok=True)
        count, size = count - 1, size - bytes_


def _folder() -> Path:
    return Path(settings.DATA_DIR, "pictures")


def _path(name: str, drawn: bool = True) -> Path:
    return _folder() / (tag(name) if drawn else _hashed(name))


@once
def _drawn_by() -> str:
    hashed = hashlib.sha256()
    for folder, kind in DRAWN_FROM:
        for path in sorted((settings.BASE_DIR / folder).rglob(kind)):
            hashed.update(path.read_bytes())
    return hashed.hexdigest()[:12]
