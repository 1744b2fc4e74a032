"""Recovery phrases: six random words, by which a guest can sign in at any browser; stored as a slow hash.

A keyed hash of the first two finds the few guests whose phrases need to be tried.
"""

import hashlib
import hmac
import re
import secrets
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.utils import timezone
from django.utils.translation import gettext as _

from robosite.people.models import Guest
from robosite.web import later

LENGTH = 6
FIRST = 2
"""The number of words, from the start of a phrase, that the keyed hash covers."""


class NoPhrase(ValueError):
    """Raised for a text that is no recovery phrase; the message reveals nothing about any guest."""


@cache
def words() -> tuple[str, ...]:
    """The words of which recovery phrases are made, in alphabetical order."""
    return tuple(Path(__file__).with_name("phrases.txt").read_text().split())


def new_phrase(guest: Guest) -> str:
    """Replaces the guest's recovery phrase and returns the new one, of which only hashes are stored."""
    phrase = _drawn(guest)
    guest.phrase_lookup = _lookup(phrase, settings.SEAL_KEYS[0])
    guest.phrase_hash = _slow(phrase)
    guest.phrase_made_at = timezone.now()
    guest.save(update_fields=["phrase_lookup", "phrase_hash", "phrase_made_at"])
    return " ".join(phrase)


def _drawn(guest: Guest) -> list[str]:
    return later.kept(("phrase", guest.pk), lambda: [secrets.choice(words()) for _ in range(LENGTH)])


def prepare_phrase(guest: Guest) -> None:
    """Computes the slow hash that `new_phrase` stores, if the request can wait; call it before any write."""
    if later.can_wait():
        _slow(_drawn(guest))


def forget_phrase(guest: Guest) -> None:
    guest.phrase_lookup, guest.phrase_hash, guest.phrase_made_at = "", "", None
    guest.save(update_fields=["phrase_lookup", "phrase_hash", "phrase_made_at"])


def guest_who_says(phrase: list[str]) -> Guest | None:
    """Returns the guest with this phrase, or None after about the same time."""
    lookups = [_lookup(phrase, key) for key in settings.SEAL_KEYS]
    found = list(Guest.objects.filter(phrase_lookup__in=lookups))
    for guest in found:
        if check_password(" ".join(phrase), guest.phrase_hash):
            return guest
    if not found:
        _slow(phrase)
    return None


def parse_phrase(text: str) -> list[str]:
    """Returns the six words in lower case; raises NoPhrase for unknown words or another number."""
    phrase = re.findall(r"[^\W\d_]+", text.lower())[: LENGTH + 1]
    for word in phrase:
        if word not in words():
            near = get_close_matches(word[:20], words(), 1)
            if near:
                raise NoPhrase(
                    _("“{word}” isn’t in any recovery phrase. Did you mean “{near}”?").format(
                        word=word[:20], near=near[0]
                    )
                )
            raise NoPhrase(
                _("“{word}” isn’t in any recovery phrase. Please check it.").format(word=word[:20])
            )
    if len(phrase) != LENGTH:
        raise NoPhrase(_("A recovery phrase has six words. Please enter all of them."))
    return phrase


def _slow(phrase: list[str]) -> str:
    return make_password(" ".join(phrase), hasher="scrypt")


def _lookup(phrase: list[str], key: str) -> str:
    mac = hmac.new(key.encode(), f"phrase/{' '.join(phrase[:FIRST])}".encode(), hashlib.sha256)
    return mac.hexdigest()
