"""A program that plays all games of a Robosite by chance, with one token; needs httpx.

`python bot.py https://SITE NAME` gives it a name and prints its token, once; with that in ROBOSITE_TOKEN
`python bot.py https://SITE` plays wherever it is invited, and agrees to whatever is proposed.
"""

import json
import os
import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx


def ask(site: httpx.Client, method: str, path: str, body: Any = None) -> Any:
    """One call; again after a pause while the site is down or busy."""
    while True:
        pause = 1 + random.random()
        with suppress(httpx.TransportError):
            answer = site.request(method, path, json=body)
            if answer.status_code not in (429, 503):
                return answer.raise_for_status().json()
            pause = int(answer.headers["Retry-After"])
        time.sleep(pause)


def order_of(site: httpx.Client, at: str, match: dict[str, Any]) -> str:
    """Some legal order: from the list, or made choice by choice until nothing is missing."""
    order, seen = "", {""}
    while not match["legal"]:
        plan = ask(site, "POST", f"{at}/plan", {"turn": match["turn"], "order": order})
        if plan["missing"] is None:
            return str(plan["order"])
        after = {one["order"] for one in plan["choices"] if not one["why_not"]} - seen
        order = random.choice(sorted(after)) if after else ""
        seen.add(order)
    return str(random.choice(match["legal"]))


def act(site: httpx.Client, at: str, choose: Callable[..., str]) -> None:
    """Sits down where it is invited, agrees to what others propose, or plays if it is to play."""
    match = ask(site, "GET", f"{at}?legal=1")
    proposed = [one["kind"] for one in match["proposals"] if "accept" in one["may"]]
    seen = {name: match[name] for name in ("turn", "taken_back")}  # 409 if a turn was taken back since
    if match["you"] is None:
        ask(site, "POST", f"{at}/seats", {})
    elif "rematch" in proposed:
        ask(site, "POST", f"{at}/rematch")
    elif proposed:
        ask(site, "POST", f"{at}/proposals", {"kind": proposed[0], "do": "accept", **seen})
    elif match["you"] in match["to_act"]:
        ask(site, "PUT", f"{at}/order", {"order": choose(site, at, match), **seen})


def run(url: str, token: str, games: list[str], choose: Callable[..., str] = order_of) -> None:
    """Plays for ever: these games, wherever people invite it to one."""
    own, last = {"Authorization": f"Bearer {token}"}, ""
    with httpx.Client(base_url=f"{url}/api/v1/", headers=own, timeout=60) as site:
        ask(site, "PUT", "me", {"takes": games})
        while True:
            with (
                suppress(httpx.TransportError),
                site.stream("GET", "me/events", headers={"Last-Event-ID": last}) as stream,
            ):
                for field, _, value in (line.partition(": ") for line in stream.iter_lines()):
                    last = value if field == "id" else last
                    if field == "data":
                        with suppress(httpx.HTTPStatusError):  # such as 409: the match has moved on
                            act(site, f"matches/{json.loads(value)['match']}", choose)
            time.sleep(1 + random.random())  # not all programs at once


if __name__ == "__main__":
    if token := os.environ.get("ROBOSITE_TOKEN"):
        run(sys.argv[1], token, ["pigs", "robble", "robosoccer", "roboxing"])
    else:
        print(httpx.post(f"{sys.argv[1]}/api/v1/programs", json={"name": sys.argv[2]}).json()["token"])
