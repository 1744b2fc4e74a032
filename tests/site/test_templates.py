"""Templates: short lines, strict names, indentation that stays out of the pages."""

from __future__ import annotations

import pytest
from django.template import engines
from jinja2 import UndefinedError, nodes

from tests.servers import ROOT

LONGEST = 120
FILES = sorted((ROOT / "templates").rglob("*.*"))


def rendered(source: str, **given: object) -> str:
    return str(engines["jinja2"].from_string(source).render(given))


def test_no_line_is_too_long_to_read() -> None:
    for file in FILES:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            assert len(line) <= LONGEST, f"{file}:{number}"


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


def test_indentation_stays_where_it_is_read() -> None:
    assert rendered("<pre>\n  one\n</pre>\n  <p>") == "<pre>\n  one\n</pre>\n<p>"


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
