"""Overrides of private parts of libraries, called tricks: for speed, or to limit what clients may send.

Only this package touches what Django, asgiref, Daphne, Twisted, Autobahn, Jinja2 or CPython keep private. The
site works without any trick in TRICKS. `ENGINE_OFF=prepared,handler` in the environment switches these two
tricks off, and `ENGINE_OFF=all` switches all tricks off.

`python -m tests.bench.tricks` measures how much processor time each trick saves. A trick that saves less than
a tenth is deleted, except `limits`, which protects the server. Two parts of this package have no switch:
`related.py`, which saves queries, and `sqlite`, which is chosen by a setting.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from django.core.exceptions import ImproperlyConfigured


class Trick(NamedTuple):
    """An override of private parts of libraries.

    `touches` describes the overridden parts, and `until` the change that will make the trick needless.
    `can_go` is a condition, shown by a test or a measurement, under which the trick can be deleted.
    """

    touches: str
    until: str
    can_go: str


TRICKS = {
    "handler": Trick(
        "The order of what Django's ASGI handler does, and a thread-local of asgiref (`handler.py`).",
        "Django hands a request of sync code to its thread once, and that thread keeps its connection.",
        "A seat page costs less than a tenth more without it.",
    ),
    "limits": Trick(
        "Channels and factories of Twisted, Daphne and Autobahn (`wire.py`, `frames.py`).",
        "A proxy in front bounds bodies, slow clients and connections, or Daphne does.",
        "`tests/faults` passes without it: long bodies, slow clients, noise.",
    ),
    "compression": Trick(
        "Nothing: Django's GZipMiddleware with zlib-ng in zlib's place (`compression.py`).",
        "Python is built with zlib-ng, as CPython's installers for Windows are.",
        "A seat page costs less than a tenth more without it.",
    ),
    "prepared": Trick(
        "The ORM's compiler: SQL, converters and populators of a query, kept (`prepared.py`).",
        "Django keeps compiled queries (5.2 and 6.0 compile at each use).",
        "A seat page costs less than a tenth more without it.",
    ),
}

OFF = frozenset(name.strip() for name in os.environ.get("ENGINE_OFF", "").split(",") if name.strip())

if unknown := OFF - {*TRICKS, "all"}:
    raise ImproperlyConfigured(
        f"ENGINE_OFF names tricks that there are not: {', '.join(sorted(unknown))}. "
        f"There are {', '.join(TRICKS)}, and all."
    )


def is_on(trick: str) -> bool:
    """Returns True if a trick, an override of private parts of libraries, is switched on.

    Raises KeyError for a name that is not in TRICKS.
    """
    TRICKS[trick]
    return not OFF & {trick, "all"}
