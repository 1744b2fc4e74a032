"""Statistics of this site's finished matches, counted anew once a day.

A match counts only if it was played here from its first turn, in a preset, and if watchers may see it. The
clock calls `step`, which counts AT_ONCE matches in the order of primary keys; once all are counted (a walk),
their counts replace the published ones.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from django.db import transaction
from django.db.models import F
from django.utils import timezone

import games
from games import GAMES
from games.core import Seat as Letter
from games.figures import Finished, Tally, preset_of, sides_after
from robosite.matches.models import Match, MatchFlag, Program, Seat
from robosite.matches.site_models import Figures

BALANCE = Path(games.__file__).with_name("balance.json")
"""The file with results of matches between bots, which `make balance` writes."""
WALK, TOLD = "walk", "told"
EVERY = timedelta(days=1)
AT_ONCE = 200
LOOKS = 600.0

_next_look = 0.0


class Kind(NamedTuple):
    """Matches that are counted together; `who` is "people", "bots" (at any seat) or "programs" (BALANCE)."""

    game: str
    rules: int
    preset: str
    seats: int
    who: str

    @classmethod
    def read(cls, text: str) -> Kind:
        game, rules, preset, seats, who = text.split("/")
        return cls(game, int(rules), preset, int(seats), who)

    def __str__(self) -> str:
        return "/".join(map(str, self))


@cache
def balance() -> dict[Kind, Tally]:
    """The statistics of matches between bots, from BALANCE; {} if there is no such file."""
    if not BALANCE.exists():
        return {}
    rows = json.loads(BALANCE.read_text(encoding="utf-8"))["figures"]
    return {
        Kind(row["game"], row["rules"], row["preset"], seats=row["players"], who="programs"): Tally.from_json(
            row
        )
        for row in rows
    }


def step() -> bool:
    """Counts some finished matches, for the clock; returns True if a count was due."""
    global _next_look  # noqa: PLW0603
    if monotonic() < _next_look:
        return False
    if count_some(timezone.now() - EVERY):
        return True
    _next_look = monotonic() + LOOKS
    return False


def count_some(before: datetime) -> bool:
    """Counts the next AT_ONCE matches or publishes; True unless what is published is newer than `before`."""
    with transaction.atomic():
        published = Figures.objects.select_for_update().filter(name=TOLD).first()
        if published and published.at > before:
            return False
        now = timezone.now()
        Figures.objects.get_or_create(name=WALK, defaults={"at": now})
        walk = Figures.objects.select_for_update().get(name=WALK)
        finished = Match.objects.alias(taken_over=F("flags").bitand(MatchFlag.TAKEN_OVER)).filter(
            status=Match.Status.OVER, imported=False, watched=True, taken_over=0
        )
        part = list(finished.filter(pk__gt=walk.data.get("after", 0)).order_by("pk")[:AT_ONCE])
        if not part:
            counted = walk.data.get("tallies", {})
            Figures.objects.update_or_create(name=TOLD, defaults={"data": counted, "at": now})
            walk.delete()
            return True
        tallies = {name: Tally.from_json(data) for name, data in walk.data.get("tallies", {}).items()}
        for kind, match in _finished(part):
            tallies.setdefault(str(kind), Tally()).add(match)
        walk.data = {"after": part[-1].pk, "tallies": {name: one.as_json() for name, one in tallies.items()}}
        walk.save()
    return True


def count_all() -> None:
    Figures.objects.all().delete()
    began = timezone.now()
    while count_some(began):
        pass


def published() -> dict[Kind, Tally]:
    row = Figures.objects.filter(name=TOLD).first()
    found = {Kind.read(name): Tally.from_json(data) for name, data in (row.data if row else {}).items()}
    return {kind: tally for kind, tally in sorted(found.items()) if tally.is_publishable}


def _finished(matches: Sequence[Match]) -> Iterator[tuple[Kind, Finished]]:
    """Yields each match that counts: it has an outcome, a preset, and rules that the site knows."""
    bots: dict[int, list[bool]] = defaultdict(list)
    seats = Seat.objects.filter(match__in=matches).order_by("pk")
    for pk, sitter in seats.values_list("match", "kind"):
        bots[pk].append(sitter != Seat.Kind.HUMAN)
    swapping = [match for match in matches if match.rules in GAMES.get(match.game_slug, {})]
    first = _first_turns([match for match in swapping if match.game.sides_fixed_after])
    for match in swapping:
        outcome, count = match.outcome, len(bots[match.pk])
        preset = preset_of(match.game, match.options, count, match.setup)
        if outcome is None or preset is None:
            continue
        who = "bots" if any(bots[match.pk]) else "people"
        start = match.game.state.start(match.options, count, match.setup)
        sides, swapped = sides_after(start, first.get(match.pk, ()))
        kind = Kind(match.game_slug, match.rules, preset, seats=count, who=who)
        yield kind, Finished(outcome, match.turn, sides, swapped)


def _first_turns(matches: Collection[Match]) -> dict[int, list[dict[Letter, str]]]:
    """The orders of the turns in which seats can change sides, by match; without matches that hide one."""
    turns: dict[int, list[dict[Letter, str]]] = {
        match.pk: [{} for _ in range(min(match.turn, match.game.sides_fixed_after))] for match in matches
    }
    most = max((len(one) for one in turns.values()), default=0)
    programs = Program.objects.filter(seat__match__in=list(turns), turn__lt=most).exclude(order="")
    rows = programs.order_by("pk").values_list("seat__match", "seat__letter", "turn", "order")
    for pk, letter, turn, order in rows:
        if turn < len(turns[pk]):
            turns[pk][turn][Letter(letter)] = order
    return {pk: one for pk, one in turns.items() if all(one)}
