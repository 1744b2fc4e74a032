"""The checks for the names of leagues."""

from __future__ import annotations

import hashlib
import unicodedata

import regex
from django.utils.translation import gettext as _

from robosite.leagues.models import LONGEST_NAME, League
from robosite.people.look_alikes import is_reserved, look_alike
from robosite.people.names import RefusedName, legible

_ADDRESS = regex.compile(r"://|[^\W_][\w-]*\.[^\W\d_]{2,}")
"""A pattern for text that a reader could take for an address, such as example.org or https://…"""


def clean_league_name(name: str) -> str:
    """Returns the name normalised to NFKC, with single spaces.

    Raises RefusedName if the name is empty, too long, illegible or not allowed, or looks like an address.
    """
    name = " ".join(unicodedata.normalize("NFKC", name).split())
    if not name:
        raise RefusedName(_("Please type a name for it."))
    if len(name) > LONGEST_NAME:
        reason = _("The league's name is too long: {most} letters at most.")
        raise RefusedName(reason.format(most=LONGEST_NAME))
    name = legible(name, LONGEST_NAME)
    if is_reserved(name):
        reason = _("“{name}” could be mistaken for this site or its moderators. Please choose another.")
        raise RefusedName(reason.format(name=name))
    if _ADDRESS.search(name):
        raise RefusedName(_("“{name}” looks like an address. Please choose another.").format(name=name))
    if League.objects.filter(taken_name=name_code(name)).exists():
        raise RefusedName(_("A moderator has taken this name away. Please choose another."))
    return name


def name_code(name: str) -> str:
    """Returns a SHA-256 code that is the same for all names that look alike; it does not reveal the name."""
    return hashlib.sha256(look_alike(name).encode()).hexdigest()
