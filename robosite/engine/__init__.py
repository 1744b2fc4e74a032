"""Overrides of private parts of libraries, called tricks; the site works without any of them.

`ENGINE_OFF=prepared,handler` switches two off, `ENGINE_OFF=all` all; `python -m tests.bench.tricks` measures
them. `prepared.py: known_rows` and `sqlite` have no switch.
"""

import os

from django.core.exceptions import ImproperlyConfigured

TRICKS = {
    "handler": "The order of what Django's ASGI handler does, and a thread-local of asgiref, until Django "
    "hands sync code to its thread once. Goes if a seat page costs less than a tenth more without it.",
    "limits": "Channels and factories of Twisted, Daphne and Autobahn, until Daphne bounds the bodies and "
    "the number of frames that it reads. Goes if `tests/faults` passes without it: long bodies, noise.",
    "prepared": "The ORM's compiler: SQL, converters and populators of a query, until Django keeps compiled "
    "queries. Goes if a seat page costs less than a tenth more without it.",
}
"""The parts that each trick overrides, until when, and when it may go."""

OFF = frozenset(name.strip() for name in os.environ.get("ENGINE_OFF", "").split(",") if name.strip())

if unknown := OFF - {*TRICKS, "all"}:
    raise ImproperlyConfigured(
        f"ENGINE_OFF names tricks that there are not: {', '.join(sorted(unknown))}. "
        f"There are {', '.join(TRICKS)}, and all."
    )


def is_on(trick: str) -> bool:
    """Returns True if a trick, an override of private parts of libraries, is switched on."""
    TRICKS[trick]
    return not OFF & {trick, "all"}
