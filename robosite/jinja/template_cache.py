"""Keeps compiled templates in a folder of the site, so that a new process need not compile them."""

from __future__ import annotations

import hashlib
import shutil
import time
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from django.conf import settings
from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket

OLD = 30 * 24 * 3600.0
"""Seconds after which a folder of compiled templates is deleted.

The time is counted from the last start of a process that uses the folder."""


class CompiledTemplates(FileSystemBytecodeCache):
    """Jinja2's bytecode cache on disk.

    If the folder is not writable, each process compiles the templates itself.
    """

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().dump_bytecode(bucket)


def compiled_templates(*made_by: Path) -> CompiledTemplates:
    """Jinja2's bytecode cache, in a folder for the present versions of Jinja2, Django and `made_by`.

    `made_by` are source files that influence how templates are compiled. If the folder is missing, it is
    created in DATA_DIR. The folders of other versions are deleted if they are old (`_clear_old`).
    """
    key = hashlib.sha256(version("jinja2").encode() + version("django").encode())
    for file in (Path(__file__), *made_by):
        with suppress(OSError):
            key.update(file.read_bytes())
    folder = settings.DATA_DIR / "templates" / key.hexdigest()[:16]
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.touch()
        _clear_old(folder.parent, but=folder)
    return CompiledTemplates(str(folder))


def _clear_old(folders: Path, *, but: Path) -> None:
    """Deletes the old subfolders of `folders`, except `but`.

    A subfolder is old if the last start of a process that uses it is more than OLD seconds ago. A process
    that still uses a deleted folder compiles the templates itself.
    """
    for folder in folders.iterdir():
        if folder != but and folder.stat().st_mtime < time.time() - OLD:
            shutil.rmtree(folder, ignore_errors=True)
