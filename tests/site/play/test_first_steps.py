"""First steps of a newcomer: the board, the goal, the rules, and then the link."""

from __future__ import annotations

import re
from random import Random

import pytest

from games import GAMES, newest
from games.core import Sentence
from games.robosoccer import RobosoccerState
from robosite.matches import flow
from robosite.matches.history import state_of
from robosite.matches.models import Match
from tests.site.browsers import FIRST, OTHER, Browser, Table, sit_down, text

LESSON = "2-minute lesson"
GOAL = "Destroy the other pig before it destroys yours. Five hits do it."


def order(page: str, *texts: str) -> list[int]:
    return [page.index(one) for one in texts]


def test_whoever_sits_down_meets_the_goal_the_board_and_the_own_side(table: Table) -> None:
    page = text(table.bob.get(table.b.get_absolute_url()))
    places = order(page, 'id="film"', GOAL, LESSON, 'id="planner"', 'id="players"')
    assert places == sorted(places)
    assert 'id="happened"' not in page
    assert "You’re blue, at the bottom." in page and 'class="own-marks side-b"' in page
    watched = text(table.charlie.get(f"/m/{table.key}/"))
    assert "own-marks" not in watched and 'id="bubbles"' not in watched
    assert "/s/seat/" not in page
    assert "/s/seat/" in text(table.bob.get(f"{table.b.get_absolute_url()}more/"))
    table.bob.seal(table.b, OTHER)
    page = text(table.bob.get(table.b.get_absolute_url()))
    assert GOAL not in page
    places = order(page, 'id="sealed-title"', 'id="players"')
    assert places == sorted(places)
    assert GOAL in text(table.alice.get(table.a.get_absolute_url()))
    table.alice.seal(table.a, FIRST)
    assert GOAL not in text(table.charlie.get(f"/m/{table.key}/"))
    page = text(table.bob.get(table.b.get_absolute_url()))
    places = order(page, 'id="planner"', 'id="happened"', 'id="players"')
    assert places == sorted(places) and "own-marks" not in page


@pytest.mark.parametrize("slug", GAMES)
def test_every_game_says_its_goal_in_one_line_for_all_its_presets(slug: str) -> None:
    game = newest(slug)
    for preset in game.presets.values():
        for seats in preset.seats:
            assert 10 < len(str(game.goal(game.read_options(preset.options), seats))) < 90


def test_the_rules_tell_the_variation_of_the_match_and_lead_back_to_it_alone(
    alice: Browser, charlie: Browser
) -> None:
    match = alice.post("/matches/", {"game": "robble", "seats": 2, "name": "Alice", "preset": "small"})
    seat = match["Location"]
    key = seat.split("/")[2]
    waits = text(alice.get(seat))
    assert "/learn/robble/" in waits and 'id="bubbles"' not in waits
    rules = f"/rules/robble/?from={key}"
    assert f'href="{rules}"' in text(alice.get(f"{seat}more/"))
    page = text(alice.get(rules))
    assert f'href="{seat}">Back to your match' in page
    assert "In your match" in page and "Five squares a side" in page
    assert f'href="/m/{key}/">Back to your match' in text(charlie.get(rules))
    for wrong in ("https://evil.example", "//evil.example", "/", "\0", "x" * 5000):
        page = text(alice.get("/rules/robble/", {"from": wrong}))
        assert "Back to your match" not in page
        assert "evil" not in page.split("<main")[1].split("</main")[0]


def test_a_lesson_leads_back_to_the_match_that_goes_on_and_rules_tell_others_nothing_of_it(
    table: Table,
) -> None:
    Match.objects.update(watched=False)
    rules = f"/rules/pigs/?from={table.key}"
    assert "In your match" in text(table.bob.get(rules))
    assert "In your match" not in text(table.charlie.get(rules))
    assert "In your match" not in text(table.bob.get(f"/rules/robble/?from={table.key}"))
    lesson = "/learn/pigs/"
    assert f'href="{table.a.get_absolute_url()}">Back to your match' in text(table.alice.get(lesson))
    assert "Back to your match" not in text(table.charlie.get(lesson))
    flow.resign(table.a)
    assert "Back to your match" not in text(table.alice.get(lesson))


