"""Style sheets, as they are collected, hold only what each of the oldest browsers knows, or can be without.

What a browser knows is in MDN's tables (`@mdn/browser-compat-data`), which `make checkers` brings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tinycss2
from django.conf import settings

from robosite.web.minifying import OLDEST
from tests.checkers import brought

PLAINER = {
    *(":has", "@container", "container", "container-type", "cqw"),  # the layout fits less closely
    *("grid-template-columns: subgrid", "text-wrap", "field-sizing", "break-before: column"),
    *("anchor-name", "anchor", "timeline-scope", "view-timeline", "overflow-anchor"),
    *("view-transition", "view-transition-name", "selection", "resize", "cursor", "outline", "paint-order"),
    *(
        "forced-color-adjust",
        "@media (forced-colors",
        "@page",
        "break-after: avoid",
        "font-family: ui-monospace",
    ),
}
"""What some of the oldest browsers lack or know in part, and what only makes a page plainer."""
UNITS = {
    "cqw": "container_query_length_units",
    "dvh": "viewport_percentage_units_dynamic",
    "svh": "viewport_percentage_units_small",
}
SHEETS = sorted(
    path for path in Path(settings.STATIC_ROOT, "css").resolve().rglob("*.css") if path.name.count(".") == 1
)


def number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def is_old(compat: Any) -> bool:
    """Whether each of the oldest browsers has this feature, with a prefix or without."""
    for line in OLDEST:
        browser, version = line.replace("ios_saf", "safari_ios").split(" >= ")
        told = compat["support"][browser]
        since = [
            one["version_added"] for one in (told if isinstance(told, list) else [told]) if "flags" not in one
        ]
        if not any(one and one != "preview" and number(one) <= number(version) for one in since):
            return False
    return True


@cache
def mdn() -> Any:
    return json.loads(brought("node_modules/@mdn/browser-compat-data/data.json").read_text())["css"]


@cache
def types() -> dict[str, Any]:
    """What MDN tells of each function, by its name."""
    found: dict[str, Any] = {}

    def look(tree: dict[str, Any]) -> None:
        for name, inside in tree.items():
            if name != "__compat":
                found.setdefault(name, inside.get("__compat"))
                look(inside)

    look(mdn()["types"])
    return found


def compat(*path: str) -> Any:
    entry = mdn()
    for part in path:
        entry = entry.get(part, {})
    return entry.get("__compat")


def features(rules: list[Any], told: Callable[[str], None]) -> Iterator[tuple[str, Any]]:
    """The names of all that a style sheet uses, each with what MDN tells of it.

    What stands in `@supports` is not looked at: it has been asked for. `told` hears of nested rules.
    """
    for rule in rules:
        if rule.type == "at-rule":
            name = rule.lower_at_keyword
            yield f"@{name}", compat("at-rules", name)
            for asked in re.findall(r"\(([a-z-]+)", tinycss2.serialize(rule.prelude)):
                yield f"@{name} ({asked}", compat("at-rules", name, asked)
            if name in ("media", "container"):
                yield from features(tinycss2.parse_rule_list(rule.content), told)
            continue
        if rule.type != "qualified-rule":
            continue
        selector = re.sub(r'"[^"]*"', "", tinycss2.serialize(rule.prelude))
        for name in re.findall(r"(?<!\\):([a-z-]+)", selector):
            yield f":{name}" if name == "has" else name, compat("selectors", name)
        for one in tinycss2.parse_blocks_contents(rule.content, True, True):
            if one.type != "declaration":
                told(f"{selector} holds another rule")
                continue
            yield one.lower_name, compat("properties", one.lower_name)
            yield from values(one.lower_name, one.value)


def values(name: str, tokens: list[Any]) -> Iterator[tuple[str, Any]]:
    for token in tokens:
        if token.type == "ident":
            yield f"{name}: {token.value}", compat("properties", name, token.value)
        elif token.type == "dimension" and token.lower_unit in UNITS:
            yield token.lower_unit, compat("types", "length", UNITS[token.lower_unit])
        elif token.type == "function":
            yield token.lower_name, types().get(token.lower_name)
            yield from values(name, token.arguments)


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.stem)
def test_style_sheets_are_old_enough(path: Path) -> None:
    text = path.read_text()
    wrong: list[str] = []
    for name, told in features(tinycss2.parse_stylesheet(text, True, True), wrong.append):
        plain = name.partition(":")[0] if not name.startswith(":") else name
        if told and not {name, plain} & PLAINER and not is_old(told):
            wrong.append(name)
    assert "light-dark(" not in text
    assert not set(wrong) - {"color-mix"}, sorted(set(wrong))


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.stem)
def test_mixed_colours_and_marks_without_words_have_a_fallback(path: Path) -> None:
    """A value with var() is dropped only after those before it are: an older browser needs @supports."""
    rules = tinycss2.parse_stylesheet(path.read_text(), True, True)
    asked = [one for one in rules if one.type == "at-rule" and one.lower_at_keyword == "supports"]
    instead = "".join(
        tinycss2.serialize(one.content) for one in asked if "not" in tinycss2.serialize(one.prelude)
    )
    for rule in rules:
        if rule.type != "qualified-rule":
            continue
        selector, text = tinycss2.serialize(rule.prelude), tinycss2.serialize(rule.content)
        assert "color-mix" not in text or f"{selector}{{" in instead, selector
        for content in re.findall(r'content:[^;}]*/ ""', text):
            assert f"{content.partition('/')[0].strip()};{content}" in text, (selector, content)
