"""Talk is one place, from match to match, with the words that were sealed with turns; notes are one's own."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from robosite.matches import flow
from robosite.matches.flow import Refused, takeback
from robosite.matches.models import Match, Seat
from robosite.people.models import Guest
from robosite.talk import messages, one_talk, turn_notes
from robosite.talk.models import Heard, TurnNote
from tests.site.browsers import FIRST, OTHER, Browser, Table, text

pytestmark = pytest.mark.django_db
WORD, NOTE = TurnNote.Kind.WORD, TurnNote.Kind.NOTE


def said(browser: Browser, seat: Seat, **headers: str) -> list[str]:
    page = text(browser.get(f"{seat.get_absolute_url()}talk/", headers=headers))
    return re.findall(r'class="(?:text"[^>]*|of-match")>([^<]*)<', page)


def again(table: Table) -> dict[str, Seat]:
    """Ends the match, and has Alice and Bob play once more; their new seats by name."""
    flow.resign(table.a)
    for browser, seat in ((table.alice, table.a), (table.bob, table.b)):
        assert browser.do(seat, "rematch").status_code == 302
    made = Match.objects.get(rematch_of=table.match)
    return {seat.name: seat for seat in made.seats.select_related("match")}


def test_a_word_stands_in_the_talk_once_its_turn_is_revealed(table: Table) -> None:
    messages.say(table.b, None, "Before")
    turn_notes.write(table.a, WORD, 0, "Caught you")
    flow.seal(table.a, 0, FIRST)
    assert said(table.bob, table.b) == said(table.alice, table.a) == ["Before"]
    flow.seal(table.b, 0, OTHER)
    messages.say(table.b, None, "After")
    assert said(table.bob, table.b) == said(table.alice, table.a) == ["Before", "Caught you", "After"]
    page = text(table.bob.get(f"{table.b.get_absolute_url()}talk/"))
    assert "Round 1" in page[page.index("Before") : page.index("Caught you")]
    assert "Caught you" not in text(table.charlie.get(f"{table.match.get_absolute_url()}talk/"))


def test_a_rematch_goes_on_in_the_same_talk_until_that_is_long(table: Table) -> None:
    messages.say(table.a, None, "First")
    messages.say(table.a, None, "For Bob alone", to=["B"])
    turn_notes.write(table.b, WORD, 0, "Sealed")
    table.play((FIRST, OTHER))
    seats, bob = again(table), Guest.objects.get(name="Bob")
    page = text(table.bob.get(table.b.get_absolute_url()))
    assert "The next match has begun." in page and seats["Bob"].get_absolute_url() in page
    assert "The next match has begun." not in text(table.charlie.get(table.match.get_absolute_url()))
    messages.say(seats["Alice"], None, "Second")
    assert messages.unread_among(bob, [table.match.pk])
    everything = ["Match 1", "First", "For Bob alone", "Sealed", "Match 2", "Second"]
    for browser, name in ((table.alice, "Alice"), (table.bob, "Bob")):
        assert said(browser, seats[name]) == everything
        assert said(browser, seats[name], **{"HX-Request": "true", "HX-Target": "said"}) == everything
    assert not messages.unread_among(bob, [table.match.pk]) and Heard.objects.exists()
    for number in range(messages.SHOWN - 1):
        messages.say(seats["Alice"], None, f"again {number}")
    page = text(table.bob.get(f"{seats['Bob'].get_absolute_url()}talk/"))
    assert "First" not in page and "Match 1" not in page
    assert f'{table.b.get_absolute_url()}talk/" rel="prev"' in page


def test_who_was_not_there_reads_nothing_of_an_earlier_match(table: Table) -> None:
    """Neither by the seat's link, nor where private messages were for another seat of the table."""
    dora = Browser("Dora")
    messages.say(table.a, None, "First")
    seats = again(table)
    link = text(table.bob.get(f"{seats['Bob'].get_absolute_url()}more/"))
    secret = re.search(r"/s/seat/([^/\"]+)/", link)
    dora.post(f"/s/seat/{secret[1]}/take/")
    assert said(dora, seats["Bob"]) == []
    assert said(table.bob, seats["Bob"]) == ["Match 1", "First", "Match 2"]
    assert "First" not in text(table.charlie.get(f"/m/{seats['Bob'].match.key}/talk/"))


def unread(seat: Seat, name: str) -> int:
    """The number of new messages on the page; My games must mark the match if there are any."""
    seat = Seat.objects.select_related("match").get(pk=seat.pk)
    guest = Guest.objects.get(name=name)
    found = messages.unread(seat.holds.get(guest=guest), seat)
    assert bool(found) == (seat.match_id in messages.unread_among(guest, [seat.match_id]))
    return found


def test_a_word_counts_as_new_from_the_reveal_until_the_talk_is_read(table: Table) -> None:
    """Before the reveal nothing in an update tells that there is such a message."""

    def told() -> str:
        update = text(table.bob.get(table.b.get_absolute_url(), headers={"HX-Request": "true"}))
        return " ".join(re.findall(r'data-new="(\d*)"', update))

    turn_notes.write(table.a, WORD, 0, "Caught you")
    flow.seal(table.a, 0, FIRST)
    assert unread(table.b, "Bob") == 0 and told() == "0"
    flow.seal(table.b, 0, OTHER)
    assert unread(table.b, "Bob") == 1 and told() == "1"
    assert unread(table.a, "Alice") == 0  # it is her own
    messages.say(table.a, None, "Really!")
    assert unread(table.b, "Bob") == 2
    said(table.bob, table.b)
    assert unread(table.b, "Bob") == 0


