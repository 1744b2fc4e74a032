"""What players send to their friends: an invitation, and the line of a match that is over."""

from __future__ import annotations

import pytest
from django.utils import translation

from robosite.matches import flow
from robosite.matches.models import Match
from robosite.share.comic import names_in
from robosite.share.messages import invitation, match_summary
from robosite.web.written_names import without_isolates
from tests.site.browsers import MORE_SHOTS, SHOTS, Table, text

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("hours", "says"),
    [
        (None, "Ada challenges you to Robo Battle Pigs:"),
        (24, "Ada challenges you to Robo Battle Pigs, a turn a day:"),
        (168, "Ada challenges you to Robo Battle Pigs, a turn a week:"),
        (0.25, "Ada challenges you to Robo Battle Pigs, 15\xa0minutes per turn:"),
    ],
)
def test_an_invitation_says_who_what_and_how_fast(hours: float | None, says: str) -> None:
    assert invitation(Match(game_slug="pigs", rules=1, deadline_hours=hours), "Ada") == says


def test_an_invitation_names_the_hour_of_the_turns() -> None:
    hour = {"time": "20:00", "zone": "Europe/Madrid", "days": [0, 1, 2, 3, 4, 5, 6]}
    says = "Ada fordert dich zu Robo Battle Pigs heraus, jeden Tag um 20:00 Uhr (Europe/Madrid):"
    with translation.override("de"):
        assert invitation(Match(game_slug="pigs", rules=1, reveal_at=hour), "Ada") == says


def summary(table: Table) -> str:
    return without_isolates(match_summary(table.match, names_in(table.match.seats.all())))


def test_a_line_says_who_won_by_how_much_and_how_wild_each_round_was(table: Table) -> None:
    table.play(SHOTS, MORE_SHOTS)
    line = summary(table)
    assert line.startswith("Robo Battle Pigs · Alice 5–0 Bob · 2 rounds played ")
    assert len(line.split()[-1]) == 2 and set(line.split()[-1]) <= set("▁▂▃▄▅▆▇") and "▇" in line


def test_a_match_that_was_resigned_or_drawn_counts_its_one_point(table: Table) -> None:
    flow.resign(table.a)
    assert summary(table) == "Robo Battle Pigs · Alice 0–1 Bob"


def test_a_draw_is_half_a_point_each(table: Table) -> None:
    flow.offer_draw(table.a, offer=True)
    flow.offer_draw(table.b, offer=True)
    assert summary(table) == "Robo Battle Pigs · Alice ½–½ Bob"


def test_the_end_offers_the_line_before_it_is_sent_unless_players_are_among_themselves(table: Table) -> None:
    table.play(SHOTS, MORE_SHOTS)
    page = text(table.alice.get(f"/m/{table.key}/A/"))
    assert (
        "Alice 5–0 Bob · 2 rounds played" in page and f"http://testserver/m/{table.key}/</textarea>" in page
    )
    Match.objects.filter(pk=table.match.pk).update(watched=False)
    assert "</textarea>" not in text(table.alice.get(f"/m/{table.key}/A/")).partition('class="share"')[2]
