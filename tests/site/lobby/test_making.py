"""Making a match: what is offered, what is taken, and what is refused in words. All of it by forms alone."""

from __future__ import annotations

import re
from dataclasses import fields
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail as post

from games import GAMES, newest
from games.players import PLAYERS
from robosite.lobby import questions
from robosite.matches import flow
from robosite.matches.flow.series import next_seat
from robosite.matches.models import Hold, Match, Seat
from robosite.matches.time import timekeeping
from robosite.play.variants import preset_of, variant_words
from robosite.web.caches import made_once
from tests import at_once
from tests.site.browsers import Answer, Browser, Table, has_word, text
from tests.site.notices.test_notices import by_mail
from tests.site.play.test_without_javascript import forms

PRESETS = [(slug, key) for slug in GAMES for key in newest(slug).presets]


def make(browser: Browser, slug: str, **given: Any) -> Answer:
    return browser.post("/matches/", {"game": slug, "name": browser.name, **given})


def made(answer: Answer) -> Match:
    assert answer.status_code == 302, text(answer)
    return Match.objects.get(key=answer["Location"].split("/")[2])


def all_questions(question: questions.Question) -> list[questions.Question]:
    below = [q for answer in question.answers for more in answer.more for q in all_questions(more)]
    return [question, *below]


def test_home_leads_to_every_game_whose_page_has_every_way_in(alice: Browser) -> None:
    page = text(alice.get("/"))
    assert re.findall(r'form="play-now" name="game" value="(\w+)"', page) == ["pigs"]
    for slug in GAMES:
        assert f'href="/rules/{slug}/"' in page and f'id="picture-{slug}"' in page
        rules = alice.get(f"/rules/{slug}/").content.decode()
        assert re.findall(r'name="game" value="(\w+)"', rules) == [slug]
        for address in (f"/new/{slug}/?with=link", f"/learn/{slug}/", f"/rules/{slug}/paper/"):
            assert f'href="{address}"' in rules
    former = alice.get("/rules/")
    assert former.status_code == 301 and former["Location"] == "/#games-title"
    assert 'id="games-title"' in page
    alice.make_by_page()
    assert 'value="Alice"' in text(alice.get("/new/pigs/")), "it knows whoever was here"


def test_a_match_against_a_bot_begins_at_once_and_needs_no_name(alice: Browser) -> None:
    """Nobody is there who reads it; friends are told to whom they play."""
    match = made(alice.post("/play/", {"game": "pigs"}))
    assert [seat.is_bot for seat in match.seats.all()] == [True, False], "one's own pig looks up the screen"
    match = made(make(alice, "pigs", seats=3, **{"with": "bot", "bot": "random"}))
    assert match.status == "playing"
    assert [seat.player for seat in match.seats.all()] == ["", "random", "random"]
    black = made(make(alice, "robble", **{"with": "bot", "at-standard": "B"}))
    assert [seat.is_bot for seat in black.seats.all()] == [True, False]
    unnamed = made(make(Browser(""), "pigs", **{"with": "bot", "bot": "random"}))
    assert unnamed.seats.get(letter="A").name == "Guest"
    refused = make(Browser(""), "pigs", **{"with": "link"})
    assert refused.status_code == 422 and not Match.objects.filter(status="open").exists()
    field = text(refused).partition('class="of-name"')[2].partition("</div></div>")[0]
    assert "Please enter a name." in field and 'aria-invalid="true"' in field and "autofocus" in field


