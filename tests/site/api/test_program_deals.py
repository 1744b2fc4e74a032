"""Programs deal with the others at a table: proposals, rematches, nudges, talk. Hal plays against Ada."""

from __future__ import annotations

from typing import Any

import pytest

from robosite.matches.flow import seat_requests
from robosite.matches.models import Hold, Match, Seat
from robosite.moderation import measures
from robosite.people.models import Guest
from robosite.talk.models import Message
from tests.site.api.test_api import Api, problem
from tests.site.api.test_programs import Program, hal
from tests.site.browsers import Browser, text
from tests.site.conftest import Time

__all__ = ["hal"]


class Table:
    """Alice, in a browser on seat A, against Hal."""

    def __init__(self, alice: Browser, hal: Program, game: str = "pigs", **wishes: Any) -> None:
        self.alice, self.hal = alice, hal
        made = alice.make(game=game)
        Match.objects.filter(pk=made.pk).update(**wishes)
        self.key = made.key
        self.invite = alice.own_links(made.seats.get(letter="A"))["invite"]
        hal.join({"match": self.key, "invite": self.invite})

    @property
    def seat(self) -> Seat:
        return Seat.objects.select_related("match").get(match__key=self.key, letter="A")

    @property
    def match(self) -> dict[str, Any]:
        return dict(self.hal.get(f"matches/{self.key}").json())

    def proposes(self, kind: str, do: str, **more: Any) -> Any:
        return self.hal.ask("POST", f"matches/{self.key}/proposals", {"kind": kind, "do": do, **more})

    def page(self) -> str:
        return text(self.alice.get(f"/m/{self.key}/A/"))

    def over(self) -> None:
        self.alice.do(self.seat, "resign")
        assert self.match["status"] == "over"


@pytest.fixture
def table(alice: Browser, hal: Program) -> Table:
    return Table(alice, hal)


def proposal(kind: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "by": ["A"], "asked": ["B"], "declined": [], "match": None, **more}


BOTH = ["accept", "decline"]


@pytest.mark.parametrize(
    ("kind", "deed", "status"), [("draw", "draw", "over"), ("call-off", "call-off", "aborted")]
)
def test_what_a_person_offers_is_told_and_a_program_accepts(
    table: Table, kind: str, deed: str, status: str
) -> None:
    assert table.match["proposals"] == [] and set(table.match["may_propose"]) == {"draw", "call-off"}
    assert (
        problem(table.proposes(kind, "accept"), 409)
        == "No one is offering that now. Look at the match again."
    )
    table.alice.do(table.seat, deed, offer="1")
    assert table.match["proposals"] == [proposal(kind, may=BOTH)]
    assert kind not in table.match["may_propose"]
    assert table.hal.get("me/matches").json()["matches"][0]["proposals"] == [kind]
    watched = table.hal.api.match(table.key)
    assert watched["proposals"] == [proposal(kind, may=[])] and watched["may_propose"] == []
    assert table.proposes(kind, "accept").json()["status"] == status


def test_a_page_says_what_a_program_offers_and_declines_as_it_does_of_people(table: Table) -> None:
    told = table.proposes("draw", "offer").json()
    assert told["proposals"] == [proposal("draw", by=["B"], asked=["A"], may=["withdraw"])]
    assert told["draws"] == ["B"]
    assert "Hal offers a draw" in table.page()
    table.proposes("draw", "withdraw")
    assert "Hal offers a draw" not in table.page()
    table.proposes("call-off", "offer")
    assert "Hal asks to cancel the match" in table.page()
    table.proposes("call-off", "withdraw")
    table.alice.do(table.seat, "draw", offer="1")
    told = table.proposes("draw", "decline").json()
    assert told["proposals"] == [proposal("draw", declined=["B"], may=["accept"])]
    assert table.hal.get("me/matches").json()["matches"][0]["proposals"] == []
    assert "Hal declined." in table.page()
    assert table.hal.api.match(table.key)["proposals"][0]["declined"] == []
    assert table.proposes("draw", "accept").json()["outcome"]["scores"] == {"A": 0.5, "B": 0.5}
    assert problem(table.proposes("draw", "offer"), 409) == "The match is over."


def test_a_program_that_is_out_is_told_of_no_offer(api: Api, alice: Browser, hal: Program) -> None:
    made = alice.make(seats=3)
    own = made.seats.get(letter="A")
    invite = {"match": made.key, "invite": alice.own_links(own)["invite"]}
    for program in (hal, Program(api, "Eve")):
        program.join(invite)
    assert hal.ask("POST", f"matches/{made.key}/resign").status_code == 200
    alice.do(own, "draw", offer="1")
    assert hal.get(f"matches/{made.key}").json()["proposals"][0]["asked"] == ["C"]
    assert hal.get("me/matches").json()["matches"][0]["proposals"] == []


