"""Checks of single settings: a wrong one stops the start with a sentence, and nothing of a key is in it.

Knows no Django but the fault that stops the start, since the settings are made from it.
"""

from __future__ import annotations

import base64
import binascii
from ipaddress import ip_network

from django.core.exceptions import ImproperlyConfigured

SHORTEST_KEY = 32
"""Characters of a key in production, as `docs/hosting.md` has it made."""


def check_networks(name: str, given: list[str]) -> list[str]:
    """The addresses and networks, if all of them are such."""
    for text in given:
        try:
            ip_network(text.strip(), strict=False)
        except ValueError:
            raise ImproperlyConfigured(
                f"{name}: “{text}” is neither an address nor a network. Write it like 127.0.0.1 or "
                "10.0.0.0/8, with commas between several."
            ) from None
    return [text.strip() for text in given]


def check_keys(secret_keys: list[str], seal_keys: list[str]) -> None:
    """Refuses keys of a public site that are short, or the same for two purposes."""
    for name, keys in (("SECRET_KEY", secret_keys), ("SEAL_KEYS", seal_keys)):
        if len(keys[0]) < SHORTEST_KEY:
            raise ImproperlyConfigured(
                f"{name}: the newest key has fewer than {SHORTEST_KEY} characters, so it could be guessed. "
                "A good one: python3 -c 'import secrets; print(secrets.token_urlsafe(48))'. Keep the old one "
                "behind it, after a comma."
            )
    if secret_keys[0] == seal_keys[0]:
        raise ImproperlyConfigured(
            "SEAL_KEYS is the same as SECRET_KEY: whoever learns one must not have the other."
        )


def check_push_key(key: str) -> str:
    """The key by which pushes are signed, if it is one."""
    try:
        number = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
    except (binascii.Error, ValueError):
        number = b""
    if key and len(number) != 32:
        raise ImproperlyConfigured("VAPID_KEY is 32 bytes in base64url: manage.py vapid_keys makes one.")
    return key
