"""P14 as players meet it: a race in which stars count the hits."""

from __future__ import annotations

from robosite.matches.models import Match
from tests.site.browsers import Browser, Table, text


def race(alice: Browser, bob: Browser, charlie: Browser) -> Table:
    """Alice has landed four hits, Bob none."""
    seat = alice.post("/matches/", {"game": "pigs", "name": "Alice", "preset": "kids"})["Location"]
    match = Match.objects.get(key=seat.split("/")[2])
    invite = alice.links(match.seats.get(host=True))["invite"]
    bob.join(invite)
    table = Table(match.key, alice, bob, charlie, invite)
    table.play(("\\ F F F F", "v v v v v"))
    return table


def test_p14_the_page_shows_the_hits_of_everybody(alice: Browser, bob: Browser, charlie: Browser) -> None:
    table = race(alice, bob, charlie)
    mine, watched = text(alice.get(table.a.get_absolute_url())), text(charlie.get(f"/m/{table.key}/"))
    for page, landed in ((mine, "You’ve landed"), (watched, "Alice has landed")):
        assert page.count("4 of 5 hits") >= 2 and page.count("0 of 5 hits") >= 1
        players = page.partition('id="players"')[2].partition("</ul>")[0]
        assert players.count('href="#star"') == 10 and players.count("reached") == 4
        assert f"{landed} 4 of 5 hits." in page and "Bob has been hit 4 times so far." in page
        assert "damage now" not in page and "pig-hurt-1" in page
    assert "Your hits:" in text(alice.get(table.a.get_absolute_url()))
    told = "Alice hat 4 von 5 Treffern."
    assert told in text(charlie.get(f"/m/{table.key}/", HTTP_ACCEPT_LANGUAGE="de"))


def test_p14_the_api_tells_the_hits_and_who_was_first(alice: Browser, bob: Browser, charlie: Browser) -> None:
    table = race(alice, bob, charlie)
    seen = charlie.get(f"/api/v1/matches/{table.key}").json()
    assert seen["position"] == "A=e7S0+4 B=e1N4+0"
    assert [event["hits"] for event in seen["events"][0] if event["kind"] == "scored"] == [1, 2, 3, 4]
    table.play(("F TL TL TL TL", "TL TL TL TL TL"))
    over = charlie.get(f"/api/v1/matches/{table.key}").json()
    assert over["outcome"] == {"scores": {"A": 1, "B": 0}, "reason": "five hits"}
    page = text(charlie.get(f"/m/{table.key}/"))
    assert "Alice has landed 5 hits!" in page and "is destroyed!" not in page


def test_p14_without_a_race_nobody_has_stars(alice: Browser, bob: Browser, charlie: Browser) -> None:
    answer = alice.post(
        "/matches/",
        {
            "game": "pigs",
            "name": "Alice",
            "preset": "mix",
            "option-damage_moves": "false",
            "option-ends": "last_standing",
        },
    )
    page = text(alice.get(answer["Location"]))
    assert 'href="#star"' not in page and "of 5 hits" not in page
