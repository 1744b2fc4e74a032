"""Ending a match, together or not: what is agreed, what follows, and what each is told of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.test import Client

from games import newest
from games.pigs.options import Options
from games.roboxing.robot import PLAIN
from robosite.matches import flow
from robosite.matches.flow import Ending, Refused
from robosite.matches.history import state_of
from robosite.matches.models import Match, Seat
from robosite.play.match_stages import IDLE
from tests.site.browsers import FIRST, MORE_SHOTS, OTHER, SHOTS, Browser, Table, sit_down, text


def seen(browser: Browser, seat: Seat, more: str = "") -> str:
    return text(browser.get(f"{seat.get_absolute_url()}{more}"))


def test_a_fight_in_which_nothing_happens_says_so_beside_a_draw(boxing: Table) -> None:
    boxing.play((PLAIN, PLAIN), *[("-", "-")] * (IDLE - 1))
    assert "No lasting change" not in seen(boxing.alice, boxing.a)
    boxing.play(("-", "-"))
    assert f"No lasting change in {IDLE} turns" in seen(boxing.alice, boxing.a)
    boxing.alice.do(boxing.a, "draw", offer="1")
    assert "No lasting change" not in seen(boxing.alice, boxing.a)
    asked = seen(boxing.bob, boxing.b)
    assert "Alice offers a draw" in asked and "No lasting change" not in asked


def test_among_three_other_words_are_true(three: Table) -> None:
    shown = seen(three.alice, three.a, "more/")
    for words in (
        "If Bob and Dora agree, it’s a draw, and you share the point.",
        "If you resign, you’re out at once, and Bob and Dora play on.",
    ):
        assert words in shown
    flow.resign(three.seat("C"))
    flow.seal(three.a, 0, FIRST)
    flow.seal(three.b, 0, FIRST)
    assert "If you resign, Bob wins at once." in seen(three.alice, three.a, "more/")
    assert "Resign" not in text(Browser("Dora").get(f"{three.a.get_absolute_url()}more/"))


@pytest.mark.parametrize(
    ("deed", "heading"), [("draw", "Alice offers a draw"), ("call-off", "Alice asks to cancel")]
)
def test_an_offer_is_a_box_for_the_other_and_nobody_else(table: Table, deed: str, heading: str) -> None:
    assert heading not in seen(table.bob, table.b)
    table.alice.do(table.a, deed, offer="1")
    assert heading in seen(table.bob, table.b) and heading not in seen(table.alice, table.a)
    watched = text(table.charlie.get(f"/m/{table.key}/"))
    assert heading not in watched
    assert ("offers a draw" if deed == "draw" else "asks to cancel") in watched


def test_g3_resignations_and_offers_of_a_draw_are_public_at_once(three: Table) -> None:
    flow.seal(three.a, 0, FIRST)
    flow.offer_draw(three.a, offer=True)
    flow.resign(three.seat("C"))
    assert three.match.turn == 0
    for shown in (seen(three.bob, three.b), text(three.charlie.get(f"/m/{three.key}/"))):
        assert "offers a draw" in shown and "resigns" in shown and FIRST not in shown


def test_called_off_by_all_it_ends_and_nobody_has_won(table: Table) -> None:
    flow.seal(table.b, 0, OTHER)
    table.alice.do(table.a, "call-off", offer="1")
    assert table.match.status == "playing"
    table.bob.do(table.b, "call-off", offer="1")
    assert (table.match.status, table.match.outcome) == ("aborted", None)
    assert "cancelled" in seen(table.alice, table.a)
    assert flow.draft_of(table.match, table.b) == OTHER  # what was sealed stays Bob's own


@pytest.mark.parametrize("ending", Ending)
def test_declined_it_goes_on_and_the_offer_stands(table: Table, ending: Ending) -> None:
    flow.offer_ending(table.a, ending, offer=True)
    version = table.match.version
    assert "You’ve" in status(seen(table.alice, table.a)) and "You’ve" not in status(seen(table.bob, table.b))
    flow.decline_ending(table.b, ending)
    flow.decline_ending(table.b, ending)
    assert table.match.version == version + 1
    assert "You’ve" not in status(seen(table.alice, table.a))
    deed = {"draw": "draw", "off": "call-off"}[ending]
    assert f'offer-{deed}"' not in seen(table.bob, table.b)
    assert "Bob declined." in seen(table.alice, table.a)
    menu = seen(table.alice, table.a, "more/")
    assert menu.count("Bob declined, but can still agree.") == 1 and menu.count("If Bob agrees, it") == 1
    assert flow.offer_stands(table.a, table.match, ending)
    table.play((FIRST, OTHER))
    flow.offer_ending(table.a, ending, offer=True)  # asked again in another round, it is asked again
    assert f'offer-{deed}"' in seen(table.bob, table.b)
    flow.decline_ending(table.b, ending)
    flow.offer_ending(table.b, ending, offer=True)  # Bob may still come to agree
    assert table.match.status in ("over", "aborted")


@pytest.mark.parametrize("ending", Ending)
def test_an_offer_stands_until_the_next_turn_has_been_played(table: Table, ending: Ending) -> None:
    flow.offer_ending(table.a, ending, offer=True)
    table.play((FIRST, OTHER))
    assert flow.offer_stands(table.a, table.match, ending)
    table.play((OTHER, OTHER))
    assert not flow.offer_stands(table.a, table.match, ending)
    flow.offer_ending(table.b, ending, offer=True)
    assert table.match.status == "playing"


def test_nothing_can_be_declined_that_nobody_offers_nor_agreed_on_before_and_after(
    alice: Browser, table: Table
) -> None:
    seat: Any = alice.make().seats.get(letter="A")
    with pytest.raises(Refused, match="hasn’t begun"):
        flow.offer_ending(seat, Ending.OFF, offer=True)
    flow.offer_draw(table.a, offer=True)
    for seat, ending in ((table.a, Ending.DRAW), (table.b, Ending.OFF)):
        with pytest.raises(Refused, match="No one is offering"):
            flow.decline_ending(seat, ending)
    flow.resign(table.a)
    with pytest.raises(Refused, match="is over"):
        flow.offer_ending(table.b, Ending.OFF, offer=True)


class Ends(NamedTuple):
    """A case: what stands before somebody leaves, and the result: "playing", "aborted", or the winner."""

    wishes: str
    """The wishes, each after its seat: `A off B draw`."""
    go: str
    """The seats that leave, one after the other."""
    end: str


OF_TWO = [
    Ends("", "B", "A"),
    Ends("A off", "B", "A"),
    Ends("A draw", "B", "A"),
    Ends("A off B draw", "B", "A"),
    Ends("A draw B off", "B", "A"),
    Ends("A off B no", "B", "A"),
]
OF_THREE = [
    Ends("", "C", "playing"),
    Ends("A off", "C", "playing"),
    Ends("A draw B draw", "C", "playing"),  # G2: a draw by some only is none
    Ends("A off B off", "C", "aborted"),  # all who are left want it, and there are two of them
    Ends("A off", "CB", "A"),
    Ends("A draw", "CB", "A"),
    Ends("A off A draw B draw", "CB", "A"),
    Ends("B off C off", "CB", "A"),
]


def wish(seats: Callable[[str], Seat], wishes: str) -> None:
    words = wishes.split()
    for letter, what in zip(words[::2], words[1::2], strict=True):
        if what == "no":
            flow.decline_ending(seats(letter), Ending.OFF)
        else:
            flow.offer_ending(seats(letter), Ending(what), offer=True)


def ended(match: Match) -> str:
    if match.outcome is None:
        return str(match.status)
    return "".join(seat for seat, share in match.outcome.scores.items() if share == 1)


@pytest.mark.parametrize("case", OF_TWO, ids=str)
@pytest.mark.parametrize("played", [0, 2])
def test_of_two_who_resigns_has_lost_whatever_was_wished(table: Table, case: Ends, played: int) -> None:
    table.play(*[(FIRST, OTHER)] * played)
    wish(table.seat, case.wishes)
    flow.resign(table.seat(case.go))
    assert ended(table.match) == case.end
    assert table.match.outcome and table.match.outcome.reason == "resigned"


@pytest.mark.parametrize("case", OF_THREE, ids=str)
@pytest.mark.parametrize("sealed", [False, True])
def test_of_three_a_wish_ends_it_only_if_two_are_left_who_share_it(
    three: Table, case: Ends, sealed: bool
) -> None:
    wish(three.seat, case.wishes)
    if sealed:
        flow.seal(three.a, 0, OTHER)
    for letter in case.go:
        flow.resign(three.seat(letter))
    assert ended(three.match) == case.end


@pytest.mark.parametrize("late", ["claim", "forfeit"])
@pytest.mark.parametrize("case", [case for case in OF_TWO if "no" not in case.wishes], ids=str)
def test_so_does_who_is_claimed_or_late_in_a_match_with_forfeits(time: Any, late: str, case: Ends) -> None:
    match, taken, invite = flow.create(newest("pigs"), Options(), 2, "Alice", deadline_hours=24, late=late)
    flow.join(match, "Bob", invite=invite)
    seats = {seat.letter: seat for seat in match.seats.all()}
    wish(lambda letter: match.seats.select_related("match").get(letter=letter), case.wishes)
    flow.seal(taken.seat, 0, OTHER)
    time.pass_(hours=25)
    match = flow.apply_due(Match.objects.get(pk=match.pk))
    if late == "claim":
        flow.claim(seats["A"], seats["B"])
        match.refresh_from_db()
    assert ended(match) == case.end


def test_bots_are_not_asked_and_do_not_keep_who_is_left_company() -> None:
    """Resigning against a person and a bot is final; the person's own wish then needs no other's yes."""
    match, taken, invite = flow.create(newest("pigs"), Options(), 3, "Alice", bots={"C": "random"})
    bob = flow.join(match, "Bob", invite=invite).seat
    flow.offer_ending(taken.seat, Ending.OFF, offer=True)
    assert Match.objects.get().status == "playing"
    flow.resign(bob)
    assert Match.objects.get().status == "aborted"


def test_a_program_that_sits_there_by_its_token_is_asked_as_people_are(table: Table) -> None:
    """It cannot be called off over its head: it is no bot of the site's own."""
    api = Client()
    made = api.post(
        "/api/v1/matches", {"game": "pigs", "name": "Eve"}, content_type="application/json"
    ).json()
    invited = {"name": "Ben", "invite": made["invite"]}
    path = f"/api/v1/matches/{made['match']}"
    assert api.post(f"{path}/seats", invited, content_type="application/json").status_code == 201
    of_ben = Seat.objects.select_related("match").get(match__key=made["match"], letter="B")
    flow.offer_ending(of_ben, Ending.OFF, offer=True)
    shown = api.get(path, headers={"Authorization": f"Bearer {made['token']}"}).json()
    assert shown["status"] == "playing" and shown["seats"]["A"]["kind"] == "human"
    token = {"Authorization": f"Bearer {made['token']}"}
    assert api.post(f"{path}/resign", "", content_type="application/json", headers=token).json()["outcome"][
        "scores"
    ] == {"A": 0, "B": 1}


