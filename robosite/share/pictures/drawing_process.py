"""Draws pictures in a separate process, since drawing would block all other requests to a server process.

As a program, it reads a sketch and a width as JSON from standard input, and writes the picture to standard
output, and its processor time in seconds to standard error.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from robosite.share.pictures.png import gif, png
from robosite.share.pictures.sketch import Area, Sketch, reel, svg

PATIENCE = 20
"""Seconds that drawing a picture may take; then the process that draws it is killed."""


def drawn(sketch: Sketch, width: int) -> bytes:
    """Draws a picture in this process: a GIF for a reel, otherwise a PNG or, for the width 0, an SVG."""
    if sketch.how == "reel":
        return gif([png(frame, width) for frame in reel(sketch)])
    text = svg(sketch)
    return png(text, width) if width else text.encode()


def draw_in_process(sketch: Sketch, width: int) -> tuple[bytes, float]:
    """Draws in another process, for PATIENCE seconds; returns the file and the processor time used."""
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
