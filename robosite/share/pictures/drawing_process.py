"""Draws pictures in a separate process, since a picture would block a server process for 0.1 to 0.3 seconds.

As a program, it reads a sketch and a width as JSON from standard input, and writes the picture to standard
output, and its processor time in seconds to standard error.
"""

import json
import os
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path

import resvg_py

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from robosite.share.pictures.sketch import Area, Sketch, reel, svg

PATIENCE = 20
"""Seconds that drawing a picture may take; then the process that draws it is killed."""
FONTS = sorted(str(path) for path in (Path(__file__).parent / "fonts").glob("*.ttf"))
COLOURS = 64
"""The number of colours in the palette that all frames of a GIF share; enough for flat drawings."""
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


def drawn(sketch: Sketch, width: int) -> bytes:
    """Draws a picture in this process: a GIF for a reel, otherwise a PNG or, for the width 0, an SVG."""
    if sketch.how == "reel":
        return gif([png(frame, width) for frame in reel(sketch)])
    text = svg(sketch)
    return png(text, width) if width else text.encode()


def draw_in_process(sketch: Sketch, width: int) -> tuple[bytes, float]:
    """Draws in another process; returns the file and the processor seconds; may raise SubprocessError."""
    command = [sys.executable, "-I", __file__]
    given = json.dumps([sketch._asdict(), width]).encode()
    done = subprocess.run(  # noqa: S603 - our own program
        command, input=given, capture_output=True, timeout=PATIENCE, check=True
    )
    return done.stdout, float(done.stderr.split()[-1])


def main() -> None:
    os.nice(5)  # requests come first
    given, width = json.load(sys.stdin)
    given |= {"area": Area(*given["area"]), "styles": tuple(given["styles"])}
    given["areas"] = tuple(Area(*area) for area in given["areas"])
    sys.stdout.buffer.write(drawn(Sketch(**given), width))
    sys.stderr.write(f"{time.process_time():.3f}")


if __name__ == "__main__":
    main()
