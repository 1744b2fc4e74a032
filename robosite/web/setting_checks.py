"""Reads and checks settings, with messages that reveal no key; imports nothing of Django but an exception."""

import base64
import binascii
import os
import re
import secrets
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from ipaddress import ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from dotenv import dotenv_values

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
    """The kinds in WEBHOOKS; by default all on a public site, else none. Raises ImproperlyConfigured."""
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


NAMES = (
    "ALLOWED_HOSTS",
    "AUDIT_MAIL",
    "BOT_PROCESSES",
    "CLOCK_SECONDS",
    "DATABASE_URL",
    "DATA_DIR",
    "DEBUG",
    "DRAIN_SECONDS",
    "EMAIL_URL",
    "ENGINE_OFF",
    "HOLIDAY_DAYS",
    "HSTS",
    "KEEP_GUESTS_DAYS",
    "KEEP_IMPORTS_DAYS",
    "KEEP_MEASURES_DAYS",
    "KEEP_OPEN_DAYS",
    "KEEP_REPORTS_DAYS",
    "LIMITS",
    "LOG_FORMAT",
    "MAIL_FROM",
    "METRICS_FOR",
    "METRICS_TOKEN",
    "MIN_DEADLINE_HOURS",
    "OPEN_TABLES",
    "POSTGRES_PASSWORD",
    "PRODUCTION",
    "PUBLIC_URL",
    "REACHABLE_NETWORKS",
    "REDIS_PREFIX",
    "REDIS_URL",
    "SEAL_KEYS",
    "SECRET_KEY",
    "SECURITY_CONTACT",
    "SENDER_LEASE",
    "SENDER_SECONDS",
    "STAFF_SECOND_FACTOR",
    "TIME_ZONE",
    "TRUSTED_PROXIES",
    "VAPID_KEY",
    "WEBHOOKS",
)
BLANK = "…"
"""The placeholder in the example settings for a value that the host has to fill in."""
OWN_WORDS = ("SEAL", "VAPID", "KEEP_", "METRICS_", "TRUSTED_PRO", "ALLOWED_HO", "PUBLIC_U", "REACHABLE_")
"""Prefixes of variable names that other programs are unlikely to use in the environment."""
ALIKE = 0.8
"""The similarity from which a name counts as misspelt, as measured by `difflib` (1 means equal)."""


def read_env_file(file: Path) -> dict[str, str | None]:
    """Returns the settings in a file, {} without one; raises ImproperlyConfigured if it cannot be read."""
    try:
        return dotenv_values(file)
    except OSError as fault:
        raise ImproperlyConfigured(
            f"{file} cannot be read by this user: {fault.strerror}. Run this as the user to whom the file "
            f"belongs, or let this one read it."
        ) from None
    except UnicodeDecodeError:
        raise ImproperlyConfigured(f"{file} is not UTF-8: save it in that encoding.") from None


def check_blanks(given: Mapping[str, str]) -> None:
    """Raises ImproperlyConfigured if a setting still contains the placeholder of the example settings."""
    blank = [name for name in NAMES if BLANK in given.get(name, "")]
    if blank:
        one = len(blank) == 1
        raise ImproperlyConfigured(
            f"{_listed(blank)} still {'has' if one else 'have'} the “{BLANK}” of the example. Put a value of "
            f"your own in its place, or a # before the line."
        )


def misspelt(in_file: Collection[str], given: Mapping[str, str]) -> list[str]:
    """A warning for each likely misspelling: of any name in the file, of OWN_WORDS in the environment."""
    ours = {name for name in given if name.startswith(OWN_WORDS)}
    alike = {
        name: get_close_matches(name.upper(), NAMES, n=1, cutoff=ALIKE)
        for name in sorted((set(in_file) | ours) - set(NAMES))
    }
    return [
        f"{name} is no setting of Robosite, so it has no effect. Is {meant[0]} meant?"
        for name, meant in alike.items()
        if meant
    ]


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


HOW = (
    "in a user name or password write every sign but letters, digits and - . _ ~ percent-encoded: # as %23,"
    " % as %25, / as %2F, : as %3A, ? as %3F, @ as %40"
)
FILES = ("sqlite", "file", "console", "dummy", "memory", "spatialite")
"""URL schemes that are followed by a path or by nothing, so that the URL contains no password."""
BAD_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


def check_url(name: str, url: str) -> str:
    """Returns the URL of the setting `name`; raises ImproperlyConfigured if it would be misread."""
    if url and url.partition(":")[0].lower() not in FILES and not _is_plain(url):
        raise unreadable(name)
    return url


def unreadable(name: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name} cannot be read as an address: {HOW}.")


def _is_plain(url: str) -> bool:
    """Returns True if a URL can be parsed, and no unescaped # @ % or space cuts off its password."""
    if "#" in url or not url.isprintable() or " " in url or BAD_PERCENT.search(url):
        return False
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    return url.count("@") == parts.netloc.count("@")  # if there are several, the last one ends the password


def keys_for(name: str, given: list[str], data_dir: Path, production: bool) -> list[str]:
    """The keys `given`; else those in a file of `data_dir`, made if missing; raises if in `production`."""
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
