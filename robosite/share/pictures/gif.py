"""Frames as a GIF that begins again and again: the one moving picture that every messenger plays."""

from __future__ import annotations

from io import BytesIO

from PIL import Image

COLOURS = 64
"""The number of colours of all frames together; the drawings are flat."""
BEFORE, AFTER, LAST = 700, 1700, 2600
"""Milliseconds of a frame before something happens, of the one after it, and of the last."""


def gif(frames: list[bytes]) -> bytes:
    """A GIF of PNG frames of one size, which alternate between before and after something has happened."""
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
