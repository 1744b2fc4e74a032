"""The names of all settings, their file, and checks of both; imported by the settings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from dotenv import dotenv_values

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