def test_a_word_with_what_was_taken_back_goes_with_it(robble: Table, bob: Browser) -> None:
    turn_notes.write(robble.a, WORD, 0, "Bold!")
    flow.seal(robble.a, 0, "d4")
    assert unread(robble.b, "Bob") == 1 and turn_notes.words_with(robble.match, 0) == {"A": "Bold!"}
    takeback.ask(robble.a, 1, 0)
    takeback.answer_takeback(robble.b, 1, 0, accept=True)
    assert turn_notes.word_of(robble.a, robble.match) == "" and turn_notes.words_with(robble.match, 0) == {}
    flow.seal(robble.a, 0, "d4")
    assert unread(robble.b, "Bob") == 0 and turn_notes.words_with(robble.match, 0) == {}
    assert said(bob, robble.b) == []


def test_many_matches_in_a_row_cost_a_bounded_number_of_queries(table: Table) -> None:
    counts = []
    here = table
    for _ in range(one_talk.MOST_MATCHES + 3):
        seats = again(here)
        messages.say(seats["Alice"], None, "Play again")
        made = seats["Alice"].match
        alice_first = seats["Alice"].letter == "A"
        first, second = (table.alice, table.bob) if alice_first else (table.bob, table.alice)
        here = Table(made.key, first, second, table.charlie, "")
        with CaptureQueriesContext(connection) as asked:
            said(table.bob, seats["Bob"])
        counts.append(len(asked))
    assert counts[-1] <= counts[one_talk.MOST_MATCHES], counts


def test_the_field_has_the_focus_where_the_talk_was_opened_and_not_where_it_is_renewed(table: Table) -> None:
    def asked(trigger: str) -> str:
        headers = {"HX-Request": "true", "HX-Target": "talk", "HX-Trigger": trigger}
        return text(table.alice.get(f"{table.a.get_absolute_url()}talk/", headers=headers))

    assert "autofocus" in asked("bubble") and "autofocus" not in asked("talk")
    assert "autofocus" not in text(table.alice.get(f"{table.a.get_absolute_url()}talk/"))


def happened(browser: Browser, table: Table, where: str = "", at: str = "") -> str:
    page = text(browser.get(f"/m/{table.key}/{where}{at}"))
    return page.partition('id="happened"')[2]


def test_a_word_is_revealed_with_the_program(table: Table) -> None:
    assert table.alice.do(table.a, "notes", turn=0, word="Caught you <b>").status_code == 302
    assert 'value="Caught you <b>"' in text(table.alice.get(f"{table.a.get_absolute_url()}notes/?word"))
    flow.seal(table.a, 0, FIRST)
    readers = ((table.alice, "A/"), (table.bob, "B/"), (table.charlie, ""))
    assert not any("Caught" in happened(browser, table, where) for browser, where in readers)
    flow.seal(table.b, 0, OTHER)
    assert all("Caught you <b>" in happened(browser, table, where) for browser, where in readers)
    table.play((FIRST, OTHER))
    assert "Caught" not in happened(table.bob, table, "B/")
    assert "Caught" in happened(table.bob, table, "B/", "?at=1.2")


def test_a_word_can_be_changed_or_taken_away_until_the_reveal_and_not_afterwards(
    table: Table, time: Any
) -> None:
    turn_notes.write(table.a, WORD, 0, "One")
    turn_notes.write(table.b, WORD, 0, "Two")
    turn_notes.write(table.a, WORD, 0, "Three")
    turn_notes.write(table.b, WORD, 0, "  ")
    table.play((FIRST, OTHER))
    assert turn_notes.words_with(table.match, 0) == {"A": "Three"}
    with pytest.raises(Refused, match="played without this message"):
        turn_notes.write(table.a, WORD, 0, "Four")
    Match.objects.update(deadline_hours=1, late="fill")
    table.play((FIRST, OTHER))
    turn_notes.write(table.a, WORD, 2, "My best idea")
    time.pass_(hours=2)
    flow.apply_due(table.match)  # the site plays for somebody absent
    assert table.match.turn == 3 and turn_notes.words_with(table.match, 2) == {}
    turn_notes.write(table.a, WORD, 3, "I give up")
    flow.resign(table.a)
    assert table.match.turn == 4 and turn_notes.words_with(table.match, 3) == {}, "never played"


def test_notes_are_for_oneself_and_stay_after_the_match(table: Table) -> None:
    table.alice.do(table.a, "notes", turn=0, note="He likes\r\nthe left")
    table.play((FIRST, OTHER))
    table.alice.do(table.a, "notes", turn=1, note="Or not")
    table.alice.do(table.a, "notes", turn=7, note="From the future")
    flow.resign(table.b)
    own = text(table.alice.get(f"{table.a.get_absolute_url()}notes/"))
    assert "He likes\nthe left" in own and "Or not" in own and "future" not in own
    assert "He likes" not in text(table.bob.get(f"{table.b.get_absolute_url()}notes/"))
    assert table.bob.get(f"{table.a.get_absolute_url()}notes/").status_code == 403


def test_what_is_in_the_margin_lies_encrypted_and_tells_no_length(table: Table) -> None:
    for kind in (WORD, NOTE):
        turn_notes.write(table.a, kind, 0, "CANARY")
        turn_notes.write(table.b, kind, 0, "CANARY " * 28)
        rows = [bytes(row.secret) for row in TurnNote.objects.filter(kind=kind)]
        assert len({len(row) for row in rows}) == 1 and not any(b"CANARY" in row for row in rows)
    for kind, most in turn_notes.LONGEST.items():
        turn_notes.write(table.a, kind, 0, "😀" * most)
        with pytest.raises(Refused, match="too long"):
            turn_notes.write(table.a, kind, 0, "x" * (most + 1))
