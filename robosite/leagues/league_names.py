"""The name of a league, as it may be had."""

from __future__ import annotations

import unicodedata

from django.utils.translation import gettext as _

from robosite.leagues.models import LONGEST_NAME
from robosite.people.names import RefusedName


def clean_league_name(name: str) -> str:
    """The name in NFKC, without outer and double spaces; RefusedName if it is unreadable or too long."""
    name = " ".join(unicodedata.normalize("NFKC", name).split())
    if not name:
        raise RefusedName(_("Please type a name for the league."))
    if len(name) > LONGEST_NAME:
        told = _("The league's name is too long: {most} letters at most.")
        raise RefusedName(told.format(most=LONGEST_NAME))
    if any(unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for sign in name):
        raise RefusedName(_("The league's name has signs in it that nobody can read."))
    return name
