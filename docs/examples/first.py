"""A first program for a Robosite: one match by chance against a friend; needs httpx.

`python first.py https://SITE pigs` makes a match of that game, and prints the link for the friend and that of
the match.
"""

import random
import sys
import time
from typing import Any

import httpx


def order_of(site: httpx.Client, at: str, match: dict[str, Any]) -> str:
    """Some legal order: from the list, or made choice by choice until nothing is missing."""
    if match["legal"]:
        return str(random.choice(match["legal"]))
    order, seen = "", {""}
    while True:
        asked = {"turn": match["turn"], "order": order}
        plan = site.post(f"{at}/plan", json=asked).raise_for_status().json()
        if plan["missing"] is None:
            return str(plan["order"])
        after = {one["order"] for one in plan["choices"] if not one["why_not"]} - seen
        order = random.choice(sorted(after)) if after else ""
        seen.add(order)


def play(url: str, game: str) -> None:
    with httpx.Client(base_url=f"{url}/api/v1/", timeout=60) as site:
        made = site.post("matches", json={"game": game, "name": "First"}).raise_for_status().json()
        print(made["join_url"], made["url"], flush=True)
        site.headers["Authorization"] = f"Bearer {made['token']}"
        at = f"matches/{made['match']}"
        while (match := site.get(f"{at}?legal=1").raise_for_status().json())["outcome"] is None:
            if made["seat"] in match["to_act"]:
                seen = {"turn": match["turn"], "taken_back": match["taken_back"]}
                order = {"order": order_of(site, at, match), **seen}
                answer = site.put(f"{at}/order", json=order)
                if answer.status_code != 409:  # then a turn was taken back in the meantime: look again
                    answer.raise_for_status()
            time.sleep(1)
        print(match["outcome"])


if __name__ == "__main__":
    play(sys.argv[1], sys.argv[2])
