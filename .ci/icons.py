"""Draws the site's icons as PNG files from favicon.svg: `.venv/bin/python .ci/icons.py`."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from robosite.share.pictures.drawing_process import png  # noqa: E402

IMAGES = ROOT / "static" / "img"
PAPER = "#fbf8ef"
ICONS = {
    "icon-32.png": (32, 1.0, ""),
    "icon-180.png": (180, 0.84, PAPER),
    "icon-192.png": (192, 1.0, ""),
    "icon-512.png": (512, 1.0, ""),
    "icon-512-maskable.png": (512, 0.66, PAPER),
}
"""Size in pixels, the fraction of its width that the pig fills, and the background, or "".

Maskable icons need a margin, since systems cut off their edges.
"""


def draw(pixels: int, filled: float, paper: str) -> bytes:
    pig = (IMAGES / "favicon.svg").read_text(encoding="utf-8")
    inside = re.sub(r"^<svg[^>]*>|</svg>\s*$", "", pig.strip())
    width = 1.08 / filled
    box = f"{-width / 2:g} {-width / 2:g} {width:g} {width:g}"
    back = f'<rect x="-2" y="-2" width="4" height="4" fill="{paper}"/>' if paper else ""
    size = f'width="{pixels}" height="{pixels}"'  # without it, a box of about one pixel is rounded to one
    return png(f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="{box}">{back}{inside}</svg>', pixels)


def main() -> None:
    for name, (pixels, filled, paper) in ICONS.items():
        (IMAGES / name).write_bytes(draw(pixels, filled, paper))


if __name__ == "__main__":
    main()
