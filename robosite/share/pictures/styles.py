"""Computes the styles of a drawing's elements from the site's style sheets, since the PNG renderer cannot.

The renderer knows no custom properties, nested rules or light-dark(); lightningcss rewrites nested rules as
plain ones and light-dark() as two properties of its own. At-rules such as @media are ignored.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal
from xml.etree.ElementTree import Element

import cssselect2
import tinycss2
from lightningcss import process_stylesheet

Theme = Literal["paper", "blueprint"]
THEMES: tuple[Theme, ...] = ("paper", "blueprint")
Env = Mapping[str, str]

PLAIN = ["chrome 109"]
"""A browser that knows neither nested rules nor light-dark(), for lightningcss."""
Declared = tuple[str, list[Any]]


class StyleSheet:
    """The rules of some CSS files in one theme (such as paper), from which elements' styles are computed."""

    def __init__(self, texts: Iterable[str], theme: Theme) -> None:
        self.off = "--lightningcss-dark" if theme == "paper" else "--lightningcss-light"
        self.root: list[Declared] = []
        self._matcher = cssselect2.Matcher()
        plain = process_stylesheet("".join(texts), browsers_list=PLAIN)
        for rule in tinycss2.parse_stylesheet(plain, True, True):
            if rule.type == "qualified-rule":
                inner = tinycss2.parse_blocks_contents(rule.content, True, True)
                self._add(tinycss2.serialize(rule.prelude), [(one.name, one.value) for one in inner])

    def _add(self, selector: str, declared: list[Declared]) -> None:
        if selector.strip() == ":root":
            self.root += declared
            return
        try:
            compiled = cssselect2.compile_selector_list(selector)
        except cssselect2.SelectorError:
            return  # a selector that only browsers know
        for one in compiled:
            if one.pseudo_element is None:
                self._matcher.add_selector(one, declared)

    def of(self, element: cssselect2.ElementWrapper) -> dict[str, list[Any]]:
        """The declarations that apply to an element: the tokens of each value, by property."""
        found: dict[str, list[Any]] = {}
        for _specificity, _order, _pseudo, declared in self._matcher.match(element):
            found.update(declared)
        return found

    def env(self) -> dict[str, str]:
        """The custom properties (such as `--sheet`) of the root element."""
        env: dict[str, str] = {}
        given = dict(self.root)
        for _ in range(4):  # properties may refer to each other, in any order
            env = {name: self.value(tokens, env) for name, tokens in given.items() if name.startswith("--")}
            env = {name: value for name, value in env.items() if value != "initial"} | {self.off: ""}
        return env

    def value(self, tokens: Iterable[Any], env: Env) -> str:
        """Computes a CSS value from its tokens: resolves var()."""
        return "".join(self._piece(token, env) for token in tokens).strip()

    def _piece(self, token: Any, env: Env) -> str:
        if token.type == "function":
            return self._call(token, env)
        if token.type == "() block":
            return f"({self.value(token.content, env)})"
        return str(token.serialize())

    def _call(self, token: Any, env: Env) -> str:
        parts = [self.value(part, env) for part in _commas(token.arguments)]
        if token.lower_name == "var":
            return env[parts[0]] if parts[0] in env else ", ".join(parts[1:])
        return f"{token.name}({', '.join(parts)})"


def _commas(tokens: Iterable[Any]) -> Iterator[list[Any]]:
    part: list[Any] = []
    for token in tokens:
        if token.type == "literal" and token.value == ",":
            yield part
            part = []
        else:
            part.append(token)
    yield part


@cache
def style_sheet_of(paths: tuple[str, ...], theme: Theme) -> StyleSheet:
    """Parses these CSS files; a process parses the same files only once for a theme."""
    return StyleSheet([Path(path).read_text(encoding="utf-8") for path in paths], theme)


# The properties that are attributes in SVG

DRAWN = frozenset(
    (
        "alignment-baseline",
        "color",
        "clip-path",
        "clip-rule",
        "display",
        "dominant-baseline",
        "fill",
        "fill-opacity",
        "fill-rule",
        "filter",
        "font-family",
        "font-size",
        "font-style",
        "font-weight",
        "letter-spacing",
        "marker-end",
        "marker-mid",
        "marker-start",
        "mask",
        "opacity",
        "paint-order",
        "stop-color",
        "stop-opacity",
        "stroke",
        "stroke-dasharray",
        "stroke-dashoffset",
        "stroke-linecap",
        "stroke-linejoin",
        "stroke-miterlimit",
        "stroke-opacity",
        "stroke-width",
        "text-anchor",
        "text-decoration",
        "transform",
        "visibility",
        "word-spacing",
    )
)
INHERITED = frozenset(
    (
        "color",
        "fill",
        "font-family",
        "font-size",
        "font-style",
        "font-weight",
        "letter-spacing",
        "stroke",
        "stroke-linecap",
        "stroke-linejoin",
        "stroke-width",
        "text-anchor",
        "word-spacing",
    )
)
"""The properties that a drawing inherits from the elements around it."""

_FONT = re.compile(
    r"(?:(?P<weight>\d+|bold|normal)\s+)?(?P<size>[\d.]+\w+)(?:/[\d.]+)?\s+(?P<family>.+)", re.DOTALL
)


def drawn(element: Element, style: Mapping[str, str]) -> dict[str, str]:
    """Converts an element's computed style into SVG attributes; leaves out properties that SVG lacks."""
    given: dict[str, str] = {}
    moves = []
    for name, value in style.items():
        if name == "font" and (font := _FONT.fullmatch(value)):
            given["font-size"], given["font-family"] = _plain(font["size"]), font["family"]
            given["font-weight"] = font["weight"] or "400"
        elif name in ("translate", "rotate", "scale") and value != "none":
            moves.append(f"{name}({_plain(value)})")
        elif name in DRAWN and value not in ("inherit", "initial", "unset", "revert", ""):
            given[name] = value if name == "font-family" else _plain(value)
    if moves:
        order = sorted(moves, key=lambda move: ("translate", "rotate", "scale").index(move.partition("(")[0]))
        given["transform"] = " ".join([*order, given.get("transform", element.get("transform", ""))]).strip()
    return given


def _plain(value: str) -> str:
    return re.sub(r"(?<![\w#])(-?[\d.]+)(px|deg)\b", r"\1", value)
