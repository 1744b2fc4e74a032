"""Templates: as they are written, the parts that are kept, names in them."""

from __future__ import annotations

import html
import os
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.template import engines
from django.urls import reverse
from django.utils.translation import override
from jinja2 import UndefinedError, nodes

from robosite.jinja.environment import compiled_templates
from robosite.matches import flow
from robosite.matches.models import Seat
from robosite.notices.models import Kind, Notice
from robosite.notices.texts import write_notice
from robosite.people.models import Guest
from robosite.web.caches import MOST_MADE, made_once
from robosite.web.written_names import FIRST, LAST, Name, in_elements, without_isolates
from tests.servers import ROOT
from tests.site.browsers import Browser, Table, text

FILES = sorted((ROOT / "templates").rglob("*.*"))


def rendered(source: str, **given: object) -> str:
    return str(engines["jinja2"].from_string(source).render(given))


def test_every_template_can_be_read() -> None:
    folder = ROOT / "templates"
    for file in FILES:
        engine = "django" if "staff" in file.parts else "jinja2"
        root = folder / "staff" if engine == "django" else folder
        engines[engine].get_template(str(file.relative_to(root)))


MACRO = "{% macro name(a, b='<') %}{{ a }}{{ b }}{{ caller() }}{% endmacro %}"
ATTRIBUTE = '<a id="a"{% if told is defined %} rel="next"{% endif %}\n    href="/">'


@pytest.mark.parametrize(
    ("source", "given", "wanted"),
    [
        ("{{ said }}", {"said": "<b>"}, "&lt;b&gt;"),
        ("{% trans %}{{ who }} said yes.{% endtrans %}", {"who": "<b>"}, "&lt;b&gt; said yes."),
        (
            "<g>\n  {% for n in (1, 2) %}\n    <use x='{{ n }}'/>\n  {% endfor %}\n</g>",
            {},
            "<g>\n<use x='1'/>\n<use x='2'/>\n</g>",
        ),
        (ATTRIBUTE, {}, '<a id="a" href="/">'),
        (ATTRIBUTE, {"told": True}, '<a id="a" rel="next" href="/">'),
        ("<pre>\n  one\n</pre>\n  <p>", {}, "<pre>\n  one\n</pre>\n<p>"),
        ('{{ _("100%%") }}', {}, "100%"),
        ('{{ _("%(n)s%%", n=5) }}', {}, "5%"),
        (MACRO + "{% for n in (1, 2) %}{% call name(n) %}!{% endcall %}{% endfor %}", {}, "1&lt;!2&lt;!"),
        ("{% for n in (1, 2) %}{{ up(n, by=n) }}{% endfor %}", {"up": lambda n, by: n + by}, "24"),
        (
            "{% set names = {'A': 'Ada'} %}{% for n in ('A',) %}{{ name_of(n) }}{% endfor %}",
            {"names": {"A": "<Ben>"}},
            "Ada",
        ),
    ],
)
def test_a_template_escapes_everything_indents_nothing_and_calls_as_jinja_does(
    source: str, given: dict[str, Any], wanted: str
) -> None:
    assert rendered(source, **given) == wanted
    with pytest.raises(UndefinedError):
        rendered("{% if nothing %}{% endif %}")


def test_a_sentence_stands_apart_from_what_follows_on_the_next_line() -> None:
    inline = re.compile(r"<(a|b|strong|em|code|time|span|small)\b|\{\{ (?!\" \")|\{% trans|[A-Za-z(]")
    joined = []
    for path in FILES:
        lines = [line.strip() for line in path.read_text("utf-8").splitlines()]
        joined += [
            f'{path.name}:{number}: end it with {{{{ " " }}}}'
            for number, (line, following) in enumerate(pairwise(lines), 1)
            if line.endswith("{% endtrans %}") and inline.match(following)
        ]
    assert not joined, joined


