"""Animates the SVG of a turn with SMIL, in an endless loop: pieces move and turn, then effects appear."""

import re
from collections.abc import Sequence
from itertools import accumulate, groupby, pairwise
from math import dist
from xml.etree.ElementTree import Element, SubElement

STEP, LAST = 1.5, 2.5
"""Seconds for which a frame is shown, and for which the last one is."""
WALK = 0.45
"""The fraction of a step's time in which pieces move; effects appear after that."""

Attributes = dict[str, str]


def move(svg: Element) -> Element:
    """Animates a drawing of at least two frames (`data-frame`) in place, and returns it."""
    frames = [one for one in svg.iter() if one.get("data-frame") is not None]
    if len(frames) < 2:
        return svg
    length = STEP * (len(frames) - 1) + LAST
    for n, frame in enumerate(frames):
        frame.attrib.pop("display", None)
        begins, ends = n * STEP / length, (n + 1) * STEP / length if n + 1 < len(frames) else 1.0
        _show(frame, begins, ends, length)
        if n:
            _walk(frames[n - 1], frame, begins=begins, arrives=begins + WALK * STEP / length, length=length)
    return svg


def _show(frame: Element, begins: float, ends: float, length: float) -> None:
    times, values = [0.0], ["inline" if begins == 0 else "none"]
    if begins:
        times, values = [*times, begins], [*values, "inline"]
    if ends < 1:
        times, values = [*times, ends], [*values, "none"]
    if len(times) > 1:
        _animate(
            frame,
            "animate",
            times=times,
            values=values,
            length=length,
            attributeName="display",
            calcMode="discrete",
        )


def _walk(before: Element, frame: Element, *, begins: float, arrives: float, length: float) -> None:
    old = {one.get("data-piece"): one for one in before.iter() if one.get("data-piece")}
    times = [0, begins, arrives, 1]
    for piece in [one for one in frame.iter() if one.get("data-piece")]:
        was = old.get(piece.get("data-was") or piece.get("data-piece"))
        if was is None:
            continue
        start = _pair(piece.get("data-from") or "") or _numbers(was, "translate")
        corners = _corners(frame, piece.get("data-piece") or "")
        _glide(piece, "translate", start, times=times, length=length, corners=corners)
        turned, facing = _part(was, "turn"), _part(piece, "turn")
        if turned is not None and facing is not None:
            _glide(facing, "rotate", _numbers(turned, "rotate"), times=times, length=length)
    for effect in [one for one in frame.iter() if "effect" in (one.get("class") or "").split()]:
        shows = min(arrives + 0.1 / length, 1)
        late = [0, arrives, shows, 1]
        _animate(
            effect, "animate", times=late, values=["0", "0", "1", "1"], length=length, attributeName="opacity"
        )


def _corners(frame: Element, piece: str) -> list[list[float]]:
    way = next((one for one in frame.iter() if piece and one.get("data-way") == piece), None)
    numbers = _pair(re.sub(r"[A-Za-z]", " ", way.get("d") or "")) if way is not None else []
    return [numbers[n : n + 2] for n in range(0, len(numbers), 2)][1:-1]


def _glide(
    piece: Element,
    kind: str,
    start: list[float],
    *,
    times: list[float],
    length: float,
    corners: Sequence[list[float]] = (),
) -> None:
    """Animates `kind` (translate, rotate) from `start` via `corners` to its end; `times`: SMIL's keyTimes."""
    end = _numbers(piece, kind)
    if len(start) != len(end):
        return
    if kind == "rotate":  # the short way round
        end = [start[0] + (end[0] - start[0] + 180) % 360 - 180, *end[1:]]
    way = [point for point, _same in groupby([start, *corners, end])]
    if len(way) < 2:
        return
    gone = list(accumulate((dist(*two) for two in pairwise(way)), initial=0.0))
    begins, arrives = times[1], times[-2]
    between = [begins + (arrives - begins) * far / gone[-1] for far in gone[1:-1]]
    times = [*times[:2], *between, *times[-2:]]
    values = [" ".join(f"{number:g}" for number in numbers) for numbers in (start, *way, end)]
    _animate(
        piece,
        "animateTransform",
        times=times,
        values=values,
        length=length,
        attributeName="transform",
        type=kind,
    )


def _animate(
    inside: Element, tag: str, *, times: list[float], values: list[str], length: float, **more: str
) -> None:
    given: Attributes = {
        **more,
        "dur": f"{length:g}s",
        "repeatCount": "indefinite",
        "keyTimes": ";".join(f"{time:.4g}" for time in times),
        "values": ";".join(values),
    }
    SubElement(inside, tag, given)


def _part(piece: Element, name: str) -> Element | None:
    return next((one for one in piece.iter() if name in (one.get("class") or "").split()), None)


def _numbers(element: Element, kind: str) -> list[float]:
    found = re.fullmatch(rf"\s*{kind}\(([^()]*)\)\s*", element.get("transform") or "")
    return _pair(found[1]) if found else []


def _pair(text: str) -> list[float]:
    return [float(number) for number in re.split(r"[\s,]+", text.strip()) if number]