def test_the_page_remembers_the_last_choice_game_by_game(alice: Browser, bob: Browser) -> None:
    here = {"with": "here", "here": "Zoe"}
    made(make(alice, "pigs", preset="bash", deadline="48", watched="no", **here, **{"seats-bash": "6"}))
    page = " ".join(text(alice.get("/new/pigs/")).split())
    assert 'name="preset" value="bash" checked' in page and 'value="6" selected' in page
    assert 'name="deadline" value="48" checked' in page and 'value="here" checked' in page
    assert "2 days per turn · single match · players only" in page
    assert not has_word(page, "Zoe"), "names of others are not kept"
    assert 'value="link" checked' in " ".join(text(alice.get("/new/pigs/?with=link")).split())
    for other in (alice.get("/new/robble/"), bob.get("/new/pigs/")):
        assert "1 week per turn · single match · with spectators" in text(other)
    make(alice, "pigs", preset="kids", name="", **{"with": "link"})
    assert 'value="bash" checked' in " ".join(text(alice.get("/new/pigs/")).split()), "nothing was made"
    alice.cookies["chosen"] = "nonsense"
    assert "1 week per turn · single match · with spectators" in text(alice.get("/new/pigs/"))
    made(make(alice, "pigs"))


OTHERS = re.compile(r'<details class="others"( open)?>')


@pytest.mark.parametrize("slug", GAMES)
def test_the_usual_variant_is_in_sight_and_the_others_are_one_fold_away(slug: str, alice: Browser) -> None:
    page = alice.get(f"/new/{slug}/").content.decode()
    before, fold, after = page.partition('<details class="others">')
    usual, *others = newest(slug).presets
    assert fold and f'name="preset" value="{usual}"' in before
    assert all(f'name="preset" value="{key}"' in after for key in [*others, questions.MIX])
    asked = [question.name for question in all_questions(questions.variants(newest(slug), {}))]
    assert len(asked) == len(set(asked)), "no two questions share a name"


def test_the_fold_is_open_where_another_variant_is_chosen(alice: Browser) -> None:
    def is_open(answer: Answer) -> bool:
        return OTHERS.findall(answer.content.decode()) == [" open"]

    assert is_open(alice.get("/new/pigs/?preset=kids")) and is_open(alice.get("/new/roboxing/?preset=mix"))
    assert not is_open(alice.get("/new/pigs/?preset=standard"))
    assert is_open(make(alice, "pigs", preset="bash", **{"seats-bash": "99"})), "refused"
    assert is_open(make(alice, "pigs", preset="nonsense")), "refused: there is no such variant"
    made(make(alice, "pigs", preset="kids"))
    assert is_open(alice.get("/new/pigs/")), "the last choice"
    made(make(alice, "pigs", preset="standard"))
    assert not is_open(alice.get("/new/pigs/"))


def test_the_page_of_a_waiting_match_says_how_many_are_missing(alice: Browser, bob: Browser) -> None:
    def status(browser: Browser, at: Seat) -> str:
        return " ".join(text(browser.get(at.get_absolute_url())).partition('id="status"')[2][:300].split())

    match = made(make(alice, "pigs", **{"seats-standard": "3"}))
    host = match.seats.get(letter="A")
    assert "Waiting for 2 friends: send the link.</b> You can plan your first round" in status(alice, host)
    second = bob.join(alice.links(host)["invite"])
    assert "Waiting for one friend: send the link." in status(alice, host)
    assert "Waiting for one more player." in status(bob, second)


@pytest.mark.parametrize("slug", GAMES)
def test_two_taps_with_what_is_marked_already_make_a_match(slug: str, alice: Browser) -> None:
    """The form is sent as the page fills it in; only the name is typed."""
    page = alice.get(f"/new/{slug}/").content.decode()
    filled = next(filled for action, filled, _ in forms(page) if action == "/matches/")
    match = made(alice.post("/matches/", filled | {"name": "Alice"}))
    assert (match.game_slug, match.given_options, match.watched) == (slug, {}, True)
    assert match.seats.count() == newest(slug).seats(match.options)[0]
    assert alice.links(match.seats.get(host=True))["invite"]


@pytest.mark.parametrize(("slug", "key"), PRESETS)
def test_every_preset_makes_a_match_of_every_size_it_is_for(slug: str, key: str, alice: Browser) -> None:
    game = newest(slug)
    preset = game.presets[key]
    for seats in (preset.seats[0], preset.seats[-1]):
        match = made(make(alice, slug, preset=key, **{f"seats-{key}": seats}))
        assert match.given_options == game.write_options(game.read_options(preset.options))
        assert match.seats.count() == seats
        assert preset_of(match, seats) == preset
        invite = alice.links(match.seats.get(host=True))["invite"]
        assert preset.says in text(Browser("Bob").get(f"/s/invite/{invite}/"))


