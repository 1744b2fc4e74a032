"""Names from right to left disturb nothing beside them, and no translator touches a name."""

from __future__ import annotations

import html
import re

import pytest
from django.urls import reverse

from robosite.matches.models import Seat
from robosite.notices.models import Kind, Notice
from robosite.notices.texts import write_notice
from robosite.people.models import Guest
from robosite.web.written_names import FIRST, LAST, Name, in_elements, without_isolates
from tests.site.browsers import Browser, Table

NAMES = {"A": "שרה", "B": "ليلى"}
TAGS = re.compile(r"<[^>]*>")
KEPT = re.compile(rf'<bdi translate="no">[^<]*</bdi>|{FIRST}[^{FIRST}{LAST}<>]*{LAST}')
FIELD = re.compile(r'<input[^>]*>|data-title="[^"]*"')
"""A name typed into a field stands there alone."""


@pytest.fixture
def named(table: Table) -> Table:
    for letter, name in NAMES.items():
        seat = table.seat(letter)
        Seat.objects.filter(pk=seat.pk).update(name=name)
        Guest.objects.filter(holds__seat=seat).update(name=name)
    return table


def outside(page: str) -> list[str]:
    """The places in a page where nothing isolates a name, with what is around it."""
    rest = KEPT.sub("", html.unescape(FIELD.sub("", page)))
    return [rest[max(0, n - 60) : n + 30] for name in NAMES.values() for n in found(rest, name)]


def found(text: str, name: str) -> list[int]:
    return [one.start() for one in re.finditer(re.escape(name), text)]


def test_no_page_of_a_match_has_a_name_outside_of_an_isolate(named: Table) -> None:
    named.play(("F F F F F", "H H H H H"))
    match = named.match.get_absolute_url()
    paths = [match, f"{match}A/", f"{match}A/talk/", f"{match}A/notes/", "/mine/", "/me/", "/", "/results/"]
    paths += [f"{match}?at=1.2", f"{match}B/", f"/report/{named.key}/", f"{match}time/A/"]
    seen = 0
    for path in paths:
        page = named.alice.get(path).content.decode()
        assert outside(page) == [], path
        seen += len(KEPT.findall(page))
    assert seen > 30
    htmx = {"HX-Request": "true", "HX-Target": "live"}
    update = named.alice.get(f"{match}A/", headers=htmx).content.decode()
    assert outside(update) == [] and KEPT.search(update)


def test_titles_and_what_is_read_aloud_keep_the_isolates(named: Table) -> None:
    page = named.charlie.get(reverse("ask", args=[named.key, "B"])).content.decode()
    title = page.partition("<title>")[2].partition("</title>")[0]
    assert f"{FIRST}{NAMES['B']}{LAST}" in title and "<bdi" not in title


def test_a_name_that_turns_nothing_around_needs_no_isolate_in_plain_text() -> None:
    told = "{who} has 3 points".format(who=Name("Ada"))
    assert without_isolates(told) == "Ada has 3 points"
    assert without_isolates("{who}, 3".format(who=Name("שרה"))) == f"{FIRST}שרה{LAST}, 3"
    assert in_elements(f"<b title='{Name('Ada')}'>{Name('Ada')}</b>") == (
        "<b title='Ada'><bdi translate=\"no\">Ada</bdi></b>"
    )
    assert Name("Ada") == "Ada" and Name("") == "" and not str(Name(""))


def test_notices_keep_a_name_apart_from_what_stands_beside_it(named: Table) -> None:
    notice = Notice(seat=named.a, match=named.match, kind=Kind.SAT, who=NAMES["B"], fact="x", turn=0)
    written = write_notice(notice)
    assert outside(written.title) == [] and NAMES["B"] in written.title


def test_a_part_that_was_finished_before_is_marked_once() -> None:
    once = in_elements(
        '<pre>F ^</pre><div class="board-sheet plain"><span class="plate side-A">A</span></div>'
    )
    assert once.count('translate="no"') == 3
    assert in_elements(once) == once


def test_no_translator_touches_what_programs_are_to_write(db: None, alice: Browser) -> None:
    page = alice.get(reverse("api-docs")).content.decode()
    written = re.findall(r"<(?:code|pre)\b[^>]*>", page)
    assert len(written) > 50 and all('translate="no"' in one for one in written)
