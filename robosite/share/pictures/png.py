"""Renders SVG as PNG, which takes 0.1 to 0.3 seconds; so servers do it in a separate process."""

from __future__ import annotations

from pathlib import Path

import resvg_py

FONTS = sorted(str(path) for path in (Path(__file__).parent / "fonts").glob("*.ttf"))


def png(svg: str, width: int) -> bytes:
    """Renders an SVG as a PNG of `width` pixels, with the site's own fonts, so the same on every machine."""
    drawn = resvg_py.svg_to_bytes(
        svg_string=svg,
        width=width,
        skip_system_fonts=True,
        font_files=FONTS,
        font_family="Atkinson Hyperlegible Next",
        sans_serif_family="Atkinson Hyperlegible Next",
    )
    return bytes(drawn)