def test_only_who_sits_there_may_propose(api: Api, table: Table) -> None:
    eve, path = Program(api, "Eve"), f"matches/{table.key}/proposals"
    problem(eve.ask("POST", path, {"kind": "draw", "do": "offer"}), 403)
    problem(api.ask("POST", path, {"kind": "draw", "do": "offer"}), 401)
    problem(table.proposes("rematch", "offer"), 422, "/kind")
    problem(table.proposes("draw", "force"), 422, "/do")
    assert table.match["version"] == 2


def test_a_seats_token_proposes_too_and_hears_and_says_nothing(api: Api) -> None:
    key, ada, ben = api.table()
    assert api.get(f"matches/{key}/talk", ada).json()["messages"] == []
    problem(api.ask("POST", f"matches/{key}/talk", {"text": "Hello"}, ada), 403)
    offer = {"kind": "call-off", "do": "offer"}
    assert api.ask("POST", f"matches/{key}/proposals", offer, ada).json()["proposals"][0]["by"] == ["A"]
    agrees = api.ask("POST", f"matches/{key}/proposals", {**offer, "do": "accept"}, ben)
    assert agrees.json()["status"] == "aborted"


@pytest.fixture
def robble(alice: Browser, hal: Program) -> Table:
    table = Table(alice, hal, "robble", deadline_hours=24)
    table.alice.seal(table.seat, "d4")
    return table


def test_a_turn_goes_back_if_a_program_agrees_to_what_it_has_seen(robble: Table) -> None:
    robble.alice.do(robble.seat, "take-back", turn=1, do="ask")
    seen = robble.match
    assert seen["proposals"] == [proposal("take-back", may=BOTH)]
    problem(robble.proposes("take-back", "accept"), 422, "/turn")
    problem(robble.proposes("take-back", "accept", turn=1), 422, "/taken_back")
    problem(robble.proposes("take-back", "accept", turn=0, taken_back=0), 409)
    back = robble.proposes("take-back", "accept", turn=seen["turn"], taken_back=seen["taken_back"]).json()
    assert (back["turn"], back["taken_back"], back["proposals"]) == (0, 1, [])


def test_a_program_asks_for_its_turn_back(robble: Table) -> None:
    robble.hal.seal(robble.key, "e5", 1)
    seen = robble.match
    assert "take-back" in seen["may_propose"]
    about = {"turn": 2, "taken_back": 0}
    assert robble.proposes("take-back", "offer", **about).json()["proposals"][0]["may"] == ["withdraw"]
    assert "Hal asks to take back the last turn" in robble.page()
    assert robble.proposes("take-back", "withdraw", **about).json()["proposals"] == []
    robble.proposes("take-back", "offer", **about)
    robble.alice.do(robble.seat, "take-back", turn=2, do="decline")
    assert "take-back" not in robble.match["may_propose"]
    problem(robble.proposes("take-back", "offer", **about), 409)


def test_a_pause_needs_everybody_and_ends_when_one_plays_on(robble: Table) -> None:
    problem(robble.proposes("pause", "accept"), 409)
    robble.alice.do(robble.seat, "pause", offer="1")
    assert robble.match["proposals"] == [proposal("pause", may=BOTH)]
    paused = robble.proposes("pause", "accept").json()
    assert paused["deadline"] is None
    assert paused["proposals"] == [proposal("pause", by=["A", "B"], asked=[], may=["withdraw"])]
    assert robble.proposes("pause", "withdraw").json()["proposals"] == []
    assert robble.match["deadline"]


def test_a_program_sees_who_nudges_it_and_nudges(robble: Table) -> None:
    robble.alice.do(robble.seat, "nudge")
    assert robble.match["nudged_by"] == ["A"]
    assert robble.hal.api.match(robble.key)["nudged_by"] == []
    problem(robble.hal.ask("POST", f"matches/{robble.key}/nudge"), 409)
    robble.hal.seal(robble.key, "e5", 1)
    assert robble.match["nudged_by"] == []
    assert robble.hal.ask("POST", f"matches/{robble.key}/nudge").status_code == 200
    problem(robble.hal.ask("POST", f"matches/{robble.key}/nudge"), 409)


