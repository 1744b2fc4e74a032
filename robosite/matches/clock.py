"""The clock: a loop that applies overdue deadlines and seat hand-overs; two processes may run it at once."""

import asyncio
import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from time import monotonic

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import OperationalError, close_old_connections
from django.utils import timezone

from robosite.matches import figures, flow, key_check, missing_keys
from robosite.matches.flow import pauses
from robosite.matches.models import Match
from robosite.matches.seals import KeyMissing
from robosite.matches.site_models import ProcessHeartbeat
from robosite.people.current_guest import forget_step_of_oldest
from robosite.web.later import on_thread
from robosite.web.logs import Outage

STEPS, BREATH = 20, 0.2
"""The most steps of long jobs in one round of the clock, and the least pause in seconds after each."""
MOST_AT_ONCE = 100
"""Overdue matches that the clock reads at once, before it handles them one by one."""
PAUSE_FACTOR = 2
"""The pause after each match or step, in which requests are answered, as a multiple of the time it took."""

log = logging.getLogger("robosite")
_keyless = Outage(log, "a key of SEAL_KEYS is missing: the clock rests", "the clock has all keys again")
_told: set[int] = set()

Step = Callable[[], bool]
more_steps: list[Step] = []
"""Functions, added by apps above, that do one step of a long job and return True, or False without work."""


class _Rest:
    """The pause between two rounds of this process's clock, which `wake` ends; both None without a clock."""

    loop: asyncio.AbstractEventLoop | None = None
    over: asyncio.Event | None = None


def wake() -> None:
    """Lets this process's clock, if it has one, begin its next round now."""
    if _Rest.loop and _Rest.over and not _Rest.loop.is_closed():
        _Rest.loop.call_soon_threadsafe(_Rest.over.set)


def due_matches(most: int, without: Collection[int] = ()) -> list[Match]:
    """Returns up to `most` matches, longest overdue first; stores that the site is up. Raises KeyMissing."""
    key_check.require()
    flow.give_time_back(timezone.now(), alive=True)
    now = timezone.now()
    found: dict[int, Match] = {}
    for column in ("due", "handover_at"):  # asked one by one, each by its index: of both, SQLite reads all
        late = Match.objects.filter(**{f"{column}__lte": now}).exclude(pk__in=without)
        found |= {match.pk: match for match in late.order_by(column, "pk")[:most]}
    since = {match.pk: min(at for at in (match.due, match.handover_at) if at) for match in found.values()}
    return sorted(found.values(), key=lambda match: (since[match.pk], match.pk))[:most]


def move_on(match: Match) -> bool:
    """Applies what is due to a match; True unless that fails, which it logs (a missing key once a match)."""
    try:
        flow.apply_due(match)
    except KeyMissing as missing:
        if match.pk not in _told:
            _told.add(match.pk)
            log.error("the clock leaves match %s as it is: none of SEAL_KEYS opens %s", match.key, missing)
        return False
    except Exception:
        log.exception("the clock cannot move match %s on", match.key)
        return False
    return True


async def move_all_on() -> None:
    """Calls `move_on` for all overdue matches, with pauses; one that fails waits for the next call."""
    failed: set[int] = set()
    while matches := await sync_to_async(due_matches)(MOST_AT_ONCE, failed):
        for match in matches:
            began = monotonic()
            if not await on_thread(partial(move_on, match)):
                failed.add(match.pk)
            await asyncio.sleep(PAUSE_FACTOR * (monotonic() - began))


def step() -> bool:
    """Does one step of the first long job that has work to do; returns True if there was one."""
    return any(one() for one in (pauses.set_some, forget_step_of_oldest, figures.step, *more_steps))


async def _do_steps() -> None:
    """Does up to STEPS steps of long jobs; if there may be more, the next round follows without a rest."""
    for _ in range(STEPS):
        began = monotonic()
        if not await on_thread(step):
            return
        await asyncio.sleep(max(BREATH, PAUSE_FACTOR * (monotonic() - began)))
    wake()


async def _rest() -> None:
    assert _Rest.over
    with suppress(TimeoutError):
        await asyncio.wait_for(_Rest.over.wait(), settings.CLOCK_SECONDS)
    _Rest.over.clear()


async def run() -> None:
    """Logs missing keys, then does the clock's rounds, CLOCK_SECONDS apart or when woken, until cancelled."""
    _Rest.loop, _Rest.over = asyncio.get_running_loop(), asyncio.Event()
    try:
        await sync_to_async(missing_keys.warn)()
    except Exception:
        log.exception("it could not be seen whether keys are missing")
    while True:
        try:
            await sync_to_async(close_old_connections)()  # as before a request: the database may have gone
            await move_all_on()
            await _do_steps()
            await sync_to_async(ProcessHeartbeat.beat)("clock")
            _keyless.end()
        except KeyMissing as missing:
            _keyless.begin(missing)
        except OperationalError as fault:  # locked or away: the next round does it
            log.warning("the clock missed a look at the time: %s", fault)
        except Exception:
            log.exception("the clock missed a look at the time")
        await _rest()
