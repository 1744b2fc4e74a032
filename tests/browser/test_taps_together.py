"""Quick taps on a bad line: few requests carry them, none is lost or made twice, the page says what is so."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Visit
from tests.browser.people import PHONE, ROUNDS, SMALL, STILL, WAITS_ON, A, B, Person, Watcher, sit
from tests.proxy import Fault, Proxy
from tests.receivers import until
from tests.screenshots.town import Table

FAR = 0.15
"""Seconds each way."""
PROGRAM = "F F TR F TL"


@pytest.fixture
def ada(visit: Visit, line: Proxy, table: Table) -> Person:
    """At her seat on a phone, with what shows taps."""
    ada = sit(visit("Ada", base_url=line.url, **PHONE, **STILL), table)
    ada.page.wait_for_function(
        "() => performance.getEntriesByType('resource').some(one => one.name.includes('/js/row.'))"
    )
    return ada


def tap(ada: Person, program: str, pause: int = 120) -> None:
    for sign in program.split():
        ada.press(ada.key(sign))
        ada.page.wait_for_timeout(pause)


QUICK = """program => Promise.all(program.split(" ").map((sign, n) => new Promise((done) => setTimeout(() => {
    document.querySelector(`#plan .palette [data-sign="${CSS.escape(sign)}"]`).click();
    done();
}, n * 150))))"""
"""Five taps in 0.6 seconds, however slow this test's own hand is."""


NOTES = """() => {
    Object.assign(window, { pressed: 0, refused: 0 });
    const there = (selector) => Number(Boolean(document.querySelector(selector)));
    new MutationObserver(() => {
        window.pressed += there("#plan [name=seal][data-pressed]") && !there("#sealed-title");
        window.refused += there("#plan-why, .missing.refused");
    }).observe(document.body, { attributes: true, childList: true, subtree: true });
}"""
"""Counts changes of the page while the button that seals looks pressed, and while something is missing."""


def is_planned(ada: Person, table: Table, program: str) -> None:
    """Every slot is confirmed, and the server has the same."""
    expect(ada.page.locator("#plan [data-unsure]")).to_have_count(0)
    for n, sign in enumerate(program.split()):
        expect(ada.slots.nth(n)).to_have_attribute("data-sign", "" if sign == "." else sign)
    assert table.drafted(A) == program


def sent(line: Proxy) -> int:
    return sum(one.method == "POST" and one.path.endswith("/plan/") for one in line.asked)


def test_five_quick_taps_take_three_requests_at_the_most_and_a_seal_waits_for_them(
    ada: Person, table: Table, line: Proxy
) -> None:
    line.delay = 1  # all taps are there before the first answer, however late they are
    ada.page.evaluate(QUICK, PROGRAM)
    is_planned(ada, table, PROGRAM)
    assert sent(line) <= 3
    expect(ada.page.locator("#says > :last-child")).to_contain_text("left")  # the last answer
    line.delay = 0
    for n in reversed(range(5)):
        ada.press(ada.slots.nth(n))
    expect(ada.page.locator("#plan [data-unsure], #plan [data-slot]:not([data-sign=''])")).to_have_count(0)
    line.delay = 1
    ada.page.evaluate(NOTES)
    ada.page.evaluate(QUICK, PROGRAM)
    ada.page.evaluate("document.querySelector('#plan button[name=seal]').click()")
    ada.has_sealed(PROGRAM)
    pressed, refused = ada.page.evaluate("[window.pressed, window.refused]")
    assert pressed and not refused, "it looks pressed until its receipt is there, and nothing is missing"


@pytest.mark.parametrize("fault", [Fault.CUT, pytest.param(Fault.BAD_GATEWAY, marks=pytest.mark.more)])
def test_what_was_lost_stays_in_its_slot_and_is_sent_again(
    ada: Person, table: Table, line: Proxy, fault: Fault
) -> None:
    line.becomes(fault)
    tap(ada, "F F TR")
    expect(ada.page.locator("#plan-trouble[data-says=tap]")).to_be_visible()
    expect(ada.page.locator("#plan [data-unsure=unsent]")).to_have_count(3)
    tap(ada, "F")
    expect(ada.page.locator("#plan [data-unsure=unsent]")).to_have_count(4)
    line.becomes(None)
    is_planned(ada, table, "F F TR F .")
    expect(ada.page.locator("#plan-trouble")).to_have_count(0)