@pytest.mark.integration
def test_every_block_has_a_place_in_the_template_that_is_extended() -> None:
    environment = engines["jinja2"].env  # type: ignore[attr-defined]

    @cache
    def parsed(name: str) -> nodes.Template:
        return environment.parse((ROOT / "templates" / name).read_text(encoding="utf-8"))

    def blocks(name: str) -> tuple[set[str], set[str]]:
        """All blocks that stand in a template's own text, and those among them that no other block holds."""
        tree = parsed(name)
        every = {block.name for block in tree.find_all(nodes.Block)}
        inner = {inner.name for block in tree.find_all(nodes.Block) for inner in block.find_all(nodes.Block)}
        return every, every - inner

    def extended(name: str) -> str | None:
        found = parsed(name).find(nodes.Extends)
        return getattr(found.template, "value", None) if found else None

    looked_at = 0
    for file in FILES:
        name = str(file.relative_to(ROOT / "templates"))
        parent = None if "staff" in file.parts else extended(name)
        places: set[str] = set()
        above = parent
        while above:
            places |= blocks(above)[0]
            above = extended(above)
        if parent:
            looked_at += 1
            assert blocks(name)[1] <= places, name
    assert looked_at > 20


def test_texts_are_in_the_reader_s_language_whenever_they_are_chosen() -> None:
    known = '{{ _("Rules") }}, {{ _("%(by)s said yes.", by=who) }}'
    block = "{% trans by=who %}{{ by }} said yes.{% endtrans %}"
    chosen = '{{ _("Rules" if who else "Home") }}'
    said = {"en": "Rules, A&amp;B said yes.", "de": "Regeln, A&amp;B hat zugestimmt."}
    for language, wanted in said.items():
        with override(language):
            assert rendered(known, who="A&B") == wanted
            assert rendered(f"{{% set one = _('Rules') %}}{{{{ one }}}}, {block}", who="A&B") == wanted
            assert rendered(chosen, who="A") == wanted.partition(",")[0]


def test_a_template_speaks_the_language_of_its_reader_not_of_its_finder() -> None:
    with override("de"):
        found = engines["jinja2"].get_template("web/offline.html")
        german = found.render({})
    with override("es"):
        spanish = found.render({})
        assert spanish == engines["jinja2"].get_template("web/offline.html").render({})
    assert 'lang="de"' in german and 'lang="es"' in spanish
    assert re.search("<h1.*?</h1>", german) != re.search("<h1.*?</h1>", spanish)


def test_what_is_included_knows_the_names_of_its_place_and_gives_none_back() -> None:
    source = "{% set who = who ~ n %}{{ who }} {% block b %}b{% endblock %}; "
    part = engines["jinja2"].from_string(source).template  # type: ignore[attr-defined]
    loop = "{% set who = 'A' %}{% for n in (1, 2) %}{% include part %}{% endfor %}{{ who }} {{ n }}"
    assert rendered(loop, part=part, n=0) == "A1 b; A2 b; A 0"
    each = "{% macro each() %}{{ caller(3) }}{{ caller('<') }}{% endmacro %}"
    called = "{% call(n) each() %}{% include part %}{% endcall %}"
    assert rendered(each + called, part=part, who="B") == "B3 b; B&lt; b; "


