"""Addresses of pictures. They show what a spectator sees of turns already played, and nothing else."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from django.core.handlers.asgi import ASGIRequest
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import condition, require_safe

from games import GAMES, newest
from robosite.matches import flow
from robosite.matches.asked import Request, among_players, match_of
from robosite.matches.drawings import is_drawn
from robosite.matches.models import Match
from robosite.pictures import boards, cards
from robosite.pictures.keep import find, keep
from robosite.pictures.png import beside, png
from robosite.pictures.styles import THEMES, Theme

DAY = 24 * 3600
MINUTES = 5 * 60
TYPES = {"svg": "image/svg+xml", "png": "image/png"}
MOST_WAITING = 20


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: its name among those that are kept, how it is drawn, and for how long it stays the same."""

    name: str
    draw: Callable[[], str]
    kind: str = "png"
    width: int = cards.WIDTH
    seconds: int = DAY


@require_safe
def step(request: Request, key: str, turn: int, step: int, kind: str) -> HttpResponseBase:
    """The board after a step of a turn that was played, as addresses count them (`3.2`)."""
    match = flow.look(match_of(key))
    if not match.watched:
        return among_players(request, match)
    _only_played(match, turn)
    theme = _theme(request)
    name = f"{_line(match)}/{turn}.{step}/{theme}"

    def draw() -> str:
        drawn = boards.step(match, turn - 1, step, theme)
        if drawn is None:
            raise Http404
        return drawn

    return _answer(request, Picture(name, draw, kind, boards.WIDTH, _seconds(match)))


@require_safe
def turn(request: Request, key: str, turn: int) -> HttpResponseBase:
    """A turn that was played, as a picture that moves."""
    match = flow.look(match_of(key))
    if not match.watched:
        return among_players(request, match)
    _only_played(match, turn)
    theme = _theme(request)
    name = f"{_line(match)}/{turn}/{theme}"
    drawn = Picture(name, lambda: boards.turn(match, turn - 1, theme), "svg", 0, _seconds(match))
    return _answer(request, drawn)


@require_safe
def match_card(request: Request, key: str) -> HttpResponseBase:
    """How a match stands, for the preview of its link."""
    match = flow.look(match_of(key))
    if not match.watched:
        return game_card(request, match.game_slug)
    if not is_drawn(match.game_slug):
        raise Http404
    name = f"{match.key}/card/{match.version}"
    return _answer(request, Picture(name, lambda: cards.of_match(match), seconds=MINUTES))


@require_safe
def game_card(request: HttpRequest, slug: str) -> HttpResponseBase:
    if slug not in GAMES:
        raise Http404
    if not is_drawn(slug):
        return site_card(request)
    return _answer(request, Picture(f"game/{slug}", lambda: cards.of_game(newest(slug))))


@require_safe
def site_card(request: HttpRequest) -> HttpResponseBase:
    return _answer(request, Picture("site", cards.of_site))


def _line(match: Match) -> str:
    """What a turn's number belongs to: it comes again after a take-back, and the end uncovers more."""
    return f"{match.key}/{match.taken_back}/{match.status == Match.Status.OVER}"


def _seconds(match: Match) -> int:
    """While a match goes on, its last turns may be taken back."""
    return DAY if match.status == Match.Status.OVER else MINUTES


def _only_played(match: Match, turn: int) -> None:
    if not (1 <= turn <= match.turn) or not is_drawn(match.game_slug):
        raise Http404


def _theme(request: HttpRequest) -> Theme:
    asked = request.GET.get("theme", THEMES[0])
    for theme in THEMES:
        if theme == asked:
            return theme
    raise Http404


def _answer(request: HttpRequest, picture: Picture) -> HttpResponseBase:
    """The picture, from what is kept or drawn now, to be kept by browsers and proxies too.

    On a server an answer with a PNG that must still be drawn begins at once, and its bytes follow.
    """
    svg = find(f"{picture.name}.svg") or keep(f"{picture.name}.svg", picture.draw().encode())
    tag = f'"{hashlib.sha256(svg).hexdigest()[:24]}-{picture.kind}"'

    @condition(etag_func=lambda request: tag)
    def send(request: HttpRequest) -> HttpResponseBase:
        kind = TYPES[picture.kind]
        made = svg if picture.kind == "svg" else find(f"{picture.name}.png")
        if made is None and isinstance(request, ASGIRequest) and request.method == "GET":
            if len(_waiting) >= MOST_WAITING:
                return HttpResponse(status=503, headers={"Retry-After": "5"})
            return StreamingHttpResponse(_drawn_beside(svg, picture), content_type=kind)
        made = made or keep(f"{picture.name}.png", png(svg.decode(), picture.width))
        return HttpResponse(made, content_type=kind)

    response = send(request)
    if response.status_code in (200, 304):
        patch_cache_control(response, public=True, max_age=picture.seconds)
    return response


_one_at_a_time = asyncio.Semaphore(1)
_waiting: set[object] = set()
"""Who waits for a picture that is not drawn yet, in this process."""


async def _drawn_beside(svg: bytes, picture: Picture) -> AsyncIterator[bytes]:
    me = object()
    _waiting.add(me)
    try:
        async with _one_at_a_time:
            name = f"{picture.name}.png"
            made = await asyncio.to_thread(find, name)  # perhaps somebody before us wanted the same
            if made is None:
                made = await asyncio.to_thread(beside, svg.decode(), picture.width)
                await asyncio.to_thread(keep, name, made)
        yield made
    finally:
        _waiting.discard(me)
