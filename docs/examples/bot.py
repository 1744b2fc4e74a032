"""A robot that plays any game of a Robosite, by chance; needs httpx.

`python bot.py https://SITE pigs` makes a match and prints the link for whoever plays against it;
`python bot.py https://SITE KEY INVITE` sits down in a match.
"""

import random
import sys
import time
import uuid
from typing import Any

import httpx

DRAW_AFTER = 100
"""From this turn on it offers a draw, so that no match lasts for ever."""


def ask(site: httpx.Client, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """One call: again after a pause where the site is down or busy; the key keeps it from acting twice.

    None where the match has moved on meanwhile (409): then one looks at it again.
    """
    key = {"Idempotency-Key": str(uuid.uuid4())} if method != "GET" else {}
    while True:
        try:
            answer = site.request(method, path, json=body, headers=key)
        except httpx.TransportError:
            time.sleep(1)
            continue
        if answer.status_code == 409:
            return None
        if answer.status_code not in (429, 503):
            return answer.raise_for_status().json()
        time.sleep(int(answer.headers["Retry-After"]))


def order_of(site: httpx.Client, at: str, match: dict[str, Any]) -> str:
    """Some legal order: from the list, or made choice by choice until nothing is missing."""
    if match["legal"]:
        return str(random.choice(match["legal"]))
    order, seen = "", {""}
    while True:
        planned = ask(site, "POST", f"{at}/plan", {"turn": match["turn"], "order": order})
        if planned is None:
            return order
        if planned["missing"] is None:
            return str(planned["order"])
        after = {one["order"] for one in planned["choices"] if not one["why_not"]} - seen
        order = random.choice(sorted(after)) if after else ""
        seen.add(order)


def play(url: str, seated: dict[str, Any], draw_after: int = DRAW_AFTER) -> Any:
    """Plays the seat of an answer to making or joining until the match is over; gives the outcome."""
    seat, at = seated["seat"], f"matches/{seated['match']}"
    with httpx.Client(base_url=f"{url}/api/v1/", timeout=60) as site:
        site.headers["Authorization"] = f"Bearer {seated['token']}"
        while (match := ask(site, "GET", f"{at}?legal=1"))["status"] in ("open", "playing"):
            if match["turn"] >= draw_after and seat not in match["draws"]:
                ask(site, "POST", f"{at}/draw", {"offer": True})
            elif seat in match["to_act"]:
                ask(site, "PUT", f"{at}/order", {"turn": match["turn"], "order": order_of(site, at, match)})
            else:
                time.sleep(0.2 + random.random())
        return match["outcome"]


def main(url: str, where: str, invite: str = "") -> None:
    with httpx.Client(base_url=f"{url}/api/v1/", timeout=60) as site:
        if invite:
            seated = ask(site, "POST", f"matches/{where}/seats", {"name": "Chance", "invite": invite})
        else:
            seated = ask(site, "POST", "matches", {"game": where, "name": "Chance"})
            print("Play against it:", seated["join_url"])
    print(play(url, seated))


if __name__ == "__main__":
    main(*sys.argv[1:])
