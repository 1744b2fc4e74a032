"""kill -9 while seals come in: what was acknowledged is kept, and whoever got no answer may ask again."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Barrier, Event

import httpx
import pytest

from games.record import replay
from tests.faults.programs import PATIENCE, Match, Site
from tests.servers import Server

MATCHES = 6
MOVES = ("^", "v", "\\", "/", "TL", "TR")
"""Commands that hurt nobody, so that any five are a program in every round."""


@dataclass
class Played:
    """The orders that one match's players have sent, with the seals that were acknowledged."""

    match: Match
    sent: dict[tuple[int, str], str] = field(default_factory=dict)
    told: dict[tuple[int, str], str] = field(default_factory=dict)

    def seal(self, site: Site, seat: str, turn: int, chance: random.Random) -> None:
        order = self.sent.setdefault((turn, seat), " ".join(chance.choices(MOVES, k=5)))
        answer = site.seal(self.match, seat, order, turn)
        assert answer.status_code == 200, answer.text
        receipt = answer.json()
        assert (receipt["turn"], receipt["seat"], receipt["order"]) == (turn, seat, order)
        assert self.told.setdefault((turn, seat), receipt["seal"]) == receipt["seal"]


def play_until_dead(url: str, played: Played, begun: Barrier, stop: Event, chance: random.Random) -> None:
    with Site(url) as site:
        turn = site.see(played.match)["turn"]
        begun.wait(PATIENCE)
        try:
            while not stop.is_set():
                for seat in chance.sample("AB", 2):
                    played.seal(site, seat, turn, chance)
                turn += 1
        except httpx.TransportError:
            assert stop.is_set()  # nobody but this test ends the server


def nothing_is_lost(site: Site, played: Played, chance: random.Random) -> None:
    match = played.match
    # The same requests again, those without an answer too; first the old ones, then what is owed now.
    for (turn, seat), _ in sorted(played.sent.items())[-6:]:
        played.seal(site, seat, turn, chance)
    seen = site.see(match)
    assert seen["status"] == "playing"
    for (turn, seat), seal in played.told.items():
        assert seen["seals"][turn][seat] == seal
    # Not stuck: another round can be played.
    turn = seen["turn"]
    for seat in seen["to_act"]:
        played.seal(site, seat, turn, chance)
    assert site.see(match)["turn"] == turn + 1
    record = site.record(match)
    assert replay(record).fault is None
    for (number, seat), seal in played.told.items():
        assert record["seals"][number][seat]["seal"] == seal
        assert record["turns"][number][seat] == played.sent[number, seat]


@pytest.mark.parametrize(
    "kills", [pytest.param(6, marks=pytest.mark.more), pytest.param(20, marks=pytest.mark.slow)]
)
def test_a_killed_server_loses_nothing_that_it_acknowledged(tmp_path: Path, kills: int) -> None:
    seed = random.randrange(1_000_000)
    print("seed", seed)  # shown if this fails; the moments are still never quite the same
    chance = random.Random(seed)
    server = Server(tmp_path).start()
    try:
        with Site(server.url) as site:
            matches = [Played(site.make()) for _ in range(MATCHES)]
        for _ in range(kills):
            begun, stop = Barrier(MATCHES + 1), Event()
            with ThreadPoolExecutor(MATCHES) as threads:
                players = [
                    threads.submit(
                        play_until_dead, server.url, one, begun, stop, random.Random(chance.random())
                    )
                    for one in matches
                ]
                begun.wait(PATIENCE)
                Event().wait(chance.uniform(0.05, 0.6))
                stop.set()
                server.kill()
            for player in players:
                player.result()
            server = Server(tmp_path, prepare=False).start()
            with Site(server.url) as site:
                for one in matches:
                    nothing_is_lost(site, one, chance)
    finally:
        server.stop()
    told = sum(len(one.told) for one in matches)
    print("kills", kills, "seals acknowledged", told)
    assert told > kills * MATCHES
