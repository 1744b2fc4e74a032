"""A picture as rendered by templates (a sketch), and its conversion into standalone SVG.

The templates are rendered in the request, the styles computed in a separate process, since that takes longer
(330 ms for a turn of eight pigs). So nothing that this module imports depends on Django.
"""

import re
from typing import Literal, NamedTuple
from xml.etree.ElementTree import Element

from robosite.share.pictures import animation
from robosite.share.pictures.styles import Theme, style_sheet_of
from robosite.share.pictures.svg import Drawing, bare, box_of, write

WIDTH = 800
PAGE = """<html><body><main class="game-{slug}">{symbols}
<section data-film="" class="at-last">{drawings}</section></main></body></html>"""
"""The page around the drawings, with only the elements to which selectors of the style sheets refer."""


def on_page(slug: str, symbols: str, *drawings: str) -> str:
    return PAGE.format(slug=slug, symbols=symbols, drawings="".join(drawings))


class Area(NamedTuple):
    """A rectangle on a picture into which the drawing of a board is put."""

    x: float
    y: float
    width: float
    height: float


class Sketch(NamedTuple):
    """A picture as rendered by templates, before styles are computed: a page with drawings, and a theme.

    `styles` are paths of CSS files, `how` is the kind of picture. `card` is the SVG around the drawing, which
    is put into its `area`; "" for a drawing alone.
    """

    page: str
    styles: tuple[str, ...]
    theme: Theme
    how: Literal["step", "turn", "card", "site", "strip", "reel", "table"] = "step"
    card: str = ""
    area: Area = Area(0, 0, 0, 0)
    areas: tuple[Area, ...] = ()
    """The rectangles on the card of a strip, one for each drawing on the page, in the same order."""
    cards: tuple[str, ...] = ()
    """The cards of a reel, one for each drawing on the page; each drawing is put into `area`."""

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The viewBox of the page's first board: left, top, width, height."""
        tags = re.findall(r"<svg\b[^>]*>", self.page)
        board = next(tag for tag in tags if re.search(r'class="[^"]*\bboard\b', tag))
        given = re.search(r'viewBox="([^"]+)"', board)
        return box_of(Element("svg", viewBox=given[1] if given else "0 0 1 1"))


def drawing_of(sketch: Sketch) -> Drawing:
    return Drawing(sketch.page, style_sheet_of(sketch.styles, sketch.theme))


def svg(sketch: Sketch) -> str:
    """Converts a sketch of any kind except a reel to standalone SVG."""
    drawing = drawing_of(sketch)
    match sketch.how:
        case "step":
            return write(_framed(bare(drawing.finish(drawing.take())), drawing))
        case "turn":
            return write(_framed(bare(animation.move(drawing.finish(drawing.take()))), drawing))
        case "card":
            board = drawing.take()
            card = drawing.read(sketch.card)
            place = next(one for one in card.iter() if one.get("class") == "card-place")
            place.append(_put(board, sketch.area))
        case "strip":
            boards = [drawing.take(number=n) for n in range(len(sketch.areas))]
            card = drawing.read(sketch.card)
            for board, where in zip(boards, sketch.areas, strict=True):
                card.append(_put(board, where))
        case "table":
            card = drawing.take("card")
        case "site":
            card = drawing.take("card")
            card.append(_put(drawing.take("picture"), sketch.area))
    return write(bare(drawing.finish(card)))


def reel(sketch: Sketch) -> list[str]:
    """Converts a sketch of a reel to one standalone SVG for each frame."""
    drawing, together = drawing_of(sketch), Element("svg")
    for n, text in enumerate(sketch.cards):
        board, card = drawing.take(number=n), drawing.read(text)
        card.append(_put(board, sketch.area))
        together.append(card)
    frames = list(together)
    parts = drawing.finish(together)[0]  # the definitions to which all frames refer
    for frame in frames:
        frame.insert(0, parts)
    return [write(bare(frame)) for frame in frames]


def _put(drawing: Element, area: Area) -> Element:
    for name, value in area._asdict().items():
        drawing.set(name, f"{value:g}")
    return drawing


def _framed(svg: Element, drawing: Drawing) -> Element:
    """Sets the size of the drawing `svg`, and puts a sheet in the colour of paper behind it."""
    left, top, width, height = box_of(svg)
    sheet = Element(
        "rect",
        x=f"{left:g}",
        y=f"{top:g}",
        width=f"{width:g}",
        height=f"{height:g}",
        fill=drawing.env["--sheet"],
    )
    svg.insert(1, sheet)
    svg.set("width", str(WIDTH))
    svg.set("height", str(round(WIDTH * height / width)))
    return svg
