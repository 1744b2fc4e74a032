"""Computes the styles of a drawing's elements from the site's style sheets, since the PNG renderer cannot.

It knows no custom properties, nested rules, light-dark() or color-mix(). At-rules such as @media are ignored.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal
from xml.etree.ElementTree import Element

import cssselect2
import tinycss2
from tinycss2 import color3

Theme = Literal["paper", "blueprint"]
THEMES: tuple[Theme, ...] = ("paper", "blueprint")
Env = Mapping[str, str]

LIST = re.compile(r",(?![^()\[\]]*[)\]])")
"""The commas of a selector list, but not those inside brackets."""
Declared = tuple[str, list[Any]]
Rgba = tuple[float, float, float, float]
"""Red, green, blue and opacity, each from 0 to 1."""
Three = tuple[float, float, float]


class StyleSheet:
    """The rules of some CSS files in one theme (such as paper), from which elements' styles are computed."""

    def __init__(self, texts: Iterable[str], theme: Theme) -> None:
        self.theme = theme
        self.root: list[Declared] = []
        self._matcher = cssselect2.Matcher()
        for text in texts:
            for selector, declared in _flat(tinycss2.parse_stylesheet(text, True, True), ""):
                self._add(selector, declared)

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
        return env

    def value(self, tokens: Iterable[Any], env: Env) -> str:
        """Computes a CSS value from its tokens: resolves var(), light-dark() and color-mix()."""
        return "".join(self._piece(token, env) for token in tokens).strip()

    def _piece(self, token: Any, env: Env) -> str:
        if token.type == "function":
            return self._call(token, env)
        if token.type == "() block":
            return f"({self.value(token.content, env)})"
        return str(token.serialize())

    def _call(self, token: Any, env: Env) -> str:
        parts = [self.value(part, env) for part in _commas(token.arguments)]
        match token.lower_name:
            case "var":
                name = parts[0]
                return env[name] if name in env else ", ".join(parts[1:])
            case "light-dark":
                return parts[0] if self.theme == "paper" else parts[1]
            case "color-mix":
                return _mixed(*parts)
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


def _mixed(space: str, one: str, other: str) -> str:
    first, share = _colour_and_share(one)
    second, rest = _colour_and_share(other)
    if first is None or second is None:
        return one
    if share is None:
        share = 0.5 if rest is None else 1 - rest
    return written(mix(space.removeprefix("in").strip(), first, share, second))


def _colour_and_share(text: str) -> tuple[Rgba | None, float | None]:
    found = re.fullmatch(r"(.*?)\s+([\d.]+)%", text)
    if found is None:
        return parse_colour(text), None
    return parse_colour(found[1]), float(found[2]) / 100


def parse_colour(text: str) -> Rgba | None:
    found = color3.parse_color(text)
    return found if isinstance(found, color3.RGBA) else None


def written(colour: Rgba) -> str:
    red, green, blue = (round(min(max(part, 0), 1) * 255) for part in colour[:3])
    if colour[3] >= 1:
        return f"#{red:02x}{green:02x}{blue:02x}"
    return f"rgba({red}, {green}, {blue}, {colour[3]:.3g})"


def mix(space: str, one: Rgba, share: float, other: Rgba) -> Rgba:
    """Mixes two colours like color-mix() in CSS, in oklab or srgb; `share` is the fraction of `one`."""
    into, back = (_oklab, _from_oklab) if space == "oklab" else (_same, _same)
    opacity = one[3] * share + other[3] * (1 - share)
    if not opacity:
        return 0, 0, 0, 0
    a, b = into(one[:3]), into(other[:3])
    mixed = [(x * one[3] * share + y * other[3] * (1 - share)) / opacity for x, y in zip(a, b, strict=True)]
    red, green, blue = back((mixed[0], mixed[1], mixed[2]))
    return red, green, blue, opacity


def _same(three: Three) -> Three:
    return three


def _oklab(rgb: Three) -> Three:
    """With the coefficients that Björn Ottosson published."""
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb)
    long = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    middle = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    short = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def _from_oklab(lab: Three) -> Three:
    lightness, a, b = lab
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    red, green, blue = (
        12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in (max(0, x) for x in linear)
    )
    return red, green, blue


def _flat(rules: Iterable[Any], outer: str) -> Iterator[tuple[str, list[Declared]]]:
    """Yields each rule, nested ones too, as a pair of its full selector and its declarations."""
    for rule in rules:
        if rule.type != "qualified-rule":
            continue
        selector = _nested(tinycss2.serialize(rule.prelude).strip(), outer)
        inner = tinycss2.parse_blocks_contents(rule.content, True, True)
        yield selector, [(one.name, one.value) for one in inner if one.type == "declaration"]
        yield from _flat(inner, selector)


def _nested(selector: str, outer: str) -> str:
    if not outer:
        return selector
    if "&" in selector:
        return selector.replace("&", f":is({outer})")
    return ", ".join(f":is({outer}) {one.strip()}" for one in LIST.split(selector))


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
