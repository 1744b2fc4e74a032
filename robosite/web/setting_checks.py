"""Checks of single settings: an invalid setting stops the start, with a message that reveals no key.

The settings import this module, so it imports nothing of Django except ImproperlyConfigured.
"""

from __future__ import annotations

import base64
import binascii
from ipaddress import ip_network

from django.core.exceptions import ImproperlyConfigured

SHORTEST_KEY = 32
"""The minimum length of a key in production, in characters (`docs/hosting.md` says how to create one)."""


def check_networks(name: str, given: list[str]) -> list[str]:
    """Returns the given addresses and networks without spaces around them.

    `name` is the name of the setting, for the message. Raises ImproperlyConfigured if an item is neither an
    address nor a network.
    """
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
    """Checks the newest secret key and the newest seal key, which come first in their lists.

    Raises ImproperlyConfigured if one of the two keys is shorter than SHORTEST_KEY, or if they are the same.
    """
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
    """Checks the setting VAPID_KEY, which signs push messages, and returns the key.

    Raises ImproperlyConfigured unless the key is empty or 32 bytes in base64url.
    """
    try:
        number = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
    except (binascii.Error, ValueError):
        number = b""
    if key and len(number) != 32:
        raise ImproperlyConfigured("VAPID_KEY is 32 bytes in base64url: manage.py vapid_keys makes one.")
    return key
