"""Verification of the orders that bots played in a match: each order is computed again and compared.

A bot's order follows from its view and its dice (a random seed), and the dice follow from the nonces of its
seat's sealed orders, this one included. The seals, which everybody sees before the reveal, commit the bot to
its dice; until the reveal, only the site can compute the dice. Other versions of a bot are not verified.
"""

import hashlib
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from games.core import DRAW, RESIGN, IllegalOrder, Order, Seat, State, play_turn
from games.players import PLAYERS, version_of
from games.record import read, replay


def dice(nonces: Iterable[str]) -> int:
    """Returns the random seed for a bot's order, from the nonces of its seat's orders up to this one."""
    text = "\n".join(("robosite-dice/1", *nonces))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def check(data: Any) -> Iterator[dict[str, Any]]:
    """Verifies a record's bots; yields an object per wrong order and then a summary, or only an `error`."""
    replayed = replay(data)
    if replayed.fault:
        yield {"error": replayed.fault.as_json()}
        return
    record = read(data)
    if "seals" not in record.rest:
        yield {"error": {"message": "The record has no “seals”, and from them a bot's dice follow."}}
        return
    state, nonces = record.start(), dict[Seat, list[str]]()
    checked: dict[str, int] = {}
    others: dict[str, int] = {}
    for number, turn in enumerate(record.turns):
        orders = {Seat(seat): order for seat, order in turn.items()}
        for seat, order in sorted(orders.items()):
            if order in (RESIGN, DRAW):
                continue
            sealed = record.rest["seals"][number][seat]
            nonces.setdefault(seat, []).append(sealed["nonce"])
            bot = sealed.get("by")
            if not isinstance(bot, str) or bot not in PLAYERS:
                continue
            now = version_of(bot, record.game.slug)
            if sealed.get("version", now) != now:
                others[seat] = others.get(seat, 0) + 1
                continue
            checked[seat] = checked.get(seat, 0) + 1
            plays = _plays(state.view(seat), seat, bot, dice(nonces[seat]))
            if plays != order:
                yield {"turn": number, "seat": seat, "bot": bot, "order": order, "plays": plays}
        *_, state = play_turn(state, orders)
    yield {"checked": checked, **({"other_versions": others} if others else {})}


def _plays(view: State, seat: Seat, bot: str, seed: int) -> Order:
    try:
        return view.check(seat, PLAYERS[bot].order(view, seat, Random(seed)))
    except IllegalOrder:
        return ""
