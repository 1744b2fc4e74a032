"""Selects the most dramatic steps of a finished match, by the scores that its game gives to events."""

from collections.abc import Iterator
from typing import NamedTuple

from games.core import State, highlight
from robosite.matches.history import ENDED_WITHOUT_PLAY, film
from robosite.matches.models import Match
from robosite.web.caches import once_made

PANELS = 4
SEARCHED = 120
"""The most turns that are searched: the last of the match."""
DECIDING = 8
"""The extra score of a step that ended the match by play, not by resignation or agreement."""
TOLD, BESIDE = 2, 3
"""The most events that describe a step; each has at least 1/BESIDE of the best event's score."""
SIZE = 200
"""The size of a step, as the cache counts it."""
LEVELS, MOST_LEVELS = "▁▂▃▄▅▆▇", 14
"""The signs of which a match's `course` consists, from calm to dramatic, and the most signs in one."""


class Highlight(NamedTuple):
    """A dramatic step; turn and step count from 0, `events` are the indices of the best events."""

    turn: int
    step: int
    score: int
    events: tuple[int, ...]


def highlights(match: Match) -> tuple[Highlight, ...]:
    """The 1 to PANELS most dramatic steps, in order of play; a turn gets a second one only to fill up."""
    ranked = sorted(_all(match), key=lambda one: (-one.score, -one.turn, -one.step))
    turns: dict[int, Highlight] = {}
    for one in ranked:
        turns.setdefault(one.turn, one)
    firsts = list(turns.values())
    chosen = [*firsts, *(one for one in ranked if one not in firsts)][:PANELS]
    return tuple(sorted(chosen)) or (_last(match),)


def course(match: Match) -> str:
    """A line such as “▁▃▂▅▁▇” of how dramatic each turn was, or each few turns; "" if nothing was."""
    first = max(match.turn - SEARCHED, 0)
    scores = [0] * (match.turn - first)
    for one in _all(match):
        scores[one.turn - first] += one.score
    wide = -(-len(scores) // MOST_LEVELS) or 1
    bars = [max(scores[n : n + wide]) for n in range(0, len(scores), wide)]
    most = max(bars, default=0)
    return "".join(LEVELS[(len(LEVELS) - 1) * bar // most] for bar in bars) if most else ""


def best(match: Match) -> Highlight:
    """The most dramatic step of a finished match; of steps with equal scores, the last one."""
    return max(highlights(match), key=lambda one: (one.score, one.turn, one.step))


def _all(match: Match) -> list[Highlight]:
    key = ("dramatic", match.key, match.taken_back, match.turn)
    return once_made(key, lambda: list(_find(match)), lambda found: SIZE * len(found) + SIZE)


def _find(match: Match) -> Iterator[Highlight]:
    for turn in range(max(match.turn - SEARCHED, 0), match.turn):
        _before, *steps = film(match, turn)
        for number, state in enumerate(steps, 1):
            one = _judged(state, turn, number)
            if one.score:
                yield one


def _judged(state: State, turn: int, number: int) -> Highlight:
    decides = state.ended is not None and state.ended.reason not in ENDED_WITHOUT_PLAY
    score = sum(highlight(state, event) for event in state.events) + DECIDING * decides
    sentences = telling(state, BESIDE) or list(range(len(state.events)))
    return Highlight(turn, number, score, tuple(sorted(sentences[:TOLD])))


def telling(state: State, beside: int = 1) -> list[int]:
    """The indices of the most dramatic events, best first: with at least 1/`beside` of the highest score."""
    scores = [highlight(state, event) for event in state.events]
    best = max(scores, default=0)
    special = [n for n, score in enumerate(scores) if score and score * beside >= best]
    return sorted(special, key=lambda n: -scores[n])


def _last(match: Match) -> Highlight:
    *_, last = states = film(match, match.turn - 1)
    return _judged(last, match.turn - 1, len(states) - 1)
