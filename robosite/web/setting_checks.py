"""Checks of single settings, whose messages reveal no key; imported by the settings."""

from __future__ import annotations

import base64
import binascii
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

WEBHOOK_KINDS = ("discord", "slack", "matrix", "telegram", "ntfy", "json")
SHORTEST_KEY = 32
"""The minimum length of a key in production, in characters (`docs/hosting.md` says how to create one)."""


def check_networks(name: str, given: list[str]) -> list[str]:
    """Returns the addresses and networks of a setting; raises ImproperlyConfigured for anything else."""
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
    """Raises ImproperlyConfigured if the newest secret key or seal key is too short, or both are the same."""
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
    """Returns VAPID_KEY; raises ImproperlyConfigured unless it is empty or 32 bytes in base64url."""
    try:
        number = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
    except (binascii.Error, ValueError):
        number = b""
    if key and len(number) != 32:
        raise ImproperlyConfigured("VAPID_KEY is 32 bytes in base64url: manage.py vapid_keys makes one.")
    return key


def check_webhooks(given: str, public_url: str) -> list[str]:
    """The kinds in the setting WEBHOOKS; by default all if the site's address is public, else none."""
    text = given.strip().lower()
    if text in ("1", "true", "yes", "on") or (not text and _is_public(public_url)):
        return list(WEBHOOK_KINDS)
    kinds = [] if text in ("", "0", "false", "no", "off") else [kind.strip() for kind in text.split(",")]
    for kind in kinds:
        if kind not in WEBHOOK_KINDS:
            raise ImproperlyConfigured(
                f"WEBHOOKS: “{kind}” is none of {', '.join(WEBHOOK_KINDS)}. Write some of these, with commas "
                "between them, or 1 for all, or 0 for none."
            )
    return kinds


def _is_public(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_global
    except ValueError:
        return "." in host and not host.endswith((".localhost", ".local", ".internal", ".test"))
