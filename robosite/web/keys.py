"""The site's secret keys: from the environment or, outside production, from files made at the first start."""

from __future__ import annotations

import base64
import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def keys_for(name: str, given: list[str], data_dir: Path, production: bool) -> list[str]:
    """Returns the keys called `name`, newest first; raises ImproperlyConfigured if production has none."""
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
