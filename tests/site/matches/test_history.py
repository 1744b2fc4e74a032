"""Positions are replayed from what was committed, never from what was rolled back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from games import newest
from robosite.matches import flow
from robosite.matches.history import state_of, turns_of
from robosite.matches.models import Match, Program


@pytest.mark.django_db(transaction=True)
def test_a_turn_that_was_rolled_back_is_forgotten() -> None:
    pigs = newest("pigs")
    match, alice, invite = flow.create(pigs, pigs.read_options({}), 2, "Alice", deadline_hours=1, late="fill")
    bob = flow.join(match, "Bob", invite=invite)
    over = timezone.now() - timedelta(minutes=1)
    Match.objects.filter(pk=match.pk).update(deadline=over, due=over)
    with pytest.raises(flow.Refused, match="deadline decides"):
        flow.claim(alice.seat, bob.seat)  # plays the overdue turn by chance, looks at it, and takes it back
    match.refresh_from_db()
    assert match.turn == 0
    flow.apply_due(match)
    match.refresh_from_db()
    assert match.turn == 1
    stored = {program.seat.at: program.order for program in Program.objects.filter(turn=0)}
    assert turns_of(match)[0] == stored
    assert state_of(match).turn == 1