def test_a_program_accepts_a_rematch_and_keeps_its_token(table: Table) -> None:
    path = f"matches/{table.key}/rematch"
    problem(table.hal.ask("POST", path), 409)
    table.over()
    assert table.match["may_propose"] == ["rematch"]
    table.alice.do(table.seat, "rematch")
    after = Match.objects.get(rematch_of__key=table.key)
    assert table.match["proposals"] == [proposal("rematch", may=["accept"], match=after.key)]
    assert table.hal.api.match(table.key)["proposals"] == []
    assert table.hal.get("me/matches").json()["matches"][0]["rematch"] == after.key
    seated = table.hal.ask("POST", path).json()
    assert (seated["match"], seated["seat"]) == (after.key, "A")
    now = table.hal.get(f"matches/{after.key}").json()
    assert now["status"] == "playing"
    assert now["you"] == "A"
    assert now["seats"]["A"] == {"name": "Hal", "kind": "bot"}
    assert table.match["proposals"] == table.match["may_propose"] == []
    again = table.hal.ask("POST", path).json()
    assert again == {"match": after.key, "seat": "A", "token": None, "seat_url": None}
    assert Hold.objects.filter(guest=table.hal.row.guest).count() == 2


def test_a_person_finds_the_rematch_that_a_program_asks_for_and_has_not_left(table: Table) -> None:
    table.over()
    left = table.hal.ask("POST", f"matches/{table.key}/rematch").json()
    table.hal.ask("POST", f"matches/{left['match']}/resign")
    assert table.match["proposals"] == [] and table.match["may_propose"] == ["rematch"]
    made = table.hal.ask("POST", f"matches/{table.key}/rematch").json()
    assert made["seat"] == "A" and made["match"] not in (table.key, left["match"])
    assert table.match["proposals"] == [
        proposal("rematch", by=["B"], asked=["A"], may=[], match=made["match"])
    ]
    assert "Hal" in table.page() and f'action="/m/{table.key}/A/rematch/"' in table.page()
    assert table.alice.do(table.seat, "rematch").status_code == 302
    assert table.hal.get(f"matches/{made['match']}").json()["status"] == "playing"


def test_a_series_seats_a_program_again_by_itself(table: Table) -> None:
    Match.objects.update(series={"of": 3, "number": 1, "points": {}})
    table.over()
    table.alice.do(table.seat, "rematch")
    after = Match.objects.get(rematch_of__key=table.key)
    now = table.hal.get(f"matches/{after.key}").json()
    assert (now["status"], now["you"], now["seats"]["A"]) == ("playing", "A", {"name": "Hal", "kind": "bot"})


def test_a_seats_token_gets_another_one_for_the_rematch(api: Api) -> None:
    key, ada, ben = api.table()
    api.ask("POST", f"matches/{key}/resign", None, ada)
    first = api.ask("POST", f"matches/{key}/rematch", None, ada).json()
    second = api.ask("POST", f"matches/{key}/rematch", None, ben).json()
    assert first["match"] == second["match"] and (first["seat"], second["seat"]) == ("B", "A")
    assert api.match(second["match"], second["token"])["status"] == "playing"
    problem(api.get(f"matches/{second['match']}", ben), 403)


def test_a_stranger_makes_no_rematch_and_a_banned_program_neither(api: Api, table: Table) -> None:
    table.over()
    path = f"matches/{table.key}/rematch"
    problem(Program(api, "Eve").ask("POST", path), 403)
    problem(api.ask("POST", path), 401)
    measures.take("ban", None, guest=table.hal.row.guest, ends_at=measures.until("7"))
    problem(table.hal.ask("POST", path), 403)
    assert Match.objects.count() == 1


def test_people_and_programs_hear_each_other(table: Table) -> None:
    table.alice.do(table.seat, "talk", text="Hello, robot", phrase="luck")
    talk = table.hal.get(f"matches/{table.key}/talk").json()
    assert talk["before"] is None
    (heard,) = talk["messages"]
    assert (heard["seat"], heard["name"], heard["text"]) == ("A", "Alice", "Hello, robot")
    assert (heard["to"], heard["phrase"]) == (None, "luck")
    said = table.hal.ask("POST", f"matches/{table.key}/talk", {"text": "Hello, <b>person</b>"})
    assert said.status_code == 201 and said.json()["seat"] == "B"
    page = table.alice.get(f"/m/{table.key}/A/talk/").content.decode()
    assert "Hello, &lt;b&gt;person&lt;/b&gt;" in page and "Hal" in page
    assert Message.objects.get(seat__letter="B").guest == table.hal.row.guest
    assert table.hal.get("me/export").json()["talk"]["messages"][0]["text"].startswith("Hello, <b>")