def test_the_status_names_the_only_other_and_speaks_of_all_where_there_are_more(
    table: Table, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    table.alice.seal(table.a, FIRST)
    status = text(table.bob.get(table.b.get_absolute_url()))
    assert "Alice has sealed." in status and "Seal yours to reveal the round." in status
    match = alice.make(3)
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    seats = [match.seats.get(letter="A"), bob.join(invite), charlie.join(invite)]
    for seat in seats[:2]:
        order_ = state_of(seat.match).view(seat.at).sample(seat.at, Random(1))
        flow.seal(seat, 0, order_)
    assert "Everyone else has sealed" in text(charlie.get(seats[2].get_absolute_url()))


def test_a_message_with_the_reveal_is_apart_from_notes_and_kept(table: Table) -> None:
    own, notes = table.a.get_absolute_url(), f"{table.a.get_absolute_url()}notes/"
    invites, kept = "Message for the reveal", "Your message for the reveal is saved."
    menu = text(table.alice.get(f"{own}more/"))
    assert invites in menu and f'{notes}?word"' in menu
    assert table.alice.post(notes, {"turn": 0, "word": "Ha!"})["Location"] == f"{notes}?word"
    word, private = text(table.alice.get(f"{notes}?word")), text(table.alice.get(notes))
    assert 'value="Ha!"' in word and 'name="note"' not in word
    assert "Ha!" not in private and 'name="note"' in private and 'name="word"' not in private
    assert table.alice.post(notes, {"turn": 0, "note": "Hm"})["Location"] == notes
    for _each in range(2):  # planned, and sealed
        page = text(table.alice.get(own))
        assert kept in page and invites not in page and "Ha!" in page
        assert "Ha!" not in text(table.bob.get(table.b.get_absolute_url()))
        table.alice.seal(table.a, FIRST)
    table.alice.post(f"{notes}?word", {"turn": 0, "word": ""})
    assert kept not in text(table.alice.get(own))


def bubbles_of(browser: Browser, path: str) -> str:
    """The speech bubbles on a page, "" for none."""
    return text(browser.get(path)).partition('id="bubbles"')[2].partition("</form>")[0]


@pytest.mark.parametrize("slug", GAMES)
@pytest.mark.parametrize("ends", ["the first command", "a tap"])
def test_bubbles_say_what_is_what_until_the_first_command_or_a_tap(
    slug: str, ends: str, charlie: Browser
) -> None:
    here = charlie.post("/play/", {"game": slug})["Location"]
    said = newest(slug).introduce(newest(slug).read_options({}), 2)
    assert len(said) >= 3
    assert all(str(one) in bubbles_of(charlie, here) for one in said)
    if ends == "a tap":
        answer = charlie.post(f"{here}bubbles/")
        assert answer.status_code == 302 and answer["Location"] == here
    else:
        planned(charlie, here)
    assert not bubbles_of(charlie, here)
    assert not bubbles_of(charlie, charlie.post("/play/", {"game": slug})["Location"]), "never again"
    other = "pigs" if slug == "robble" else "robble"
    assert bubbles_of(charlie, charlie.post("/play/", {"game": other})["Location"]), "a game has its own"


def planned(browser: Browser, here: str) -> str:
    """The page of a turn in which this player has begun to plan, after its bubbles were seen."""
    seat = Match.objects.latest("pk").seats.get(letter="A")
    state = state_of(seat.match)
    typed = state.view(seat.at).sample(seat.at, Random(1))
    browser.post(f"{here}plan/", {"turn": state.turn, "typed": typed, "use": "1"})
    return text(browser.get(here))


def test_roboxing_guides_through_its_first_turns_whatever_was_played_before(charlie: Browser) -> None:
    charlie.post(f"{charlie.post('/play/', {'game': 'pigs'})['Location']}bubbles/")
    game, here = newest("roboxing"), charlie.post("/play/", {"game": "roboxing"})["Location"]
    for turn in range(game.guided + 1):
        said = game.introduce(game.read_options({}), 2, turn) if turn < game.guided else ()
        charlie.get(here)  # the film of the turn before is seen
        page = bubbles_of(charlie, here)
        assert all(str(one) in page for one in said) and bool(page) == bool(said)
        assert 'id="bubbles"' not in planned(charlie, here)
        play_on(Match.objects.latest("pk"))
    again = charlie.post("/play/", {"game": "roboxing"})["Location"]
    assert not bubbles_of(charlie, again), "never again"
    assert 'name="ready"' not in text(charlie.get(again)), "builds from the plain robot"


def play_on(match: Match) -> None:
    """Plays a turn in which nobody is hurt: the robots are built, then both stay."""
    state = state_of(match)
    for seat in match.seats.all():
        flow.seal(seat, state.turn, "-" if state.turn else state.sample(seat.at, Random(1)))


@pytest.fixture
def soccer(alice: Browser, bob: Browser, charlie: Browser) -> Table:
    """The bubbles of the first turn are gone."""
    table = sit_down(alice, bob, charlie, game="robosoccer")
    alice.post(f"{table.a.get_absolute_url()}bubbles/")
    return table


def test_a_push_is_told_on_the_film_of_the_turn_that_makes_it_possible(
    alice: Browser, soccer: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the page gets the film alone, as an open page does after each turn, or is opened anew."""
    path = soccer.a.get_absolute_url()
    soccer.play_some(5)
    monkeypatch.setattr(RobosoccerState, "novelties", lambda _state, _at: (Sentence("You can push now."),))
    film = {"HX-Request": "true", "HX-Target": "film"}
    earlier = text(alice.get(f"{path}?at=2.1", headers=film))
    assert 'id="film"' in earlier and "You can push now." not in earlier
    assert "You can push now." in text(alice.get(f"{path}?at=5.1", headers=film))
    assert "You can push now." in bubbles_of(alice, path)
    alice.post(f"{path}bubbles/")
    assert "You can push now." not in text(alice.get(f"{path}?at=5.1", headers=film))


def test_of_several_new_things_one_is_told_at_a_time_where_it_is_first_possible(
    alice: Browser, bob: Browser, soccer: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = soccer.a.get_absolute_url()
    new = tuple(Sentence(f"You can {what} now.") for what in ("push", "jump"))
    monkeypatch.setattr(RobosoccerState, "novelties", lambda _state, at: new if at == "A" else (None, None))
    for what, other in (("push", "jump"), ("jump", "push")):
        told = bubbles_of(alice, path)
        assert told.count("<span") == 1
        assert f"You can {what} now." in told and f"You can {other} now." not in told
        assert f"You can {what} now." not in bubbles_of(bob, soccer.b.get_absolute_url())
        alice.post(f"{path}bubbles/")
    assert not bubbles_of(alice, path)


@pytest.mark.parametrize("slug", ["robosoccer", "robble"])
def test_whoever_acts_second_is_introduced_too(
    slug: str, alice: Browser, bob: Browser, charlie: Browser
) -> None:
    table = sit_down(alice, bob, charlie, game=slug)
    table.play_some(1)
    here = table.b.get_absolute_url()
    assert bubbles_of(bob, here).count("<span") >= 2
    bob.post(f"{here}bubbles/")
    assert not bubbles_of(bob, here)


@pytest.mark.parametrize(
    ("given", "told"), [({}, "You’re blue now, at the bottom."), ({"another": "robble"}, "You’re White")]
)
def test_sides_that_have_changed_are_told_and_none_in_another_game(
    table: Table, given: dict[str, str], told: str
) -> None:
    flow.resign(table.b)
    table.alice.do(table.a, "rematch", **given)
    table.bob.do(table.b, "rematch")
    after = Match.objects.get(rematch_of__key=table.key)
    page = text(table.alice.get(after.seats.get(letter="B").get_absolute_url()))
    assert told in page and "White now" not in page


def test_after_the_swap_each_is_told_the_colour(alice: Browser, bob: Browser, robble: Table) -> None:
    assert "You’re Black." in text(alice.get(robble.a.get_absolute_url()))
    alice.seal(robble.a, "c3")
    bob.seal(robble.b, "swap")
    bob.get(robble.b.get_absolute_url())  # the film is seen
    assert "You’re Black now." in text(bob.get(robble.b.get_absolute_url()))


@pytest.mark.parametrize("slug", ["robosoccer", "roboxing"])
def test_a_newcomer_begins_with_a_ready_order_and_seals_it_by_one_tap_or_changes_it(
    slug: str, charlie: Browser
) -> None:
    here = charlie.post("/play/", {"game": slug})["Location"]
    match = Match.objects.latest("pk")
    seat = match.seats.get(letter=here.split("/")[3])
    page = text(charlie.get(here))
    ready = re.findall(r'name="ready" value="([^"]+)"', page)
    assert len(ready) == 1 and not flow.draft_of(match, seat)
    assert ready == re.findall(r'name="ready" value="([^"]+)"', text(charlie.get(here))), "always the same"
    fields = dict(re.findall(r'name="(turn|taken_back|seen)" value="(\w+)"', page))
    if slug == "robosoccer":
        home = "a1" if 'value="a1"' in page else "a8"
        charlie.post(f"{here}plan/", {**fields, "ready": "nonsense", "choose": home})
        assert not flow.draft_of(match, seat)
        charlie.post(f"{here}plan/", {**fields, "ready": ready[0], "choose": home})
        assert flow.draft_of(match, seat) == ".MSSML"
        here = charlie.post("/play/", {"game": slug})["Location"]
        match = Match.objects.latest("pk")
        seat = match.seats.get(letter=here.split("/")[3])
        fields = dict(re.findall(r'name="(turn|taken_back|seen)" value="(\w+)"', text(charlie.get(here))))
    assert charlie.post(f"{here}plan/", {**fields, "ready": ready[0], "seal": "1"}).status_code == 302
    assert flow.played_order(seat, match.turn) or flow.order_of(match, seat)