def test_a_tap_that_comes_too_late_says_so(ada: Person, table: Table, line: Proxy) -> None:
    line.becomes(Fault.BAD_GATEWAY)
    tap(ada, "F F")
    expect(ada.page.locator("#plan-trouble[data-says=tap]")).to_be_visible()
    table.seal(A, "TL TL TL TL TL", 0)
    table.seal(B, "TL TL TL TL TL", 0)
    line.becomes(None)
    expect(ada.page.locator("#live")).to_have_attribute("data-turn", "1")
    ada.come_to_now()
    told = ada.page.locator("#plan-trouble[data-says=undone], #error")
    expect(told.first).to_be_visible()
    expect(ada.page.locator("#plan [data-unsure]")).to_have_count(0)


@pytest.mark.more
def test_why_a_tap_was_not_taken_stays_through_an_update(ada: Person, table: Table, line: Proxy) -> None:
    line.refuses_sockets = True
    line.drop_sockets()
    for seat in (A, B):
        table.seal(seat, "TL TL TL TL TL", 0)
    tap(ada, "F")
    error = ada.page.locator("#error")
    expect(error).to_be_visible()
    line.heals()
    version = ada.page.locator("#live").get_attribute("data-version")
    ada.page.locator("#live").evaluate("live => live.dataset.before = ''")
    table.seal(B, "TL TL TL TL TL", 1)
    expect(ada.page.locator("#live:not([data-before])")).not_to_have_attribute("data-version", version or "")
    expect(error).to_be_visible()
    ada.come_to_now()
    ada.press(ada.key("F"))
    expect(error).to_have_count(0)


def test_an_update_does_not_wait_for_a_look_ahead_that_hangs_and_who_leaves_loses_no_tap(
    ada: Person, table: Table, line: Proxy
) -> None:
    line.breaks(Fault.HANGS, method="GET", path=r"/A/$", of=1)
    with ada.page.expect_request(lambda request: request.headers.get("hx-target") == "ahead"):
        tap(ada, "F")
    until(lambda: line.broken("/A/"))
    line.rules = []
    for seat in (A, B):
        table.seal(seat, "TL TL TL TL TL", 0)
    expect(ada.page.locator("#live")).to_have_attribute("data-turn", "1")
    ada.come_to_now()
    line.delay = FAR
    tap(ada, PROGRAM, pause=10)
    ada.page.goto("/learn/pigs/")
    until(lambda: table.drafted(A) == PROGRAM)


def test_two_pages_agree_though_one_was_cut_off(ada: Person, table: Table, line: Proxy) -> None:
    tap(ada, "F")
    is_planned(ada, table, "F . . . .")
    laptop = ada.another_tab()
    line.becomes(Fault.CUT)
    tap(ada, "F TR")
    expect(ada.page.locator("#plan-trouble[data-says=tap]")).to_be_visible()
    line.becomes(None)
    laptop.press(laptop.key("TL"))
    for page in (ada, laptop):
        expect(page.page.locator("#plan [data-unsure]")).to_have_count(0)
        expect(page.page.locator("#plan [data-slot]:not([data-sign=''])")).to_have_count(4)
        is_planned(page, table, table.drafted(A))
    assert sorted(table.drafted(A).split()) == sorted(["F", "F", "TR", "TL", "."])


@pytest.mark.more
def test_focus_stays_where_it_is_and_what_another_page_did_is_read_out(
    ada: Person, table: Table, line: Proxy
) -> None:
    line.delay = FAR
    ada.press(ada.key("F"))
    link = ada.page.locator("#back")
    link.focus()
    is_planned(ada, table, "F . . . .")
    expect(link).to_be_focused()
    ada.key("TL").focus()
    ada.page.keyboard.press("Enter")
    is_planned(ada, table, "F TL . . .")
    expect(ada.key("TL")).to_be_focused()
    laptop = ada.another_tab()
    laptop.press(laptop.key("v"))
    expect(ada.slots.nth(2)).to_have_attribute("data-sign", "v")
    expect(ada.page.locator("#says > :last-child")).to_contain_text("back")


TROUBLE = """() => {
    window.notes = [];
    const note = () => notes.push([
        Boolean(document.getElementById("sealed-title")),
        document.getElementById("plan-trouble")?.dataset.says ?? "",
    ]);
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
}"""
"""Notes, at each change of the page, whether the order is sealed there, and what trouble it tells of."""
IN_SIGHT = """one => {
    const { top, bottom, left, right } = one.getBoundingClientRect();
    const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return top >= 0 && bottom <= innerHeight && one.contains(there);
}"""


