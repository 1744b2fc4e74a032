"""Bars names that moderators have taken away, and their look-alikes, until the measure is lifted."""

import hashlib
from collections.abc import Iterable

from django.db.models import Q

from robosite.moderation.models import Measure, TakenName
from robosite.people.look_alikes import is_reserved, skeletons
from robosite.people.models import Guest, GuestFlag


def bar(measure: Measure, names: Iterable[str], matches: Iterable[int]) -> None:
    """Bars names, unless reserved for all, in these matches (primary keys) and for the measure's guest."""
    codes = {code for name in names if name and not is_reserved(name) for code in _codes(name)}
    rows = [TakenName(measure=measure, match_id=match, code=code) for match in set(matches) for code in codes]
    if measure.guest:
        rows += [TakenName(measure=measure, guest=measure.guest, code=code) for code in codes]
    TakenName.objects.bulk_create(rows)


def allow(measure: Measure) -> None:
    """Allows the names again that a measure has barred; names that another measure also bars stay barred."""
    TakenName.objects.filter(measure=measure).delete()


def is_taken_away(name: str, guest: Guest | None, table: int | None) -> bool:
    where = Q()
    if guest and guest.may_have(GuestFlag.MEASURES):
        where |= Q(guest=guest)
    if table:
        where |= Q(match=table)
    return bool(where) and TakenName.objects.filter(where, code__in=_codes(name)).exists()


def merge(gone: Guest, guest: Guest) -> None:
    TakenName.objects.filter(guest=gone).update(guest=guest)


def _codes(name: str) -> set[str]:
    return {hashlib.sha256(one.encode()).hexdigest() for one in skeletons(name)}
