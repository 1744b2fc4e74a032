"""Parses and mixes CSS colours, since the formats of pictures have no functions for that."""

from __future__ import annotations

import re

Rgba = tuple[float, float, float, float]
"""Red, green, blue and opacity, each from 0 to 1."""

_NAMED: dict[str, Rgba] = {"transparent": (0, 0, 0, 0), "white": (1, 1, 1, 1), "black": (0, 0, 0, 1)}


def parse_colour(text: str) -> Rgba | None:
    """Parses #rgb or #rrggbb (also with opacity), rgba(), or a name in _NAMED."""
    text = text.strip().lower()
    if text in _NAMED:
        return _NAMED[text]
    if re.fullmatch(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", text):
        digits = text[1:]
        pairs = [d * 2 for d in digits] if len(digits) < 5 else re.findall("..", digits)
        red, green, blue, *rest = (int(pair, 16) / 255 for pair in pairs)
        return red, green, blue, rest[0] if rest else 1.0
    if found := re.fullmatch(r"rgba\((\d+), (\d+), (\d+), ([\d.]+)\)", text):
        red, green, blue, opacity = map(float, found.groups())
        return red / 255, green / 255, blue / 255, opacity
    return None


def write(colour: Rgba) -> str:
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


Three = tuple[float, float, float]


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
