"""Finds the orders that bots owe, and carries out the bots' answers; no queue is stored."""

from collections.abc import Set
from contextlib import suppress
from datetime import datetime
from random import SystemRandom
from typing import Any, NamedTuple

from games.core import Seat as Letter
from games.core import State
from games.fairness import dice
from games.players import PATIENCE, is_stuck
from robosite.bots.worker import AGREES, ORDER, Question
from robosite.engine.prepared import Prepared
from robosite.matches import flow
from robosite.matches.flow.orders import nonces_of
from robosite.matches.history import state_of, states_of
from robosite.matches.models import Match, Seat
from robosite.matches.seals import new_nonce

ALONE = 30
"""The number of turns that bots play on after the last person has left, before they agree on a draw."""

CHANCE = "chance"
"""The origin (`Program.by`) of a random order, which is sealed if a bot has found none."""

_chance = SystemRandom()


class Owed(NamedTuple):
    """A question to a bot; `nonce` goes into its order's seal and into its seed (`games/fairness.py`)."""

    key: str
    seat: Seat
    turn: int
    question: Question
    nonce: str
    taken_back: int


def changed_since(since: datetime | None) -> list[tuple[int, int, int]]:
    """The (pk, version, lane) of unfinished matches with bots changed since (None: all), oldest first."""
    return _lately.rows(since) if since else list(_going_on())


def _going_on(**more: Any) -> Any:
    matches = Match.objects.filter(seats__kind=Seat.Kind.BOT, status__in=flow.GOING_ON, **more)
    return matches.order_by("changed_at").values_list("pk", "version", "lane").distinct()


_lately = Prepared(lambda since: _going_on(changed_at__gte=since), datetime)
"""The prepared query of `changed_since`, which runs after every change of any match."""


def owed(pk: int) -> list[Owed]:
    """The questions that a match's bots must answer now; bots left alone for long offer draws instead."""
    match = flow.apply_due(Match.objects.get(pk=pk))
    standing = flow.standing_of(match)
    bots = {seat.at: seat for seat in standing.seats if seat.is_bot}
    for seat in bots.values():
        seat.match = match

    def asked(what: str, at: Letter) -> Owed:
        return _ask(what, match, bots[at], standing.state)

    found = [asked(ORDER, at) for at in standing.owing if at in bots]
    if match.status != Match.Status.PLAYING:
        return found
    still_in = standing.state.still_in() - standing.resigning
    people, silent = still_in - bots.keys(), still_in & bots.keys() - standing.draw_offers
    silent -= {at for at, seat in bots.items() if seat.draw_no == match.turn}
    if not people and _is_enough(standing, bots.keys()):
        for at in sorted(silent):
            flow.offer_draw(bots[at], offer=True)
        return []
    if people and (people <= standing.draw_offers or is_stuck(standing.state)):
        found += [asked(AGREES, at) for at in sorted(silent)]
    return found


def _is_enough(standing: flow.Standing, bots: Set[Letter]) -> bool:
    if len(bots) == len(standing.seats):
        return is_stuck(standing.state) or standing.match.turn >= PATIENCE
    states = states_of(standing.match)[: standing.match.turn + 1]
    return sum(1 for state in states if state.still_in() <= bots) > ALONE


def _ask(what: str, match: Match, seat: Seat, state: State) -> Owed:
    """Builds a question from no more than the seat's view of the position, and an unpredictable seed."""
    nonce = new_nonce()
    seed = dice([*nonces_of(seat, match.turn), nonce])
    question = Question(what, player=seat.player, seat=seat.at, view=state.view(seat.at), seed=seed)
    return Owed(match.key, seat, match.turn, question, nonce, match.taken_back)


def give(task: Owed, answer: Any, by: str = "") -> bool:
    """Seals a bot's order, or offers or declines a draw; False if the match has changed since the question.

    `by` says in the record who chose the order, "" for the bot. Raises IllegalOrder.
    """
    match = Match.objects.get(pk=task.seat.match_id)
    if match.turn != task.turn or state_of(match).view(task.seat.at) != task.question.view:
        return False  # it went on, or something was taken back
    if task.question.what == ORDER:
        return flow.seal_for_bot(
            task.seat,
            task.turn,
            str(answer),
            by=by or task.question.player,
            nonce=task.nonce,
            taken_back=task.taken_back,
        )
    if answer is True:
        flow.offer_draw(task.seat, offer=True)
    else:
        with suppress(flow.Refused):  # nobody may have offered anything
            flow.decline_ending(task.seat, flow.Ending.DRAW)
    return True


def give_any(task: Owed) -> bool:
    """Seals a random order if `task` asks for one; False if the match has changed since the question."""
    if task.question.what != ORDER:
        return True
    return give(task, task.question.view.sample(task.seat.at, _chance), by=CHANCE)
