"""A program that plays all games of a Robosite with one token, by chance; needs httpx, and bot.py beside it.

`python program.py https://SITE NAME` gives it a name and prints its token, once; with that in ROBOSITE_TOKEN
`python program.py https://SITE` plays wherever it is invited, and agrees to whatever is proposed.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import httpx
from bot import ask, order_of  # type: ignore[import-not-found]


def act(site: httpx.Client, key: str, choose: Callable[..., str]) -> None:
    """Sits down where it is invited, agrees to what others propose, or plays if it is to play."""
    match = ask(site, "GET", f"{(at := 'matches/' + key)}?legal=1")
    proposed = next((one["kind"] for one in match["proposals"] if "accept" in one["may"]), None)
    if match["you"] is None:
        ask(site, "POST", f"{at}/seats", {})
    elif proposed == "rematch":
        ask(site, "POST", f"{at}/rematch")
    elif proposed:
        seen = {name: match[name] for name in ("turn", "taken_back")}
        ask(site, "POST", f"{at}/proposals", {"kind": proposed, "do": "accept", **seen})
    elif match["status"] == "playing" and match["you"] in match["to_act"]:
        ask(site, "PUT", f"{at}/order", {"turn": match["turn"], "order": choose(site, at, match)})


def events(site: httpx.Client) -> Iterator[str]:
    """The match of each event, in all its matches; comes back with the last id when the stream ends."""
    last = {"Last-Event-ID": ""}
    while True:
        with suppress(httpx.TransportError), site.stream("GET", "me/events", headers=last) as stream:
            for line in stream.iter_lines():
                if line.startswith("id: "):
                    last["Last-Event-ID"] = line[4:]
                elif line.startswith("data: "):
                    yield json.loads(line[6:])["match"]
        time.sleep(0.5 + time.time() % 1)  # not all programs at once


def run(url: str, token: str, games: list[str], choose: Callable[..., str] = order_of) -> None:
    """Plays for ever: these games, wherever people invite it to one."""
    with httpx.Client(base_url=f"{url}/api/v1/", timeout=60) as site:
        site.headers["Authorization"] = f"Bearer {token}"
        ask(site, "PUT", "me", {"takes": games})
        for key in events(site):
            with suppress(httpx.HTTPStatusError):  # such as 409: the match has moved on meanwhile
                act(site, key, choose)


if __name__ == "__main__":
    if token := os.environ.get("ROBOSITE_TOKEN"):
        run(sys.argv[1], token, ["pigs", "robble", "robosoccer", "roboxing"])
    else:
        print(httpx.post(f"{sys.argv[1]}/api/v1/programs", json={"name": sys.argv[2]}).json()["token"])
