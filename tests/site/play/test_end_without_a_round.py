"""An end by resignation: no heading counts the round in which nobody played."""

from __future__ import annotations

import pytest

from robosite.matches import flow
from robosite.reviews.complete_reviews import wanted_of
from tests.site.browsers import Table, text


@pytest.mark.django_db
def test_the_page_and_its_tab_name_the_rounds_that_were_played(table: Table) -> None:
    table.play_some(1)
    flow.resign(table.b)
    page = text(table.alice.get(f"{table.a.get_absolute_url()}?at=2"))
    assert "What happened in round 2" not in page
    assert '<section class="visually-hidden" id="happened"' in page
    assert '<h2 id="happened-title">What happened last</h2>' in page
    assert "(one round played)" in page
    tab = text(table.charlie.get(f"/m/{table.key}/?at=1.0")).partition("<title>")[2].partition("</title>")[0]
    assert "Round 2" not in tab


@pytest.mark.django_db
def test_the_end_is_told_in_one_box_and_is_no_round_of_the_timeline(table: Table) -> None:
    table.play_some(2)
    flow.resign(table.b)
    page = text(table.alice.get(f"{table.a.get_absolute_url()}?at=3"))
    happened = page.partition('id="happened"')[2].partition("</section>")[0]
    assert "<table" not in happened and "<ol" not in happened
    menu = text(table.alice.get(f"{table.a.get_absolute_url()}more/?at=3"))
    assert ">The end</a>" in menu and ">3</a>" not in menu
    assert "Round 1 of 2" in text(table.alice.get(f"{table.a.get_absolute_url()}?at=1"))


@pytest.mark.django_db
def test_the_review_counts_the_rounds_that_were_played(table: Table) -> None:
    table.play_some(2)
    flow.resign(table.b)
    table.a.match.refresh_from_db()
    assert wanted_of(table.a.match) == (0, 1)
