"""The drill: a database of an older Robosite, full of matches in the middle, migrates and is played on.

`THEN` is the schema of the release before; after a release it moves on by one.
"""

from __future__ import annotations

import pickle
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.apps import apps
from django.utils import timezone

from games import GAMES, newest
from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches import models as kept
from robosite.matches.flow import takeback
from robosite.matches.history import state_of
from tests.faults.programs import Match, Site
from tests.servers import Server, manage, run
from tests.site.browsers import seat_at

THEN = [
    ("people", "0011_flags"),
    ("matches", "0026_flags"),
    ("api", "0001_release_2026_11_25"),
    ("sessions", "0001_initial"),
]
OF_MATCHES = [f"matches.{name}" for name in ("Match", "Seat", "Hold", "Program", "TakenBack")]
LABELS = ["people.Guest", *OF_MATCHES, "api.KeptReceipt"]


def present(match: Match) -> kept.Match:
    return kept.Match.objects.get(key=match.key)


def seat(match: Match, letter: str) -> kept.Seat:
    return seat_at(present(match), letter)


def sample(match: Match, letter: Any, chance: Random) -> str:
    return str(state_of(present(match)).view(letter).sample(letter, chance))


def play(match: Match, turns: int, chance: Random) -> None:
    for _ in range(turns):
        for letter in flow.owing(present(match)):
            flow.seal(seat(match, letter), present(match).turn, sample(match, letter, chance))


def in_the_middle(slug: str, chance: Random) -> Match:
    """Some turns are played; of the present one a seat has sealed, or drafted if it alone is to play."""
    game = newest(slug)
    made, alice, invite = flow.create(game, game.read_options({}), 2, "Alice", deadline_hours=24)
    match = Match(made.key, {"A": alice.secret, "B": flow.join(made, "Bob", invite=invite).secret})
    play(match, 5, chance)
    if asker := takeback.mover(present(match)):
        takeback.ask(seat(match, asker), present(match).turn, 0)
        other = seat(match, "B" if asker == "A" else "A")
        takeback.answer_takeback(other, present(match).turn, 0, accept=True)
    first, *others = flow.owing(present(match))
    does = flow.seal if others else flow.draft
    does(seat(match, first), present(match).turn, sample(match, first, chance))
    assert present(match).status == "playing"
    return match


def older(data: Path, env: dict[str, str]) -> None:
    rows = {label: list(apps.get_model(label)._default_manager.order_by("pk").values()) for label in LABELS}
    assert all(rows[label] for label in OF_MATCHES)
    (data / "rows").write_bytes(pickle.dumps((THEN, rows)))
    run("-m", "tests.faults.old_database", str(data / "rows"), env=env)
    (data / "rows").unlink()


@pytest.mark.more
@pytest.mark.django_db
@pytest.mark.parametrize(
    "database", ["SQLite", pytest.param("PostgreSQL", marks=[pytest.mark.postgres, pytest.mark.slow])]
)
def test_running_matches_of_the_release_before_are_played_on(
    tmp_path: Path, settings: Any, request: pytest.FixtureRequest, database: str
) -> None:
    chance = Random(11)
    running = {slug: in_the_middle(slug, chance) for slug in GAMES}
    game = newest("pigs")
    waiting, alice, invite = flow.create(game, game.read_options({}), 2, "Alice")
    flow.draft(alice.seat, 0, "F F")
    over = in_the_middle("pigs", chance)
    flow.resign(seat(over, "A"))
    late = in_the_middle("pigs", chance)
    past = timezone.now() - timedelta(minutes=5)
    kept.Match.objects.filter(key=late.key).update(deadline=past, overdue=False)
    guest = apps.get_model("people.Guest")._default_manager.create(name="Alice")
    kept.Hold.every.create(seat=alice.seat, guest=guest, sitting=alice.seat.sitting)

    more = {"DATABASE_URL": request.getfixturevalue("empty_postgres")} if database == "PostgreSQL" else {}
    server = Server(tmp_path, SEAL_KEYS=settings.SEAL_KEYS[0], **more)
    older(tmp_path, server.env)
    with server, Site(server.url) as site:  # it migrates before it starts
        said = manage("verify", env=server.env)
        assert "no faults" in said and "no key" not in said and "1 matches that are over" in said
        for slug, match in running.items():
            before, now = present(match), site.see(match, "A")
            assert (now["status"], now["turn"]) == ("playing", before.turn), slug
            assert now["deadline"]
            for letter in "AB":  # what was sealed or drafted is there still
                own = site.see(match, letter)
                receipt = flow.order_of(before, seat(match, letter))
                assert own["order"] == (receipt.order if receipt else None), slug
                assert (own["draft"] or "") == flow.draft_of(before, seat(match, letter)), slug
            for _ in range(3):
                for letter in flow.owing(present(match)):
                    turn, order = present(match).turn, sample(match, letter, chance)
                    flow.seal(seat(match, letter), turn, order)
                    assert site.seal(match, letter, order, turn).status_code == 200, slug
            assert site.see(match)["turn"] == present(match).turn >= before.turn + 3
            for letter in "AB":
                view = state_of(present(match)).view(Letter(letter))
                assert site.see(match, letter)["position"] == view.position(), slug
        assert site.see(over)["outcome"] == present(over).outcome_json
        assert site.see(late)["status"] == "playing"
        joined = site.ask("POST", f"matches/{waiting.key}/seats", {"name": "Bob", "invite": invite})
        assert joined.status_code == 201, joined.text
        assert site.see(Match(waiting.key, {"A": alice.secret}), "A")["draft"] == "F F"
        assert "Traceback" not in server.logged(), server.logged()
        assert "no faults" in manage("verify", env=server.env)


def test_the_schema_of_then_is_older_than_todays() -> None:
    """So the drill above has something to migrate; what comes after THEN is what it tries."""
    from django.db.migrations.loader import MigrationLoader

    loader = MigrationLoader(None)
    leaves = set(loader.graph.leaf_nodes())
    assert all(node in loader.graph.nodes for node in THEN)
    assert set(THEN) - leaves
