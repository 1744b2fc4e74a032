"""An end by resignation: no heading counts the round in which nobody played."""

from __future__ import annotations

import pytest

from robosite.matches import flow
from tests.site.browsers import Table, text


@pytest.mark.django_db
def test_the_page_and_its_tab_name_the_rounds_that_were_played(table: Table) -> None:
    table.play_some(1)
    flow.resign(table.b)
    page = text(table.alice.get(f"{table.a.get_absolute_url()}?at=2"))
    assert "What happened in round 2" not in page and '<h2 id="happened-title">How it ended</h2>' in page
    assert "(one round played)" in page
    tab = text(table.charlie.get(f"/m/{table.key}/?at=1.0")).partition("<title>")[2].partition("</title>")[0]
    assert "Round 2" not in tab