def test_what_all_who_are_left_had_offered_ends_it_once_the_others_are_out(three: Table) -> None:
    """An offer stands until the next turn has been played, so it counts when the third is out by a turn."""
    flow.offer_draw(three.a, offer=True)
    flow.offer_draw(three.b, offer=True)
    flow.resign(three.seat("C"))
    flow.seal(three.a, 0, OTHER)
    flow.seal(three.b, 0, OTHER)
    assert three.match.outcome and three.match.outcome.reason == "agreed"
    assert three.match.outcome.scores == {"A": 0.5, "B": 0.5, "C": 0}


def status(page: str) -> str:
    found = re.search(r'id="status"[^>]*>(.*?)</p>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", "", found[1]).split())


def test_each_is_told_his_own_end_and_a_watcher_who_won_at_the_films_last_step(table: Table) -> None:
    table.play(SHOTS, MORE_SHOTS)
    ends = {"A/": "A You won!", "B/": "B You lost.", "": "Alice won."}
    fell = {"A/": "Bob is destroyed!", "B/": "Your pig is destroyed!", "": "Bob is destroyed!"}
    readers = {"A/": table.alice, "B/": table.bob, "": table.charlie}
    for where, said in ends.items():
        page = text(readers[where].get(f"/m/{table.key}/{where}?at=2"))
        assert status(page) == said
        ending = page[page.index('id="ending"') : page.index('id="happened"')]
        assert (fell[where] in ending) is not bool(where), "players have read it above"
        assert (fell[where] in page[page.index("<h1") : page.index('id="film"')]) is bool(where)
        assert ("Rematch" in ending) is bool(where)
        assert "data-over" in page and '<p class="status verdict" id="status" role="heading"' in page
        assert "From the start" in text(readers[where].get(f"/m/{table.key}/{where}more/"))
    assert 'class="own-end side-a"' in text(table.alice.get(f"{table.a.get_absolute_url()}?at=2"))
    page = text(table.alice.get(f"{table.a.get_absolute_url()}?at=2.1"))
    assert "data-veiled" in page
    for part in ('id="ending"', 'id="status"'):
        assert "verdict" in page[page.rindex("<", 0, page.index(part)) : page.index(part)]


def test_a_draw_is_a_draw_and_a_resignation_says_so(
    table: Table, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    flow.offer_draw(table.a, offer=True)
    flow.offer_draw(table.b, offer=True)
    assert status(text(table.alice.get(table.a.get_absolute_url()))) == "A Draw by agreement."
    other = sit_down(alice, bob, charlie)
    flow.resign(other.b)
    page = text(alice.get(other.a.get_absolute_url()))
    assert status(page) == "A You won!" and "Bob resigns." in page


@pytest.mark.parametrize(
    ("rounds", "verdict"),
    [
        ([("\\ ^ F F F", "F F F F F")], "Your pig is destroyed!"),
        ([("\\ F F F F", "v F F F F"), ("F X X X X",) * 2], "Your pig is destroyed! Bob is destroyed!"),
    ],
)
def test_p11_the_heading_names_what_ended_it(table: Table, rounds: Any, verdict: str) -> None:
    """The last sentence of the last step may be about another pig; of a draw one alone tells half."""
    table.play(*rounds)
    page = text(table.alice.get(f"{table.a.get_absolute_url()}?at={len(rounds)}"))
    assert re.search(rf'class="in-short verdict">\s*{re.escape(verdict)}', page)
    if len(rounds) == 1:
        assert "Bob has 3 damage now." in page
    else:
        assert status(page) == "A A draw."
        assert "is destroyed!" not in page[page.index('id="ending"') : page.index('id="happened"')]


def test_the_x_ray_opens_all_robots_when_it_is_over_and_no_earlier(
    alice: Browser, boxing: Table, charlie: Browser
) -> None:
    boxing.play_some(6, seed=3)
    public = f"/m/{boxing.key}/"
    assert 'class="xray"' not in text(alice.get(boxing.a.get_absolute_url())) + text(charlie.get(public))
    flow.resign(boxing.b)
    assert boxing.match.status == "over"
    page = text(charlie.get(public))
    opened = page[page.index('class="xray"') : page.index('id="happened"')]
    assert opened.count('<section class="side-') == 2 and opened.count('class="xray-letter') == 18
    state: Any = state_of(boxing.match)
    fought = [cause for cause in state.past if any(hit is not None for hit in cause.hits)]
    shots = sum(hit is not None for cause in fought for hit in cause.hits)
    assert shots and opened.count('<li class="is-') == shots


def test_there_is_no_x_ray_of_robots_that_were_never_built(alice: Browser, boxing: Table) -> None:
    flow.resign(boxing.b)
    assert 'class="xray"' not in text(alice.get(boxing.a.get_absolute_url()))


def test_a_sealed_order_lies_in_an_envelope_and_words_are_said_in_their_sides_colour(table: Table) -> None:
    table.alice.do(table.a, "notes", turn=0, word="Caught you!")
    seal = {"turn": 0, "typed": SHOTS[0], "seal": "1"}
    answer = table.alice.post(f"{table.a.get_absolute_url()}plan/", seal, headers={"HX-Request": "true"})
    assert 'class="envelope side-a just-sealed"' in text(answer)
    page = text(table.alice.get(table.a.get_absolute_url()))
    assert 'class="envelope side-a"' in page and "Caught you!" in page
    others = text(table.bob.get(table.b.get_absolute_url())) + text(table.charlie.get(f"/m/{table.key}/"))
    assert "envelope" not in others and "Caught you!" not in others
    flow.seal(table.b, 0, SHOTS[1])
    for browser, where in ((table.bob, "B/"), (table.charlie, "")):
        assert '<p class="word side-a"><b>Alice:</b>' in text(browser.get(f"/m/{table.key}/{where}"))


@pytest.mark.parametrize("watched", [True, False])
def test_who_resigns_is_asked_to_watch_a_round_unseen_but_not_how_it_ended(
    table: Table, watched: bool
) -> None:
    table.alice.get(table.a.get_absolute_url())
    table.bob.get(table.b.get_absolute_url())
    table.play(SHOTS)
    if watched:
        table.alice.get(table.a.get_absolute_url())
    table.alice.do(table.a, "resign")
    resigned = text(table.alice.get(table.a.get_absolute_url()))
    assert "You lost." in resigned and ("data-since" in resigned) is not watched
    assert "data-since" in text(table.bob.get(table.b.get_absolute_url()))


def race(alice: Browser, bob: Browser, charlie: Browser) -> Table:
    """Alice has landed four hits, Bob none."""
    seat = alice.post("/matches/", {"game": "pigs", "name": "Alice", "preset": "kids"})["Location"]
    match = Match.objects.get(key=seat.split("/")[2])
    invite = alice.links(match.seats.get(host=True))["invite"]
    bob.join(invite)
    table = Table(match.key, alice, bob, charlie, invite)
    table.play(("\\ F F F F", "v v v v v"))
    return table


def test_p14_pages_and_api_tell_the_hits_of_everybody_and_who_was_first(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    table = race(alice, bob, charlie)
    mine, watched = text(alice.get(table.a.get_absolute_url())), text(charlie.get(f"/m/{table.key}/"))
    for page, landed in ((mine, "You’ve landed"), (watched, "Alice has landed")):
        assert page.count("4 of 5 hits") >= 2 and page.count("0 of 5 hits") >= 1
        players = page.partition('id="players"')[2].partition("</ul>")[0]
        assert players.count('href="#star"') == 10 and players.count("reached") == 4
        assert f"{landed} 4 of 5 hits." in page and "Bob has been hit 4 times so far." in page
        assert "damage now" not in page and "pig-hurt-1" in page
    told = "Alice hat 4 von 5 Treffern gelandet."
    assert told in text(charlie.get(f"/m/{table.key}/", HTTP_ACCEPT_LANGUAGE="de"))
    seen = charlie.get(f"/api/v1/matches/{table.key}").json()
    assert seen["position"] == "A=e7S0+4 B=e1N4+0"
    assert [event["hits"] for event in seen["events"][0] if event["kind"] == "scored"] == [1, 2, 3, 4]
    table.play(("F TL TL TL TL", "TL TL TL TL TL"))
    over = charlie.get(f"/api/v1/matches/{table.key}").json()
    assert over["outcome"] == {"scores": {"A": 1, "B": 0}, "reason": "five hits"}
    page = text(charlie.get(f"/m/{table.key}/"))
    assert "Alice has landed 5 hits!" in page and "is destroyed!" not in page