def test_a_program_takes_back_what_it_has_said(table: Table, time: Time) -> None:
    path = f"matches/{table.key}/talk"
    table.alice.do(table.seat, "talk", text="Hello, robot")
    (hers,) = table.hal.get(path).json()["messages"]
    said = table.hal.ask("POST", path, {"text": "Oops"}).json()
    time.pass_(seconds=5)
    for _again in range(2):
        assert table.hal.ask("DELETE", f"{path}?at={said['at']}").status_code == 204
    assert [one["text"] for one in table.hal.get(path).json()["messages"]] == ["Hello, robot"]
    time.pass_(seconds=5)
    assert table.hal.ask("DELETE", f"{path}?at={hers['at']}").status_code == 204
    assert Message.objects.get().text == "Hello, robot", "it is not the program's own"
    problem(table.hal.ask("DELETE", path), 422)
    problem(table.hal.ask("DELETE", f"{path}?at=now"), 422)
    said = table.hal.ask("POST", path, {"text": "Well"}).json()
    table.alice.get(f"/m/{table.key}/A/talk/")
    time.pass_(minutes=2)
    problem(table.hal.ask("DELETE", f"{path}?at={said['at']}"), 409)


def test_what_is_said_to_one_is_for_that_one_alone(api: Api, hal: Program) -> None:
    made = hal.make(seats=3)
    eve, lil = Program(api, "Eve"), Program(api, "Lil")
    eve.join(made), lil.join(made)
    path = f"matches/{made['match']}/talk"
    assert hal.ask("POST", path, {"text": "Psst", "to": ["C"]}).json()["to"] == ["C"]
    assert [one["text"] for one in lil.get(path).json()["messages"]] == ["Psst"]
    assert eve.get(path).json() == {"messages": [], "before": None}
    problem(api.get(path), 401)
    problem(Program(api, "Ada").get(path), 403)
    problem(hal.ask("POST", path, {"text": "Psst", "to": ["A"]}), 409)


def test_a_muted_program_says_nothing_too_much_is_429_and_some_texts_cannot_be_said(
    table: Table, settings: Any, seconds: Any
) -> None:
    path = f"matches/{table.key}/talk"
    for body, pointer in (
        ({}, "/text"),
        ({"text": " "}, "/text"),
        ({"text": "x" * 501}, "/text"),
        ({"phrase": "insult"}, "/phrase"),
    ):
        problem(table.hal.ask("POST", path, body), 422, pointer)
    problem(table.hal.get(f"{path}?before=x"), 422)
    assert not Message.objects.exists()
    settings.LIMITS = "on"
    for n in range(settings.BUCKETS["talk"].capacity):
        assert table.hal.ask("POST", path, {"text": f"Number {n}"}).status_code == 201
    refused = table.hal.ask("POST", path, {"text": "One more"})
    problem(refused, 429)
    assert int(refused["Retry-After"]) > 0
    settings.LIMITS = "off"
    measures.take("mute", None, guest=table.hal.row.guest, ends_at=measures.until("7"))
    problem(table.hal.ask("POST", path, {"text": "Hello"}), 403)


def test_messages_are_told_page_by_page_and_hidden_ones_not(table: Table) -> None:
    path = f"matches/{table.key}/talk"
    for n in range(31):
        table.hal.ask("POST", path, {"text": f"Number {n}"})
    Message.objects.filter(text="Number 30").update(hidden=True)
    last = table.hal.get(path).json()
    assert len(last["messages"]) == 30 and last["messages"][-1] | {"at": ""} == {
        "seat": "B", "name": "Hal", "to": None, "text": "", "phrase": None, "phrase_text": None,
        "hidden": True, "at": "",
    }  # fmt: skip
    first = table.hal.get(f"{path}?before={last['before']}").json()
    assert [one["text"] for one in first["messages"]] == ["Number 0"] and first["before"] is None


def test_a_program_keeps_its_seat_by_any_write(table: Table, bob: Browser) -> None:
    bob.make()
    seat = Seat.objects.select_related("match").get(match__key=table.key, letter="B")
    for write in (("POST", "keep", None), ("POST", "proposals", {"kind": "draw", "do": "offer"})):
        seat_requests.ask(seat, Guest.objects.get(name="Bob"))
        assert table.match["seat_request"]
        table.hal.ask(write[0], f"matches/{table.key}/{write[1]}", write[2])
        assert table.match["seat_request"] is None