@pytest.fixture
def alice(visit: Visit, table: Table, watcher: Watcher) -> Person:
    watcher.allow(r"ERR_|Failed to load resource|htmx:")
    one = visit("Ada", **SMALL, **STILL)
    one.page.add_init_script(WAITS_ON)
    sit(one, table)
    one.come_to_now()
    return one


class Line:
    """The line of a page: what the planner sends gets no answer, and later pages do not come at all.

    Answers that a page asks for ahead of taps, which it does when it likes, are no pages.
    """

    def __init__(self, person: Person, *, arrives: bool) -> None:
        self.arrives, self.pages = arrives, 0
        self.most = 10**6
        person.page.route("**/plan/", self._lose)
        person.page.route("**/m/*/A/", self._bring)

    def _lose(self, route: Route) -> None:
        if self.arrives:
            route.fetch()
        route.abort()

    def _bring(self, route: Route) -> None:
        self.pages += route.request.headers.get("hx-target") != "ahead"
        if self.pages <= self.most:
            route.continue_()
        else:
            route.abort()


@pytest.mark.more
def test_what_is_told_of_lost_taps_is_in_sight(alice: Person) -> None:
    other = alice.another_tab()
    other.come_to_now()
    Line(alice, arrives=False)
    alice.press(alice.key("F"))
    note = alice.page.locator("#plan-trouble")
    expect(note).to_have_attribute("data-says", "tap")
    assert note.evaluate(IN_SIGHT)
    other.seal(ROUNDS[0][0])
    expect(alice.page.locator("#sealed-title")).to_be_attached()
    expect(note).to_have_attribute("data-says", "undone")
    until(lambda: note.evaluate(IN_SIGHT))


def test_a_seal_that_waits_for_its_answer_says_so_until_it_is_shown(alice: Person, table: Table) -> None:
    alice.choose(ROUNDS[0][0])
    until(lambda: alice.page.locator("#plan [data-unsure]").count() == 0)
    under_way: list[Route] = []
    alice.page.route("**/plan/", lambda route: under_way.append(route))
    alice.press(alice.page.locator("#plan button[name=seal]"))
    note = alice.page.locator("#plan-trouble")
    expect(note).to_have_attribute("data-says", "tap")
    until(lambda: note.evaluate(IN_SIGHT))
    assert len(under_way) == 1, "no second request has gone out"
    under_way[0].continue_()
    expect(alice.page.locator("#sealed-title")).to_be_visible()
    expect(note).to_have_count(0)
    alice.page.unroute_all()

    alice.press(alice.button("Reopen"))
    expect(alice.seal_button).to_be_enabled()
    line = Line(alice, arrives=True)
    line.most = 1  # brought by the news that the order is sealed; to look again is in vain
    alice.page.evaluate(TROUBLE)
    alice.press(alice.page.locator("#plan button[name=seal]"))
    expect(alice.page.locator("#sealed-title")).to_be_visible()
    alice.page.wait_for_timeout(3_000)
    noted = alice.page.evaluate("notes")
    assert [False, "tap"] in noted, "the answer was lost, and the page said so"
    first = next(n for n, (sealed, _) in enumerate(noted) if sealed)
    assert {said for _, said in noted[first:]} == {""}, noted[first:]
    assert line.pages == 1, "there is nothing to look for any more"


def test_a_page_that_was_cut_is_asked_for_again(visit: Visit, table: Table, watcher: Watcher) -> None:
    watcher.allow(r"EvalError|unsafe-eval|htmx|Content Security Policy|WebSocket")
    alice = sit(visit("Ada", **PHONE), table)
    where, cut = alice.address, 0

    def cut_twice(route: Route) -> None:
        nonlocal cut
        answer = route.fetch()
        page = answer.text()
        if cut < 2 and route.request.is_navigation_request():  # the page before may still ask for an update
            cut, page = cut + 1, page[: page.index('id="live"')]
        route.fulfill(response=answer, body=page)

    alice.page.route(where, cut_twice)
    alice.page.goto(where)
    expect(alice.page.locator("#live")).to_be_visible()
    alice.choose("F F F F F")
    assert cut == 2