@pytest.mark.parametrize(("slug", "key"), PRESETS)
def test_a_preset_takes_no_other_number_of_players(slug: str, key: str, alice: Browser) -> None:
    seats = newest(slug).presets[key].seats
    for wrong in (seats[0] - 1, seats[-1] + 1):
        answer = make(alice, slug, preset=key, **{f"seats-{key}": wrong})
        assert answer.status_code == 422 and f"{seats[0]}" in text(answer)
        assert 'role="alert"' in text(answer) and f'value="{key}" checked' in text(answer)
    assert not Match.objects.exists()


@pytest.mark.parametrize("slug", GAMES)
def test_every_option_can_be_chosen_by_itself(slug: str, alice: Browser) -> None:
    game = newest(slug)
    for f in fields(game.options):
        for value in f.metadata["values"]:
            sent = str(value).lower() if isinstance(value, bool) else str(value)
            match = made(make(alice, slug, preset="mix", **{f"option-{f.name}": sent}))
            assert getattr(match.options, f.name) == value
            assert type(getattr(match.options, f.name)) is type(value)
            assert bool(variant_words(match)) == (value != f.default)


def test_players_and_sides_are_asked_beside_the_option_on_which_they_hang(alice: Browser) -> None:
    start = next(q for q in all_questions(questions.variants(newest("pigs"), {})) if q.name == "option-start")
    assert [[more.name for more in answer.more] for answer in start.answers] == [
        ["seats-mix-sides", "at-mix-sides"],
        ["seats-mix-ring"],
    ]
    chosen = {"option-start": "sides", "at-mix-sides": "B"}
    assert made(make(alice, "pigs", preset="mix", **chosen)).seats.get(host=True).letter == "B"
    ring = made(make(alice, "pigs", preset="mix", **{"option-start": "ring", "seats-mix-ring": "8"}))
    assert ring.seats.count() == 8
    sides = make(alice, "pigs", preset="mix", **{"option-start": "sides", "seats-mix-sides": "5"})
    assert sides.status_code == 422 and "This is for 2 to 4 players." in text(sides)


@pytest.mark.parametrize("slug", list(GAMES))
def test_every_number_of_players_is_offered_at_once(slug: str, alice: Browser) -> None:
    """Those that the usual variant lacks lead to another variant, which takes each of them."""
    usual = questions.variants(newest(slug), {}).answers[0]
    numbers = [int(answer.value) for answer in usual.more[0].answers]
    page = text(alice.get(f"/new/{slug}/"))
    for other in usual.more[0].elsewhere:
        for number in other.numbers:
            value = f"{other.key}-{number}"
            assert f'<option value="{value}"' in page
            match = made(make(alice, slug, **{f"seats-{usual.value}": value}))
            assert match.seats.count() == number and preset_of(match, number).name == other.words
            numbers.append(number)
    assert sorted(numbers) == list(newest(slug).players)


def test_bash_starts_with_four_players_and_takes_two(alice: Browser) -> None:
    page = " ".join(text(alice.get("/new/pigs/?preset=bash")).split())
    assert '<option value="4" selected>' in page.partition('name="seats-bash"')[2].partition("</select>")[0]
    assert made(make(alice, "pigs", preset="bash")).seats.count() == 4
    assert made(make(alice, "pigs", preset="bash", **{"seats-bash": 2})).seats.count() == 2


