"""Makes standalone SVG of a drawing on a page, with its styles and symbols inside.

In a browser, a symbol takes its colours from the `<use>` element that shows it. Here, each `<use>` refers to
a copy of its symbol in the right colours, which elements with the same colours share.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any
from xml.etree import ElementTree

import cssselect2

from robosite.share.pictures.styles import INHERITED, Env, StyleSheet, drawn

Element = ElementTree.Element
_REFERENCE = re.compile(r"url\(\s*[\"']?#([^\"')]+)[\"']?\s*\)")
_GONE = re.compile(r"aria-|on|data-(?!(?:frame|piece|was|from|way)$)")
"""Matches attributes to leave out; data attributes for the animation of a turn stay until `bare`."""
BARE = frozenset(("class", "role", "tabindex"))
LEFT_OUT = frozenset(("title", "foreignObject", "script", "style"))


class Drawing:
    """A rendered page from which drawings are copied as standalone SVG, with all that they refer to."""

    def __init__(self, page: str, sheet: StyleSheet) -> None:
        self.sheet = sheet
        self.root = ElementTree.fromstring(page)  # noqa: S314 - our own templates, and names are escaped
        self.by_id = {one.get("id"): one for one in self.root.iter() if one.get("id")}
        self.env = sheet.env()
        self.defs = Element("defs")
        self.copies: dict[tuple[str, frozenset[tuple[str, str]]], str] = {}
        self.known: dict[str, str] = {}
        self.referred: set[str] = set()

    def take(self, wanted: str = "board", number: int = 0) -> Element:
        """Copies the page's `<svg>` of class `wanted` (index `number`), with its styles as attributes."""
        wrapped = cssselect2.ElementWrapper.from_html_root(self.root)
        found = (
            trail
            for trail in _trails(wrapped)
            if (one := trail[-1].etree_element).tag == "svg" and wanted in (one.get("class") or "").split()
        )
        return self._inside(next(islice(found, number, None)))

    def _inside(self, trail: tuple[Any, ...]) -> Element:
        """Copies the last element of a trail, with what it inherits from its ancestors before it."""
        env: Env = self.env
        handed: dict[str, str] = {}
        for wrapper in trail[:-1]:
            env, style = self._style(wrapper, env)
            given = drawn(wrapper.etree_element, style)
            handed |= {name: value for name, value in given.items() if name in INHERITED}
        svg = self._copy(trail[-1], env)
        svg.attrib = {**handed, **svg.attrib}
        return svg

    def finish(self, svg: Element) -> Element:
        """Inserts into `svg` the definitions to which the copied elements refer."""
        there = {one.get("id") for one in svg.iter()}
        while missing := sorted(self.referred - there):
            there.update(missing)
            for name in missing:
                if name in self.by_id:
                    wrapper = cssselect2.ElementWrapper.from_html_root(self.by_id[name])
                    self.defs.append(self._copy(wrapper, self.env))
        svg.insert(0, self.defs)
        return svg

    def read(self, text: str) -> Element:
        """Copies another SVG with the styles that it would have in the page's `<main>`, and its symbols."""
        root = ElementTree.fromstring(text)  # noqa: S314 - our own templates, and names are escaped
        self.by_id |= {one.get("id"): one for one in root.iter() if one.get("id")}
        page, main = Element("html"), self.root.find(".//main")
        ElementTree.SubElement(
            ElementTree.SubElement(page, "body"), "main", main.attrib if main is not None else {}
        ).append(root)
        trails = _trails(cssselect2.ElementWrapper.from_html_root(page))
        return self._inside(next(trail for trail in trails if trail[-1].etree_element is root))

    def _style(self, wrapper: Any, env: Env) -> tuple[Env, dict[str, str]]:
        found = self.sheet.of(wrapper)
        own = {name: self.sheet.value(v, env) for name, v in found.items() if name.startswith("--")}
        if own:
            env = {**env, **own}
        return env, {name: self.sheet.value(v, env) for name, v in found.items() if not name.startswith("--")}

    def _copy(self, wrapper: Any, env: Env) -> Element:
        element: Element = wrapper.etree_element
        env, style = self._style(wrapper, env)
        copy = Element(element.tag, {n: v for n, v in element.attrib.items() if not _GONE.match(n)})
        copy.attrib |= drawn(element, style)
        copy.text, copy.tail = element.text, element.tail
        if element.tag == "use":
            self._point(copy, element, env)
        for value in copy.attrib.values():
            self.referred.update(_REFERENCE.findall(value))
        for child in wrapper.iter_children():
            if child.etree_element.tag not in LEFT_OUT:
                copy.append(self._copy(child, env))
        return copy

    def _point(self, copy: Element, use: Element, env: Env) -> None:
        """Makes the copy of a `<use>` element refer to a copy of its symbol with the colours in `env`."""
        wanted = use.get("href", "").removeprefix("#")
        key = wanted, frozenset(env.items())
        if key not in self.copies:
            self.copies[key] = self._symbol(wanted, env)
        copy.set("href", f"#{self.copies[key]}")

    def _symbol(self, wanted: str, env: Env) -> str:
        symbol = self._copy(cssselect2.ElementWrapper.from_html_root(self.by_id[wanted]), env)
        symbol.attrib.pop("id", None)
        symbol.tail = None
        text = ElementTree.tostring(symbol, encoding="unicode")
        if text not in self.known:
            count = sum(1 for name in self.known.values() if name.rpartition("-")[0] == wanted)
            self.known[text] = f"{wanted}-{count}"
            symbol.set("id", self.known[text])
            self.defs.append(symbol)
        return self.known[text]


def _trails(wrapper: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    trail = (*before, wrapper)
    yield trail
    for child in wrapper.iter_children():
        yield from _trails(child, trail)


def bare(svg: Element) -> Element:
    """Removes classes, roles and data attributes from an element and its descendants."""
    for element in svg.iter():
        for name in [name for name in element.attrib if name in BARE or name.startswith("data-")]:
            del element.attrib[name]
    return svg


def box_of(svg: Element) -> tuple[float, float, float, float]:
    """The viewBox of an SVG element: left, top, width, height; (0, 0, 1, 1) if it has none."""
    left, top, width, height = map(float, (svg.get("viewBox") or "0 0 1 1").replace(",", " ").split())
    return left, top, width, height


def write(svg: Element) -> str:
    svg.set("xmlns", "http://www.w3.org/2000/svg")
    return re.sub(r">\s+<", "><", ElementTree.tostring(svg, encoding="unicode"))
