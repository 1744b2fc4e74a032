"""Fifty strangers, each in a thread of their own, sit down at the last seat of an open table at once.

A program of its own, since it needs another database. It prints what came of it.
"""

from __future__ import annotations

import json

import django

from tests.faults.outcomes import at_once

STRANGERS = 50
"""Each needs a connection, and PostgreSQL takes a hundred, of others too."""


def main() -> dict[str, object]:
    django.setup()

    from games import newest
    from robosite.matches import flow
    from robosite.matches.models import Hold, Match, Seat
    from robosite.people.models import Guest

    game = newest("robble")
    match, _, _ = flow.create(game, game.read_options({}), 2, "Ann", listed=True)
    guests = [Guest.objects.create(name=f"Ben {number}") for number in range(STRANGERS)]

    def sit(number: int) -> str:
        try:
            flow.join(Match.objects.get(pk=match.pk), guests[number].name, guest=guests[number])
        except flow.Refused as refusal:
            return str(refusal)
        return "sits"

    answers = at_once(STRANGERS, sit)
    winner = guests[answers.index("sits")]
    seat = Seat.objects.get(match=match, letter="B")
    match.refresh_from_db()
    return {
        "sit": answers.count("sits"),
        "others are told": sorted(set(answers) - {"sits"}),
        "name": seat.name == winner.name,
        "holds": list(Hold.objects.filter(seat=seat).values_list("guest__name", flat=True)) == [winner.name],
        "status": match.status,
        "seats": Seat.objects.filter(match=match).count(),
    }


if __name__ == "__main__":
    print(json.dumps(main()))
