"""Talk at a table and from match to match: its readers, words sealed with turns, notes, limits."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from robosite.matches import flow
from robosite.matches.flow import Refused, takeback
from robosite.matches.models import Match, Seat
from robosite.moderation.models import Report
from robosite.notices.models import Channel, Notice
from robosite.people.models import Guest
from robosite.talk import messages, one_talk, personal_data, turn_notes, undo
from robosite.talk.models import Heard, Message, Recipient, TurnNote
from robosite.web.bounds import BUCKETS
from tests.site.browsers import FIRST, OTHER, Browser, Table, text
from tests.site.people.test_sent_forms import token_of

WORD, NOTE = TurnNote.Kind.WORD, TurnNote.Kind.NOTE


def heard(browser: Browser, seat: Seat) -> str:
    return text(browser.get(f"{seat.get_absolute_url()}talk/"))


def test_players_read_what_players_say_and_watchers_do_not(table: Table) -> None:
    told: list[Any] = []

    def listen(sender: Any, message: Message, **more: Any) -> None:
        told.append(
            (message.text, connection.in_atomic_block, [seat.name for seat in messages.hearers(message)])
        )

    messages.said.connect(listen)
    before = table.match.version
    try:
        assert table.alice.do(table.a, "talk", text="Good evening").status_code == 302
    finally:
        messages.said.disconnect(listen)
    assert told == [("Good evening", True, ["Bob"])], "in the same transaction"
    turn_notes.write(table.a, WORD, 0, "Ha!")
    turn_notes.write(table.a, NOTE, 0, "Hm")
    assert table.match.version == before
    shown = heard(table.alice, table.a)
    assert "Good evening" in heard(table.bob, table.b) and "Good evening" in shown
    assert current(shown) == ["Send"] and "threads" not in shown, "two have one thread"
    for page in (f"/m/{table.key}/", f"/m/{table.key}/talk/"):
        assert "Good evening" not in text(table.charlie.get(page))
    assert table.charlie.get(f"{table.a.get_absolute_url()}talk/").status_code == 403
    Match.objects.update(watched=False)
    where = f"/m/{table.key}/talk/"
    assert table.charlie.get(where).status_code == 403, "where nobody watches no watcher talks"
    assert table.charlie.post(where, {"text": "Hm", "name": "C"}).status_code == 403


def test_what_is_said_is_text_and_nothing_else(table: Table) -> None:
    table.alice.do(table.a, "talk", text='<b onclick="x()">bold</b> https://example.org {{ 1 }}\u202egnp')
    page = table.bob.get(f"{table.b.get_absolute_url()}talk/").content.decode()
    assert "&lt;b onclick=&#34;x()&#34;&gt;bold&lt;/b&gt; https://example.org {{ 1 }}gnp" in page
    assert "<b onclick" not in page and 'href="https://example.org' not in page


def test_a_stock_phrase_is_read_in_the_readers_language_with_what_was_typed(table: Table) -> None:
    table.alice.do(table.a, "talk", phrase="nice")
    assert Message.objects.get().text == "" and "Well played!" in heard(table.bob, table.b)
    table.alice.do(table.a, "talk", phrase="thanks", text="Same time tomorrow?")
    table.bob.cookies["django_language"] = "de"
    shown = heard(table.bob, table.b)
    assert "Well played!" not in shown and "Same time tomorrow?" in shown
    assert "Thanks for the match!" in heard(table.alice, table.a)
    assert table.alice.do(table.a, "talk", text="\r\n".join("x" * 250)).status_code == 302
    assert Message.objects.latest("pk").text.count("\n") == 249, "line breaks count once"


@pytest.mark.parametrize("given", [{"text": " \n "}, {"text": "x" * 501}, {"phrase": "rude"}, {}])
def test_what_cannot_be_said_is_refused_and_stays_typed(table: Table, given: dict[str, str]) -> None:
    answer = table.alice.do(table.a, "talk", **given)
    assert answer.status_code == 422 and 'role="alert"' in text(answer)
    assert given.get("text", "").strip() in text(answer)
    assert not Message.objects.exists()


def test_what_is_sent_again_is_said_once(three: Table, charlie: Browser) -> None:
    """As after an answer that was lost on its way; what was changed before is another message."""
    for browser, path in ((three.alice, f"/m/{three.key}/A/talk/"), (charlie, f"/m/{three.key}/talk/")):
        form = token_of(browser, path)
        once = re.search(r'name="once" value="(\w+)"', text(browser.get(path)))[1]
        for said in ("Ha!", "Ha!", "Ho!", "Ha!"):
            answer = browser.post(path, {"text": said, "once": once, "name": browser.name, **form})
            assert answer.status_code == 302
        # from another form, or with a mark that others have used, it is a message of its own
        browser.post(path, {"text": "Ha!", "once": "another", "name": browser.name, **form})
    assert three.bob.post(f"/m/{three.key}/B/talk/", {"text": "Ha!", "once": "another"}).status_code == 302
    told = list(Message.objects.order_by("pk").values_list("name", "text"))
    assert told == [
        *[("Alice", said) for said in ("Ha!", "Ho!", "Ha!")],
        *[("Charlie", said) for said in ("Ha!", "Ho!", "Ha!")],
        ("Bob", "Ha!"),
    ]
    Message.objects.all().delete()
    form = token_of(three.alice, f"/m/{three.key}/A/talk/")
    for mark in ("a", "\x7f" * 99):
        for others in (["B"], ["B"], ["C"], []):
            given = {"text": "Ha!", "to": others, "once": mark, **form}
            assert three.alice.post(f"/m/{three.key}/A/talk/", given).status_code == 302
    to = [sorted(one.seat.letter for one in one.recipients.all()) for one in Message.objects.order_by("pk")]
    assert to == [["A", "B"], ["A", "C"], []] * 2, "the same words to others are another message"


def test_a_private_message_is_for_its_readers_alone(three: Table, dora: Browser) -> None:
    for to in ("A", "D", "", "<b>", "AB"):
        answer = three.alice.do(three.a, "talk", text="Hello?", to=to)
        assert answer.status_code == 422 and "one in seat" in text(answer), "nobody who is not there"
    three.alice.do(three.a, "talk", text="Against Dora?", to="B")
    assert "Against Dora?" in heard(three.bob, three.b)
    assert "Against Dora?" in heard(three.alice, three.a)
    for browser, page in (
        (dora, f"/m/{three.key}/C/"),
        (dora, f"/m/{three.key}/C/talk/"),
        (three.charlie, "/"),
    ):
        assert "Against Dora?" not in text(browser.get(page))
    assert "No messages yet" in heard(dora, three.seat("C"))
    three.alice.do(three.a, "talk", text="You two", to=["B", "C"])
    assert "to Bob and Dora alone" in heard(three.bob, three.b)
    assert "You two" in heard(dora, three.seat("C"))
    assert [seat.name for seat in messages.hearers(Message.objects.latest("pk"))] == ["Bob", "Dora"]


def test_a_seat_page_says_how_much_is_new_to_whom_until_it_is_read(three: Table, dora: Browser) -> None:
    def new(browser: Browser, letter: str) -> str:
        page = text(browser.get(f"/m/{three.key}/{letter}/"))
        found = re.search(r'id="talk-new"[^>]*>(?:\s*<link[^>]*>)?\s*<span class="count">(\d+)<', page)
        return found[1] if found else ""

    three.alice.do(three.a, "talk", text="To all")
    three.alice.do(three.a, "talk", text="To Bob", to="B")
    seat = three.b.get_absolute_url()
    three.bob.head(f"{seat}talk/")  # to look without reading leaves it new
    assert "2" in text(three.bob.get(seat, headers={"HX-Request": "true", "HX-Target": "talk-new"}))
    assert messages.unread(three.b.holds.get(), three.b) == 2
    assert (new(three.alice, "A"), new(three.bob, "B"), new(dora, "C")) == ("", "2", "1")
    heard(three.bob, three.b)
    assert (new(three.bob, "B"), new(dora, "C")) == ("1", "1")
    heard(three.bob, three.b)
    assert (new(three.bob, "B"), new(dora, "C")) == ("", "1")
    assert three.charlie.head(f"/m/{three.key}/talk/").status_code == 200
    for shown_on, told in (("", True), ("?at=2.0", True), ("talk/", False), ("notes/?word", False)):
        url = f"http://testserver{seat}{shown_on}"
        asked = {"HX-Request": "true", "HX-Target": "said", "HX-Current-URL": url}
        assert ('id="talk-new"' in text(three.bob.get(f"{seat}talk/", headers=asked))) is told, shown_on


def test_who_comes_to_a_seat_that_was_left_reads_nothing_private(alice: Browser, bob: Browser) -> None:
    match, erin, fred = alice.make(4), Browser("Erin"), Browser("Fred")
    a, b, c, _d = Seat.objects.select_related("match").filter(match=match).order_by("letter")
    invite = alice.own_links(a)["invite"]
    bob.join(invite)
    assert "Anyone who joins can read this." in heard(alice, a), "nobody is told that only some read it"
    alice.do(a, "talk", text="Psst, Bob", to="B")
    b.refresh_from_db()
    turn_notes.write(b, NOTE, 0, "Bob's own note")
    turn_notes.write(b, WORD, 0, "Bob's own word")
    bob.do(b, "leave")
    erin.join(invite)
    shown = heard(erin, b) + text(erin.get(f"{b.get_absolute_url()}notes/"))
    assert "Psst" not in shown and "own note" not in shown and "own word" not in shown
    fred.join(invite)
    c.refresh_from_db()
    turn_notes.write(c, NOTE, 0, "Mine")
    messages.say(a, None, "Psst", to="C")
    erin.do(b, "leave")
    alice.do(a, "start")  # with fewer: it moves the letters and not the secrets
    moved = Seat.objects.select_related("match").get(pk=c.pk)
    assert moved.letter == "B" and turn_notes.note_of(moved, 0) == "Mine"
    assert [one.text for one in messages.at_table(moved).messages] == ["Psst"]


def current(page: str) -> list[str]:
    """The thread that is open, and the words on the button that sends."""
    found = re.findall(r'(?:aria-current="true"|id="say-it")>(.*?)</(?:a|button)>', page, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]*>", "", one).split()) for one in found]


def test_who_answers_a_private_message_answers_there(three: Table, dora: Browser) -> None:
    three.alice.do(three.a, "talk", text="To all")
    three.alice.do(three.a, "talk", text="Psst", to="B")
    page = heard(three.bob, three.b)
    assert current(page) == ["Everyone", "Send to everyone"] and "To all" in page and "Psst" not in page
    page = heard(three.bob, three.b)  # what is left to read
    assert current(page) == ["Alice", "Send to Alice"] and "Psst" in page and "To all" not in page
    form = token_of(three.bob, f"/m/{three.key}/B/talk/?to=A")
    given = {"text": "I am in", "to": "A", **form}
    answer = three.bob.post(f"/m/{three.key}/B/talk/?to=A", given)
    assert answer.status_code == 302 and answer["Location"].endswith("/B/talk/?to=A")
    assert current(heard(three.bob, three.b)) == ["Alice", "Send to Alice"], "the receiver stays"
    assert Message.objects.last().to_all is False
    assert "I am in" not in heard(dora, three.seat("C"))
    asked = {"HX-Request": "true", "HX-Target": "talk"}
    given = {"text": "Now?", "to": "A"}
    page = text(three.bob.post(f"/m/{three.key}/B/talk/?to=A", given, headers=asked))
    assert current(page) == ["Alice", "Send to Alice"]


def test_a_thread_holds_what_two_say_to_each_other(three: Table, dora: Browser) -> None:
    for browser, seat, to in (
        (three.alice, three.a, "B"),
        (dora, three.seat("C"), "B"),
        (dora, three.seat("C"), ""),
    ):
        browser.do(seat, "talk", text=f"{browser.name} to {to or 'all'}", **({"to": to} if to else {}))
    where = f"{three.b.get_absolute_url()}talk/"
    for to, said in (("A", ["Alice to B"]), ("C", ["Dora to B"]), ("all", ["Dora to all"])):
        page = text(three.bob.get(f"{where}?to={to}"))
        assert re.findall(r'class="text" dir="auto">([^<]+)<', page) == said
    assert messages.unread(three.b.holds.get(), three.b) == 0
    for to in ("", "B", "D", "ALL", "<b>"):
        page = text(three.bob.get(where, {"to": to}))
        assert current(page) == ["Everyone", "Send to everyone"], "an unknown thread is that of all"


def undo_button(page: str) -> str:
    found = re.search(r'name="undo" value="(\d+)"', page)
    return found[1] if found else ""


def test_a_message_is_taken_back(three: Table, dora: Browser) -> None:
    three.alice.do(three.a, "talk", text="First")
    three.alice.do(three.a, "talk", text="Slip")
    page = heard(three.alice, three.a)
    assert undo_button(page) == str(undo.key_of(Message.objects.get(text="Slip")))
    assert not undo_button(heard(dora, three.seat("C")))
    for _ in range(2):  # the form may come twice
        assert three.alice.do(three.a, "talk", undo=undo_button(page)).status_code == 302
    assert [one.text for one in Message.objects.all()] == ["First"]
    for browser, seat in ((three.alice, three.a), (three.bob, three.b), (dora, three.seat("C"))):
        assert "Slip" not in heard(browser, seat)
    assert [one["text"] for one in personal_data.export(three.a.holds.get().guest)["messages"]] == ["First"]
    three.alice.do(three.a, "talk", text="Another", to="B")
    shown = messages.at_table(three.b).messages
    given = {"undo": undo.key_of(Message.objects.latest("pk"))}
    asked = {"HX-Request": "true", "HX-Target": "talk"}
    page = text(three.alice.post(f"/m/{three.key}/A/talk/?to=B", given, headers=asked))
    assert ">Another</textarea>" in page and current(page)[-1] == "Send to Bob"
    Message.objects.all().delete()
    assert not undo.mark_read(shown, lambda one: False), "a reader who comes between sees it no more"


def test_it_is_taken_back_for_a_minute_and_until_it_is_read(table: Table, time: Any) -> None:
    table.alice.do(table.a, "talk", text="Unread")
    time.pass_(minutes=2)
    assert undo_button(heard(table.alice, table.a))
    heard(table.bob, table.b)
    number = undo.key_of(Message.objects.get())
    assert not undo_button(heard(table.alice, table.a))
    answer = table.alice.do(table.a, "talk", undo=number)
    assert answer.status_code == 422 and "Someone has read this already." in text(answer)
    assert Message.objects.exists()
    table.alice.do(table.a, "talk", text="Read")
    heard(table.bob, table.b)
    assert table.alice.do(table.a, "talk", undo=undo.key_of(Message.objects.latest("pk"))).status_code == 302
    assert [one.text for one in Message.objects.all()] == ["Unread"]


def test_nobody_takes_back_what_others_said(three: Table, dora: Browser) -> None:
    three.alice.do(three.a, "talk", text="Mine")
    three.charlie.post(f"/m/{three.key}/talk/", {"name": "Charlie", "text": "Mine too"})
    for browser, page in ((three.bob, "B/"), (dora, "C/"), (three.charlie, ""), (Browser(""), "")):
        for one in Message.objects.exclude(name=browser.name):
            browser.post(f"/m/{three.key}/{page}talk/", {"undo": undo.key_of(one)})
    assert Message.objects.count() == 2
    three.charlie.post(f"/m/{three.key}/talk/", {"undo": undo.key_of(Message.objects.latest("pk"))})
    assert [one.name for one in Message.objects.all()] == ["Alice"]


def test_a_notice_of_it_goes_and_a_report_keeps_it(table: Table) -> None:
    Channel.objects.create(guest=table.b.holds.get().guest, kind="feed", on=True, made_at=timezone.now())
    table.alice.do(table.a, "talk", text="Rude")
    assert Notice.objects.filter(kind="message").exists()
    about = {"about": f"message-{Message.objects.get().pk}", "reason": "spam"}
    assert table.bob.post(f"/report/{table.key}/", about).status_code == 302
    table.alice.do(table.a, "talk", undo=undo.key_of(Message.objects.get()))
    assert not Message.objects.exists() and not Notice.objects.filter(kind="message").exists()
    report = Report.objects.get()
    assert (report.shown, report.guest, report.seat) == ("Rude", table.a.holds.get().guest, table.a)


def test_what_watchers_say_players_read_when_it_is_over(table: Table) -> None:
    dora, where = Browser("Dora"), f"/m/{table.key}/talk/"
    assert table.charlie.post(where, {"name": "Charlie", "text": "Bob will lose"}).status_code == 302
    assert "Bob will lose" in text(dora.get(where))
    for browser, seat in ((table.alice, table.a), (table.bob, table.b)):
        refused = browser.get(where)
        assert refused.status_code == 403 and "until it’s over" in text(refused)
        assert "Bob will lose" not in heard(browser, seat)
        assert browser.post(where, {"name": "Spy", "text": "Hi"}).status_code == 403
        assert "Spectator chat" not in text(browser.get(f"/m/{table.key}/?public"))
    flow.resign(table.b)
    assert "Bob will lose" in text(table.bob.get(where))
    assert 'id="bubble"' not in text(table.bob.get(f"/m/{table.key}/?public"))
    assert f'href="{where}">Spectator chat' in heard(table.bob, table.b)
    assert "Bob will lose" not in heard(table.bob, table.b)


@pytest.mark.parametrize("name", ["", "Alice", "аlice", "x" * 30, "Charlie"])
def test_a_watcher_has_a_name_of_his_own(table: Table, name: str) -> None:
    where = f"/m/{table.key}/talk/"
    table.charlie.post(where, {"name": "Charlie", "text": "First"})
    before = Guest.objects.count()
    answer = Browser("").post(where, {"name": name, "text": "Hello"})
    assert answer.status_code == 422 and "Hello" in text(answer)
    assert (Message.objects.count(), Guest.objects.count()) == (1, before)


@pytest.mark.parametrize("query", ["", "?at=1.1"])
def test_a_player_who_opens_the_public_page_is_at_their_own_seat(table: Table, query: str) -> None:
    public = f"/m/{table.key}/"
    answer = table.bob.get(public + query)
    assert answer.status_code == 302 and answer["Location"] == f"/m/{table.key}/B/{query}"
    assert table.charlie.get(public).status_code == 200
    menu = text(table.bob.get(f"/m/{table.key}/B/more/"))
    assert f'href="{public}?public"' in menu and table.bob.get(f"{public}?public").status_code == 200


def test_who_says_too_much_is_told_when_to_go_on(table: Table, limited: Any) -> None:
    answers = [table.alice.do(table.a, "talk", text=f"Message {n}") for n in range(12)]
    assert [one.status_code for one in answers] == [302] * 10 + [429] * 2
    assert "send it again in" in text(answers[-1]) and "Message 11" in text(answers[-1])
    assert 0 < int(answers[-1]["Retry-After"]) <= 66
    table.alice.cookies["django_language"] = "es"
    assert "Vuelve a enviarlo dentro de" in text(table.alice.do(table.a, "talk", text="Hola"))
    assert table.bob.do(table.b, "talk", text="My turn").status_code == 302


def test_watchers_of_one_address_share_a_measure(table: Table, limited: Any) -> None:
    where = f"/m/{table.key}/talk/"
    watcher, may = Browser(""), BUCKETS["talk"].capacity
    answers = [watcher.post(where, {"name": "Wanda", "text": f"Spam {n}"}) for n in range(may + 2)]
    assert [one.status_code for one in answers][-1] == 429, "one watcher has the measure of a player"
    rest = BUCKETS["talk/watchers"].capacity - may - 1
    answers = [Browser("").post(where, {"name": f"W{n}", "text": "Spam"}) for n in range(rest + 2)]
    assert [one.status_code for one in answers] == [302] * rest + [429] * 2


def many(table: Table, count: int) -> None:
    """Sends that many messages from Alice to all, and as many to Bob alone."""
    began = timezone.now()
    at = [began + timedelta(seconds=n) for n in range(2 * count)]
    rows = [
        Message(match=table.match, seat=table.a, name="Alice", text=f"{n}.", to_all=not n % 2, sent_at=moment)
        for n, moment in enumerate(at)
    ]
    rows = Message.objects.bulk_create(rows)
    private = [row for row in rows if not row.to_all]
    Recipient.objects.bulk_create(
        Recipient(message=row, seat=seat, sent_at=row.sent_at)
        for row in private
        for seat in (table.a, table.b)
    )


def test_older_messages_are_a_link_away(table: Table) -> None:
    many(table, 40)
    seen: list[int] = []
    where = f"{table.b.get_absolute_url()}talk/"
    while where:
        page = text(table.bob.get(where))
        seen = [int(n) for n in re.findall(r'<p class="text" dir="auto">(\d+)\.</p>', page)] + seen
        older = re.search(r'href="([^"]+)" rel="prev"', page)
        where = older[1] if older else ""
    assert seen == list(range(80))


@pytest.mark.parametrize("count", [10, 200])
def test_a_long_talk_costs_no_more_queries_and_no_scan(table: Table, count: int) -> None:
    many(table, count)
    with CaptureQueriesContext(connection) as asked:
        shown = messages.at_table(table.b)
        messages.unread(table.b.holds.get(), table.b)
    assert len(shown.messages) == min(2 * count, messages.SHOWN)
    assert len(asked) <= 12
    for one in asked.captured_queries:
        if connection.vendor == "sqlite" and one["sql"].startswith("SELECT"):
            with connection.cursor() as cursor:
                cursor.execute("EXPLAIN QUERY PLAN " + one["sql"])
                plan = " ".join(str(row[-1]) for row in cursor.fetchall())
            assert "SCAN talk" not in plan, (one["sql"], plan)


def test_one_takes_along_or_has_erased_what_one_said_and_wrote(three: Table, dora: Browser) -> None:
    three.alice.do(three.a, "talk", text="Psst", to="B")
    three.bob.do(three.b, "talk", text="What?", phrase="wow")
    turn_notes.write(three.b, NOTE, 0, "Odd")
    turn_notes.write(three.a, NOTE, 0, "Fine")
    guest = three.b.holds.get().guest
    data = personal_data.export(guest)
    assert [one["text"] for one in data["messages"]] == ["I didn’t see that coming.\nWhat?"]
    assert data["words_and_notes"] == [{"match": three.key, "turn": 1, "kind": "note", "text": "Odd"}]
    (psst,) = personal_data.export(three.a.holds.get().guest)["messages"]
    assert (psst["text"], psst["to"]) == ("Psst", ["Bob"])
    phone = Guest.objects.create(name="Bob's phone")
    personal_data.merge(guest, phone)
    assert personal_data.export(guest)["messages"] == [] and len(personal_data.export(phone)["messages"]) == 1
    personal_data.forget(phone)
    personal_data.forget(guest)
    assert personal_data.export(guest) is None and turn_notes.note_of(three.a, 0) == "Fine"
    kept = heard(three.alice, three.a)
    assert "What?" in kept and "<b>Somebody</b>" in kept and "<b>Bob</b>" not in kept


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
