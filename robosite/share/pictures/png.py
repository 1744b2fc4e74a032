"""Renders SVG as PNG, in 0.1 to 0.3 seconds, and GIFs of these; so servers do it in a separate process."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import resvg_py

FONTS = sorted(str(path) for path in (Path(__file__).parent / "fonts").glob("*.ttf"))
COLOURS = 64
"""The colours in the palette that all frames of a GIF share; enough for flat drawings."""
BEFORE, AFTER, LAST = 700, 1700, 2600
"""Milliseconds of a frame before a step, of one after a step, and of the last frame."""


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


def gif(frames: list[bytes]) -> bytes:
    """Makes a GIF that repeats endlessly from PNG files of equal size: a board before and after each step."""
    from PIL import Image  # imported here, since only reels need it

    pictures = [Image.open(BytesIO(frame)).convert("RGB") for frame in frames]
    width, height = pictures[0].size
    together = Image.new("RGB", (width, height * len(pictures)))
    for n, picture in enumerate(pictures):
        together.paste(picture, (0, height * n))
    palette = together.quantize(COLOURS, dither=Image.Dither.NONE)
    drawn = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    lasts = [AFTER if n % 2 else BEFORE for n in range(len(drawn) - 1)]
    output = BytesIO()
    drawn[0].save(
        output,
        format="GIF",
        save_all=True,
        append_images=drawn[1:],
        duration=[*lasts, LAST],
        loop=0,
        optimize=False,
        disposal=1,
    )
    return output.getvalue()
