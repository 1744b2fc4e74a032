"""The seasons of a league: each is a `League` of its own, linked to the season before.

A player who goes on keeps number, link and holders, so one link opens the place in every season.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from django.db.models import QuerySet

from robosite.leagues.models import League, Place
from robosite.web.link_secrets import hash_secret, secret_behind


def season_keys(pk: int) -> list[int]:
    """Returns the primary keys of all seasons of a league, the oldest first; `pk` is any of these keys."""
    keys = [pk]
    while before := League.objects.filter(pk=keys[0]).values_list("previous", flat=True).first():
        keys.insert(0, before)
    return _with_later(keys)


def _with_later(keys: list[int]) -> list[int]:
    while after := League.objects.filter(previous=keys[-1]).values_list("pk", flat=True).first():
        keys = [*keys, after]
    return keys


@contextmanager
def all_locked(pk: int) -> Iterator[list[League]]:
    """Opens a transaction, locks all seasons of a league, and yields them as freshly read, the oldest first.

    Use it for every change of a link, because all seasons share it.
    """
    with transaction.atomic():
        keys, locked = season_keys(pk), []
        while keys:
            of_them = League.objects.select_for_update().filter(pk__in=keys).order_by("pk")
            locked += list(of_them)
            keys = _with_later(keys[-1:])[1:]  # a season announced meanwhile
        yield locked


def places_behind(link_hash: str) -> QuerySet[Place]:
    """Returns a player's place in each season, newest first, by the hash of the secret link that opens it."""
    return Place.objects.filter(link_hash=link_hash, gone=False).select_related("league").order_by("-league")


def place_behind(secret: str) -> Place | None:
    """Returns a player's place in the newest season, by the secret of its link; None without such a link."""
    return places_behind(hash_secret(secret)).first()


def organised_by(secret: str) -> League | None:
    """Returns the newest season that the organiser's link with this secret opens; None for a wrong secret."""
    return League.objects.filter(organiser_hash=hash_secret(secret)).order_by("-pk").first()


INVITE = "invite"
"""The word, in place of a seat's letter, from which `first_secret` derives a season's first invite."""


def first_invite(league: League) -> str | None:
    """The secret of the invite made together with a second or later season; None for a first one."""
    return secret_behind(league.invite_hash, league.key, INVITE) if league.season > 1 else None
