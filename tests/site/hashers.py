"""Hashers that take no time."""

from __future__ import annotations

from django.contrib.auth.hashers import ScryptPasswordHasher  # type: ignore[attr-defined]


class QuickScrypt(ScryptPasswordHasher):
    """Hashes recovery phrases as the site does, with the least work."""

    work_factor = 2