def test_what_an_option_means_beside_another_is_asked_below_that(alice: Browser) -> None:
    """P14, P15: the end of a race and a hit that repeats nothing are offered where there is such a thing."""
    below = {"option-damage_moves-rounds": "true", "option-damage_moves-continuous": "false"}
    lists = made(make(alice, "pigs", preset="mix", **{"option-mode": "continuous"}, **below))
    assert lists.given_options == {"mode": "continuous", "damage_moves": False}
    assert [str(words) for words in variant_words(lists)][1:] == [
        "As soon as someone has landed five hits: a race, in which no one is destroyed.",
        "A hit repeats nothing.",
    ]
    rounds = made(make(alice, "pigs", preset="mix", **{"option-mode": "rounds"}, **below))
    assert rounds.given_options == {}
    wrong = make(alice, "pigs", preset="mix", **{"option-damage_moves-rounds": "perhaps"})
    assert wrong.status_code == 422 and "“Damage” has no such answer." in text(wrong)


@pytest.mark.parametrize(
    ("slug", "given"),
    [
        ("pigs", {"preset": "nonsense"}),
        ("pigs", {"preset": "mix", "option-start": "moon"}),
        ("pigs", {"preset": "mix", "option-damage_moves": "1"}),
        ("robble", {"preset": "mix", "option-size": "6.0"}),
        ("robble", {"at-standard": "C"}),
        ("robble", {"seats-standard": "x"}),
        ("robosoccer", {"preset": "custom", "wish-custom": "hand", "wish-custom-3": "?"}),
        ("pigs", {"deadline": "0.001"}),
        ("pigs", {"late": "never"}),
        ("pigs", {"watched": "perhaps"}),
        ("pigs", {"with": "here", "here": " , "}),
        ("pigs", {"with": "here", "here": "Ben, Ben"}),
        ("pigs", {"with": "here", "here": "Аlice"}),
        ("robble", {"with": "here", "here": "Ben, Clara"}),
        ("pigs", {"with": "bot", "bot": "nobody"}),
    ],
)
def test_what_the_page_does_not_offer_is_refused_in_words(
    slug: str, given: dict[str, str], alice: Browser
) -> None:
    answer = make(alice, slug, **given)
    assert answer.status_code == 422 and 'class="error"' in text(answer), text(answer)
    assert not Match.objects.exists()


def test_the_seat_is_chosen_or_drawn(alice: Browser) -> None:
    def seat(at: str) -> str:
        return str(made(make(alice, "robble", **{"at-standard": at})).seats.get(host=True).letter)

    assert seat("B") == "B" and {seat("random") for _ in range(24)} == {"A", "B"}


def test_what_a_seat_means_is_said_beside_the_option_on_which_it_hangs(alice: Browser) -> None:
    page = text(alice.get("/new/robble/?preset=mix"))
    with_swap, without = re.split(r'name="option-pie" value="false"', page)
    without = without.partition('class="finer"')[0]  # what the usual variant asks stands last
    assert "White: may swap colours at once." in with_swap and "White: places second." not in with_swap
    assert "White: places second." in without and "White: may swap" not in without
    given = {"preset": "mix", "option-pie": "false", "at-mix-false": "B", "at-mix-true": "A"}
    match = made(make(alice, "robble", **given))
    assert match.given_options == {"pie": False}
    assert match.seats.get(host=True).letter == "B"
    assert [str(words) for words in variant_words(match)] == ["No one swaps colours."]


def test_custom_arrows_are_drawn_or_set_by_hand(alice: Browser) -> None:
    drawn = {made(make(alice, "robosoccer", preset="custom")).setup["arrows"] for _ in range(8)}
    assert len(drawn) > 1
    assert all(signs[::2] == signs[1::2] for signs in drawn), "neither side is favoured"
    by_hand = {"wish-custom": "hand", "wish-custom-0": "-", "wish-custom-13": "-"}
    match = made(make(alice, "robosoccer", preset="custom", **by_hand))
    assert match.setup["arrows"] == "-++++++++++++-"
    mixed = {"option-arrows": "custom", "wish-mix-custom": "hand", "wish-mix-custom-1": "-"}
    assert made(make(alice, "robosoccer", preset="mix", **mixed)).setup["arrows"] == "+-" + 12 * "+"
    assert "arrows" not in made(make(alice, "robosoccer", **by_hand)).setup, "the usual board takes no wish"


