"""A drawing as PNG. Run as a program, it reads one from standard input: `python png.py 800 <in.svg >out.png`.

That takes 0.1 to 0.3 s, in which nothing else of the process runs; so the server lets another process do it
(`beside`), and keeps what it gave (`keep.py`).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import resvg_py

FONTS = sorted(str(path) for path in (Path(__file__).parent / "fonts").glob("*.ttf"))
PATIENCE = 20
"""Seconds that a picture may take."""


def png(svg: str, width: int) -> bytes:
    """The picture at that width, with the letters of the site's own typefaces: the same on every machine."""
    drawn = resvg_py.svg_to_bytes(
        svg_string=svg,
        width=width,
        skip_system_fonts=True,
        font_files=FONTS,
        font_family="Atkinson Hyperlegible Next",
        sans_serif_family="Atkinson Hyperlegible Next",
    )
    return bytes(drawn)


def beside(svg: str, width: int) -> bytes:
    """The same, by a process of its own; to be called from a thread that may wait."""
    command = [sys.executable, "-I", __file__, str(width)]
    done = subprocess.run(  # noqa: S603 - our own program, and a number
        command, input=svg.encode(), capture_output=True, timeout=PATIENCE, check=True
    )
    return done.stdout


if __name__ == "__main__":
    sys.stdout.buffer.write(png(sys.stdin.buffer.read().decode(), int(sys.argv[1])))
