"""The bytes that a match leaves in the database: few, all of which end with it or before."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from robosite.api.models import KeptAnswer, KeptReceipt
from robosite.matches.models import Match
from tests.site.api.test_api import Api
from tests.site.api.test_api_again import under

TURNS = 20
MOST_A_MATCH = 40_000
"""Bytes in all tables of a match of TURNS turns between two programs (docs/performance.md)."""
SPINS = "TL TL TL TL TL"


pytestmark = pytest.mark.django_db


@pytest.fixture
def api(client: Client, settings: Any) -> Api:
    settings.LIMITS = "off"
    return Api(client)


def bytes_by_table() -> Counter[str]:
    """Bytes of all values, by table."""
    sizes = Counter[str]()
    with connection.cursor() as cursor:
        for model in apps.get_models():
            cursor.execute(f'SELECT * FROM "{model._meta.db_table}"')
            for row in cursor.fetchall():
                sizes[model._meta.db_table] += sum(
                    len(value) if isinstance(value, bytes | memoryview) else len(str(value)) for value in row
                )
    return sizes


def played(api: Api, turns: int) -> str:
    """The key of a match in which two programs have sealed so many turns, each under an Idempotency-Key."""
    key, ada, ben = api.table()
    for turn in range(turns):
        for token, sign in ((ada, "a"), (ben, "b")):
            api.seal(key, token, SPINS, turn, headers=under(f"{sign}{turn}"))
    assert Match.objects.get(key=key).turn == turns
    return key


def test_a_match_of_twenty_turns_is_small(api: Api) -> None:
    before = bytes_by_table()
    played(api, TURNS)
    grown = bytes_by_table() - before
    answers = grown.pop("api_keptanswer")  # for a day
    assert grown.total() <= MOST_A_MATCH, grown
    assert answers <= 2 * TURNS * 2_000 + 10_000


def test_receipts_of_equal_tables_have_one_length(api: Api) -> None:
    for order in (SPINS, "\\ ^ v X H"):
        key, ada, _ben = api.table()
        api.seal(key, ada, order)
    lengths = {len(bytes(row.order)) for row in KeptReceipt.objects.all()}
    assert len(lengths) == 1 and max(lengths) < 600


def test_only_matches_outlast_their_year(api: Api) -> None:
    """Nothing is left of what only the site itself needed; matches, their orders and seals stay."""
    keys = [played(api, 2) for _ in range(3)]
    whole = bytes_by_table()
    Match.objects.update(status=Match.Status.OVER)
    Match.objects.update(changed_at=timezone.now() - timedelta(days=365))
    KeptAnswer.objects.update(made_at=timezone.now() - timedelta(days=365))
    call_command("prune", "--yes", verbosity=0)
    left = bytes_by_table()
    assert whole["api_keptreceipt"] and whole["api_keptanswer"]
    assert not left["api_keptreceipt"] and not left["api_keptanswer"]
    for table in ("matches_match", "matches_seat", "matches_program"):
        assert left[table] >= whole[table] * 0.9, table
    assert Match.objects.filter(key__in=keys).count() == 3