def test_arrows_are_set_on_the_board(alice: Browser) -> None:
    """Each is a pair of buttons over it, with a label to tap; one at the seam has a pair at both borders."""
    page = text(alice.get("/new/robosoccer/?preset=custom&wish-custom=hand&wish-custom-3=-"))
    for n in range(14):
        assert page.count(f'name="wish-custom-{n}"') == 2
        assert page.count(f'for="wish-custom-{n}-1"') == page.count(f'for="wish-custom-{n}-2"') in (1, 2)
    assert re.search(r'name="wish-custom-3" value="-" checked', page)
    assert page.count('id="board"') == 0


@pytest.mark.parametrize(
    ("deadline", "hours", "said"),
    [
        ("24", 24, "A turn may take a day."),
        ("48", 48, "A turn may take 2 days."),
        ("12", 12, "A turn may take 12 hours."),
        ("15m", 15 / 60, "A turn may take 15 minutes."),
        ("1m", 1 / 60, "A turn may take 1 minute."),
        ("", None, "No time limit: everyone plays when they like."),
    ],
)
def test_how_long_a_turn_may_take_is_said_while_one_waits_and_to_those_invited(
    deadline: str, hours: float | None, said: str, alice: Browser, bob: Browser
) -> None:
    match = made(make(alice, "pigs", deadline=deadline, late="draft", watched="no"))
    assert (match.deadline_hours, match.late, match.watched) == (hours, "draft", False)
    assert timekeeping.period(match) == timedelta(hours=hours or 0)
    seat = match.seats.get(letter="A")
    invited = text(bob.get(f"/s/invite/{alice.links(seat)['invite']}/"))
    assert "Players only" in invited
    for page in (text(alice.get(seat.get_absolute_url())), invited):
        assert said in " ".join(page.split())


def test_a_preset_can_be_the_start_of_ones_own_mix(alice: Browser) -> None:
    page = text(alice.get("/new/pigs/?preset=mix&option-start=ring&option-ends=last_standing"))
    assert 'name="preset" value="mix" checked' in page
    assert 'value="ring" checked' in page and 'value="last_standing" checked' in page
    assert "?preset=mix&option-start=ring&option-ends=last_standing#mix" in page


def as_drawn(browser: Browser, path: str, **more: Any) -> str:
    """A page but for the token of its forms."""
    return re.sub(r"[A-Za-z0-9]{64}", "", browser.get(path, **more).content.decode())


def test_nothing_that_a_reader_sends_is_kept(alice: Browser, bob: Browser) -> None:
    """Not in what others see, nor in memory: two worlds that differ in what Alice sends look alike to Bob."""
    seen = set()
    for sent in ("Zorro", "Xenia"):
        made_once.clear()
        alice.make_by_page()
        alice.cookies["zone"] = "Asia/Tokyo" if sent == "Zorro" else "America/Lima"
        refused = make(alice, "pigs", preset="mix", zone=sent, deadline="24", **{"with": "here", "here": ","})
        assert sent in text(refused) and refused.status_code == 422
        assert "checked" in text(alice.get(f"/new/pigs/?preset=mix&seats=3&name={sent}"))
        alice.get("/new/pigs/")
        seen.add(as_drawn(bob, "/new/pigs/"))
        kept = "".join(str(item) for item in made_once.items() if item[0][0] == "part")
        assert kept and not any(word in kept for word in (sent, "Alice", "Tokyo", "Lima", "csrf"))
    assert len(seen) == 1


def test_how_the_chosen_bot_plays_is_said(alice: Browser, settings: Any) -> None:
    """The style sheet shows only the sentences for the bot that is ticked."""
    page = text(alice.get("/new/pigs/"))
    sheet = (settings.BASE_DIR / "static" / "css" / "making.css").read_text()
    for key in PLAYERS:
        assert f'aria-describedby="how-{key}" name="bot" value="{key}"' in " ".join(page.split())
        assert f'<p class="hint how-plays bot-{key}" id="how-{key}">' in page
        assert f'form:not(:has([name="bot"][value="{key}"]:checked)) .bot-{key}' in sheet


