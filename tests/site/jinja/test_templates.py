"""Templates: strict names, indentation that stays out of the pages."""

from __future__ import annotations

import os
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.template import engines
from django.utils.translation import override
from jinja2 import UndefinedError, nodes

from robosite.jinja.environment import compiled_templates
from tests.servers import ROOT

FILES = sorted((ROOT / "templates").rglob("*.*"))


def rendered(source: str, **given: object) -> str:
    return str(engines["jinja2"].from_string(source).render(given))


def test_every_template_can_be_read() -> None:
    folder = ROOT / "templates"
    for file in FILES:
        engine = "django" if "staff" in file.parts else "jinja2"
        root = folder / "staff" if engine == "django" else folder
        engines[engine].get_template(str(file.relative_to(root)))


def test_everything_is_escaped_but_what_is_marked() -> None:
    assert rendered("{{ said }}", said="<b>") == "&lt;b&gt;"
    assert rendered("{% trans %}{{ who }} said yes.{% endtrans %}", who="<b>") == "&lt;b&gt; said yes."


def test_a_name_that_nobody_has_given_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        rendered("{% if nothing %}{% endif %}")


def test_blocks_and_indentation_leave_no_white_space() -> None:
    source = "<g>\n  {% for n in (1, 2) %}\n    <use x='{{ n }}'/>\n  {% endfor %}\n</g>"
    assert rendered(source) == "<g>\n<use x='1'/>\n<use x='2'/>\n</g>"


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


def test_an_attribute_on_the_line_after_a_block_stands_apart() -> None:
    source = '<a id="a"{% if told is defined %} rel="next"{% endif %}\n    href="/">'
    assert rendered(source) == '<a id="a" href="/">'
    assert rendered(source, told=True) == '<a id="a" rel="next" href="/">'


def test_indentation_stays_where_it_is_read() -> None:
    assert rendered("<pre>\n  one\n</pre>\n  <p>") == "<pre>\n  one\n</pre>\n<p>"


@pytest.mark.integration
def test_every_block_has_a_place_in_the_template_that_is_extended() -> None:
    environment = engines["jinja2"].env  # type: ignore[attr-defined]

    def blocks(name: str) -> tuple[set[str], set[str]]:
        """All blocks that stand in a template's own text, and those among them that no other block holds."""
        tree = environment.parse((ROOT / "templates" / name).read_text(encoding="utf-8"))
        every = {block.name for block in tree.find_all(nodes.Block)}
        inner = {inner.name for block in tree.find_all(nodes.Block) for inner in block.find_all(nodes.Block)}
        return every, every - inner

    def extended(name: str) -> str | None:
        tree = environment.parse((ROOT / "templates" / name).read_text(encoding="utf-8"))
        found = tree.find(nodes.Extends)
        return found.template.value if found else None

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


def test_a_percent_sign_in_a_text_is_one() -> None:
    assert rendered('{{ _("100%%") }}') == "100%"
    assert rendered('{{ _("%(n)s%%", n=5) }}') == "5%"


def test_a_macro_and_a_function_are_called_as_jinja_calls_them() -> None:
    macro = "{% macro name(a, b='<') %}{{ a }}{{ b }}{{ caller() }}{% endmacro %}"
    assert rendered(macro + "{% for n in (1, 2) %}{% call name(n) %}!{% endcall %}{% endfor %}") == (
        "1&lt;!2&lt;!"
    )
    assert rendered("{% for n in (1, 2) %}{{ up(n, by=n) }}{% endfor %}", up=lambda n, by: n + by) == "24"
    loop = "{% set names = {'A': 'Ada'} %}{% for n in ('A',) %}{{ name_of(n) }}{% endfor %}"
    assert rendered(loop, names={"A": "<Ben>"}) == "Ada"


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
