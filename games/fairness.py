"""Verification that a match's bots played their own orders: each order is computed a second time.

An order follows from the bot's view and its dice. Resignations, draws and the orders of another version of a
bot cannot be checked.

A bot's dice for an order follow from the nonces of all sealed orders of its seat, up to and including this
order. The seals, which everybody saw at the time, commit the bot to these nonces and so to its dice. As long
as one of these orders is hidden, only the site can compute the dice, which would give away something about
that order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from games.core import DRAW, RESIGN, IllegalOrder, Order, Seat, State, play_turn
from games.players import PLAYERS, version_of
from games.record import read, replay


def dice(nonces: Iterable[str]) -> int:
    """Returns the seed of a bot's dice for an order.

    `nonces` are the nonces of the bot's seat, from the first sealed order up to and including this order.
    """
    text = "\n".join(("robosite-dice/1", *nonces))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def check(data: Any) -> Iterator[dict[str, Any]]:
    """Yields a JSON object for each order that its bot would not have played, then one object with counts.

    The last object has, by seat, the number of orders that were checked (`checked`). It also has, by seat,
    the number of orders by another version of a bot, which cannot be checked (`other_versions`); this key is
    left out if there are none. If the record is faulty or has no seals, the only object has the `error`.
    """
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
    """Returns the order that a bot chooses for `seat`, in canonical form.

    Returns "" if the rules refuse that order; in a match, the site then plays another order.
    """
    try:
        return view.check(seat, PLAYERS[bot].order(view, seat, Random(seed)))
    except IllegalOrder:
        return ""