def test_folders_of_old_compiled_templates_are_cleared(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path
    kept = Path(compiled_templates().directory)
    old, young = tmp_path / "templates" / "0", tmp_path / "templates" / "1"
    for folder in (old, young):
        folder.mkdir()
        (folder / "some.cache").write_bytes(b"")
    for folder in (old, kept):
        os.utime(folder, (0, 0))
    again = Path(compiled_templates().directory)
    assert again == kept and again.exists() and young.exists() and not old.exists()


DRAFT = "TL TR TL TR H"


def signs(page: Any) -> list[str]:
    """The signs in the slots of a page's planner."""
    return re.findall(r'data-slot="\d" data-sign="([^"]*)"', text(page))


def test_a_draft_is_on_its_own_seats_page_alone(table: Table) -> None:
    a, b = (seat.get_absolute_url() for seat in (table.a, table.b))
    for _again in range(2):
        table.alice.draft(table.a, DRAFT)
        assert signs(table.alice.get(a)) == DRAFT.split()
        assert signs(table.bob.get(b)) == [""] * 5
        table.bob.draft(table.b, "F F F F F")
        assert signs(table.bob.get(b)) == ["F"] * 5
        assert signs(table.alice.get(a)) == DRAFT.split()
        table.bob.draft(table.b, "")
    assert DRAFT not in text(table.charlie.get(f"/m/{table.key}/"))


def test_each_reader_has_a_token_of_their_own_in_what_is_kept_up_to_its_bound(table: Table) -> None:
    seated = ((table.alice, table.a), (table.bob, table.b))
    pages = [text(browser.get(seat.get_absolute_url())) for browser, seat in seated]
    tokens = [set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)) for page in pages]
    assert all(len(own) == 1 for own in tokens) and tokens[0].isdisjoint(tokens[1])
    kept = "".join(map(str, made_once.values()))
    assert "csrfmiddlewaretoken" in kept and not any(token in kept for own in tokens for token in own)
    assert made_once.maxsize == MOST_MADE
    assert made_once.currsize == sum(made.size for made in made_once.values())


def test_a_declined_offer_a_new_name_and_another_language_are_seen_although_the_page_is_kept(
    table: Table,
) -> None:
    a = table.a.get_absolute_url()
    assert "would rather play on" not in text(table.alice.get(a))
    table.alice.do(table.a, "draw", offer="1")
    table.alice.get(a)
    flow.decline_ending(table.b, flow.Ending.DRAW)
    assert "Bob declined" in text(table.alice.get(a)) and "Players" in text(table.alice.get(a))
    table.match.seats.filter(letter="B").update(name="Benjamin")
    assert "Benjamin" in text(table.alice.get(a))
    table.alice.post("/language/", {"language": "de", "next": "/"})
    assert "Players" not in text(table.alice.get(a))


NAMES = {"A": "שרה", "B": "ليلى"}
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


def test_no_page_or_notice_has_a_name_outside_of_an_isolate_and_titles_keep_them(named: Table) -> None:
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
    page = named.charlie.get(reverse("ask", args=[named.key, "B"])).content.decode()
    title = page.partition("<title>")[2].partition("</title>")[0]
    assert f"{FIRST}{NAMES['B']}{LAST}" in title and "<bdi" not in title
    notice = Notice(seat=named.a, match=named.match, kind=Kind.SAT, who=NAMES["B"], fact="x", turn=0)
    written = write_notice(notice)
    assert outside(written.title) == [] and NAMES["B"] in written.title


def test_a_part_is_marked_once_and_plain_text_isolates_no_name_that_turns_nothing_around() -> None:
    once = in_elements(
        '<pre>F ^</pre><div class="board-sheet plain"><span class="plate side-A">A</span></div>'
    )
    assert once.count('translate="no"') == 3
    assert in_elements(once) == once
    told = "{who} has 3 points".format(who=Name("Ada"))
    assert without_isolates(told) == "Ada has 3 points"
    assert without_isolates("{who}, 3".format(who=Name("שרה"))) == f"{FIRST}שרה{LAST}, 3"
    assert in_elements(f"<b title='{Name('Ada')}'>{Name('Ada')}</b>") == (
        "<b title='Ada'><bdi translate=\"no\">Ada</bdi></b>"
    )
    assert Name("Ada") == "Ada" and Name("") == "" and not str(Name(""))


def test_no_translator_touches_what_programs_are_to_write(alice: Browser) -> None:
    page = alice.get(reverse("api-docs")).content.decode()
    written = re.findall(r"<(?:code|pre)\b[^>]*>", page)
    assert len(written) > 50 and all('translate="no"' in one for one in written)
