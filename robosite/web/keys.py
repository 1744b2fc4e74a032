"""The site's secret keys, which are set in the environment or created at the first start.

Keys are created in files that only the files' owner can read.
"""

from __future__ import annotations

import base64
import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def keys_for(name: str, given: list[str], data_dir: Path, production: bool) -> list[str]:
    """Returns the keys called `name`, newest first.

    `given` are the keys from the environment, which are returned if there are any. Without them, raises
    ImproperlyConfigured in production. Outside production, the keys are then read from a file in `data_dir`,
    which is created with one new key if it is missing.
    """
    given = [key.strip() for key in given if key.strip()]
    if given:
        return given
    if production:
        raise ImproperlyConfigured(
            f"With PRODUCTION=1, set {name}. A good value: python -c "
            f"'import base64,secrets; print(base64.urlsafe_b64encode(secrets.token_bytes(32)).decode())'"
        )
    path = data_dir / name.lower()
    if not path.exists():
        _make(path)
    return path.read_text().split()


def _make(path: Path) -> None:
    """Creates the file with a new key; does nothing if another process creates the file first."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    key = base64.urlsafe_b64encode(secrets.token_bytes(32))
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(key + b"\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(new, path)  # fails if another process was first
    except FileExistsError:
        pass
    finally:
        new.unlink()