def test_a_friend_is_chosen_in_the_form_and_invited_by_its_button(table: Table) -> None:
    form = {"game": "pigs", "seats": 2, "name": "Alice", "friend": f"{table.key}/A", "deadline": "24"}
    assert "again-with" not in text(table.alice.get("/new/pigs/"))
    flow.resign(table.b)
    page = text(table.alice.get("/new/pigs/?with=link"))
    assert f'<option value="{table.key}/A">Bob</option>' in page and Match.objects.count() == 1
    assert 'name="friend"' not in text(table.charlie.get("/new/pigs/"))
    assert table.charlie.post("/matches/", form).status_code == 422
    assert table.alice.post("/matches/", {**form, "seats": 3}).status_code == 422
    assert table.alice.post("/matches/", form).status_code == 302
    after = Match.objects.get(rematch_of=table.match)
    assert after.deadline_hours == 24 and after.seats.get(host=True).letter == "B"
    assert table.alice.post("/matches/", form).status_code == 422, "Bob is asked already"
    assert 'name="friend"' not in text(table.alice.get("/new/pigs/"))
    assert "Rematch: Robo Battle Pigs" in text(table.bob.get("/mine/"))


@pytest.mark.parametrize(("at", "sides"), [("A", "The sides stay as they were"), ("B", "You swap sides")])
def test_a_rematch_says_which_terms_are_new_on_the_page_and_in_the_notice(
    table: Table, at: str, sides: str
) -> None:
    Match.objects.update(deadline_hours=72)
    by_mail(table.bob)
    flow.resign(table.b)
    form = {"game": "pigs", "seats": 2, "name": "Alice", "friend": f"{table.key}/A", "at-kids": at}
    assert (
        table.alice.post("/matches/", form | {"preset": "kids", "series": "3", "deadline": "168"}).status_code
        == 302
    )
    says = "New this time: Kids · up to a week per turn · best of three"
    his = " ".join(text(table.bob.get(table.b.get_absolute_url())).split())
    assert "Alice asks for a rematch" in his and says in his and sides in his
    at_once.send_all()
    assert [says in str(mail.body) for mail in post.outbox if "rematch" in str(mail.subject)] == [True]


@pytest.mark.parametrize("at", "AB")
def test_who_invites_sits_where_they_chose_to(table: Table, at: str) -> None:
    flow.resign(table.b)
    form = {"game": "robosoccer", "name": "Alice", "friend": f"{table.key}/A", "at-standard": at}
    assert table.alice.post("/matches/", form).status_code == 302
    after = Match.objects.get(rematch_of=table.match)
    assert after.seats.get(host=True).letter == at
    assert flow.kept_for(after) == {at: "Alice", next_seat(at, 2): "Bob"}
    table.bob.do(table.b, "rematch")
    assert Hold.objects.get(seat__match=after, guest__name="Bob").seat.letter == next_seat(at, 2)


def test_friends_are_invited_to_another_game(table: Table) -> None:
    flow.resign(table.b)
    assert f'<option value="{table.key}/A">Bob</option>' in text(table.alice.get("/new/robble/?with=link"))
    answer = table.alice.post("/matches/", {"game": "robble", "name": "Alice", "friend": f"{table.key}/A"})
    after = Match.objects.get(rematch_of=table.match)
    assert after.game_slug == "robble" and f"/m/{after.key}/" in answer["Location"]
    mine = text(table.bob.get("/mine/"))
    assert "New match: Robble" in " ".join(mine[mine.index("<h2>Your turn") :].split())
    assert "<h2>Over" not in mine
    assert f'formaction="/m/{table.key}/B/rematch/"' in mine
    assert table.bob.get("/mine/waiting/").json() == {"waiting": 1}
    his = text(table.bob.get(table.b.get_absolute_url()))
    assert "invites you to Robble." in his and "asks for a rematch" not in his
    table.bob.do(table.b, "rematch")
    after.refresh_from_db()
    assert after.status == Match.Status.PLAYING and table.bob.get("/mine/waiting/").json()["waiting"] <= 1
    assert "New match: Robble" not in text(table.bob.get("/mine/"))
