"""The views that serve pictures, which show only what watchers may see of turns that were played."""

import asyncio
import logging
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from math import ceil
from time import monotonic
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import condition, require_safe

from games import newest
from robosite.matches import flow
from robosite.matches.models import Match
from robosite.people import cost
from robosite.people.current_guest import owner_of
from robosite.play.decorators import Request, absolute, among_players, match_of
from robosite.play.drawings import is_drawn
from robosite.share.pictures import boards, cards, comic_strip
from robosite.share.pictures.captions import people_of
from robosite.share.pictures.drawing_process import draw_in_process, drawn
from robosite.share.pictures.drawn_files import find, store, tag
from robosite.share.pictures.sketch import WIDTH, Sketch
from robosite.share.pictures.styles import THEMES, Theme
from robosite.web import later
from robosite.web.admission import Admission, FairQueue, Owner
from robosite.web.http import or_404

log = logging.getLogger("robosite")

DAY = 24 * 3600
MINUTES = 5 * 60
MOST_FAILED = 1_000
KEEP_FAILURE = 60
"""Seconds for which a picture that could not be drawn is not tried again."""
MOST_ADDRESS = 40
TYPES = {"svg": "image/svg+xml", "png": "image/png", "gif": "image/gif"}
MOST_WAITING, MOST_OF_ONE, MOST_OF_A_TABLE = 20, 6, 10
"""The most requests that wait for drawings: in total, from one address, about one match."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture to serve; `of`, its name in the cache, begins with a match's key and a slash.

    `sketch` renders it, or raises Http404. `width` is in pixels; `seconds` is how long it may be cached.
    """

    of: str
    sketch: Callable[[], Sketch]
    kind: str = "png"
    width: int = cards.WIDTH
    seconds: int = DAY

    @property
    def name(self) -> str:
        return f"{self.of}.{self.kind}"

    @property
    def table(self) -> str:
        return self.of.partition("/")[0]

    @property
    def pixels(self) -> int:
        return 0 if self.kind == "svg" else self.width


@require_safe
def step(request: Request, key: str, turn: int, step: int, kind: str) -> HttpResponseBase:
    """The board after a step of a played turn; turns count from 1, step 0 is the board before the turn."""
    match = flow.apply_due(match_of(key))
    if not match.watched:
        return among_players(request, match)
    _only_played(match, turn)
    theme = _theme(request)
    people = people_of(match, _address(request))
    name = f"{_line(match)}/{turn}.{step}/{theme}/{people.tag}"
    drawn = Picture(
        name,
        sketch=lambda: or_404(boards.step(match, turn - 1, step, theme, people)),
        kind=kind,
        width=WIDTH,
        seconds=_seconds(match),
    )
    return answer(request, drawn)


@require_safe
def turn(request: Request, key: str, turn: int) -> HttpResponseBase:
    match = flow.apply_due(match_of(key))
    if not match.watched:
        return among_players(request, match)
    _only_played(match, turn)
    theme = _theme(request)
    name = f"{_line(match)}/{turn}/{theme}"
    moves = Picture(
        name, sketch=lambda: boards.turn(match, turn - 1, theme), kind="svg", width=0, seconds=_seconds(match)
    )
    return answer(request, moves)


@require_safe
def comic(request: Request, key: str, kind: str) -> HttpResponseBase:
    """The comic strip of a match that is over, as a PNG file, or its reel, as a GIF file."""
    match = flow.apply_due(match_of(key))
    if not match.watched:
        return among_players(request, match)
    if match.status != Match.Status.OVER or not is_drawn(match.game_slug):
        raise Http404
    people = people_of(match, _address(request))
    draw = comic_strip.reel if kind == "gif" else comic_strip.strip
    width = comic_strip.REEL if kind == "gif" else cards.WIDTH
    name = f"{_line(match)}/comic/{people.tag}"
    picture = Picture(name, lambda: draw(match, people), kind=kind, width=width, seconds=_seconds(match))
    return answer(request, picture)


@require_safe
def match_card(request: Request, key: str) -> HttpResponseBase:
    """The picture for previews of links to a match, or that of its game if watchers are not welcome."""
    match = flow.apply_due(match_of(key))
    if not match.watched:
        return game_card(request, match.game_slug)
    if not is_drawn(match.game_slug):
        raise Http404
    name = f"{match.key}/card/{match.version}"
    return answer(request, Picture(name, lambda: cards.of_match(match), seconds=MINUTES))


@require_safe
def game_card(request: HttpRequest, slug: str) -> HttpResponseBase:
    if not is_drawn(slug):
        return site_card(request)
    return answer(request, Picture(f"game/{slug}", lambda: cards.of_game(newest(slug))))


@require_safe
def site_card(request: HttpRequest) -> HttpResponseBase:
    return answer(request, Picture("site", cards.of_site))


def _address(request: HttpRequest) -> str:
    return urlsplit(absolute(request, "/")).netloc[:MOST_ADDRESS]


def _line(match: Match) -> str:
    return f"{match.key}/{match.taken_back}/{match.status == Match.Status.OVER}"


def _seconds(match: Match) -> int:
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


def answer(request: HttpRequest, picture: Picture) -> HttpResponseBase:
    """Responds with a picture, from the cache or newly drawn, by another process if the request can wait.

    503 if the queue is full, or if drawing failed in the last KEEP_FAILURE seconds; HEAD draws nothing.
    """
    drawn_now = getattr(request, "scope", {}).get(DRAWN, Drawn())
    image = drawn_now.made if drawn_now.name == picture.name else find(picture.name)
    if image is None and (seconds := ceil(_failed.get(picture.name, 0.0) - monotonic())) > 0:
        return _no_place(seconds)
    if image is None and drawn_now.name == picture.name:
        return _no_place()
    sketch = picture.sketch() if image is None else None  # raises Http404 if there is no such picture

    @condition(etag_func=lambda request: f'"{tag(picture.name)}"')
    def send(request: HttpRequest) -> HttpResponseBase:
        kind = TYPES[picture.kind]
        if sketch is None:
            return HttpResponse(image, content_type=kind)
        if request.method == "HEAD":
            return StreamingHttpResponse((), content_type=kind)  # no length: it is not known yet
        if later.can_wait():
            owner = owner_of(request)
            if not _turns.admission.may(owner, picture.table):
                return _no_place()
            raise later.Later(partial(_draw, request, picture, sketch, owner))
        return HttpResponse(store(picture.name, drawn(sketch, picture.pixels)), content_type=kind)

    response = send(request)
    if response.status_code in (200, 304):
        patch_cache_control(response, public=True, max_age=picture.seconds)
        response["Content-Language"] = settings.LANGUAGE_CODE  # of the picture's words
    return response


def _no_place(seconds: int = 5) -> HttpResponse:
    return HttpResponse(status=503, headers={"Retry-After": str(seconds)})


_failed: dict[str, float] = {}
"""The time (`monotonic`) until which a picture that could not be drawn is not tried again, by its name."""


class PutOut(Exception):
    """Raised if a job is refused by the queue, or removed from it in favour of a client with fewer jobs."""


class JobQueue:
    """A queue that runs one job at a time, with limits in total, for each address and each match."""

    def __init__(self, most: int, most_of_one: int, most_about_one: int) -> None:
        self.admission = Admission(lambda: most, lambda: most_of_one, lambda: most_about_one)
        self._line: FairQueue[asyncio.Future[None]] = FairQueue()
        self._busy = False

    @asynccontextmanager
    async def turn(self, owner: Owner, table: str) -> AsyncIterator[None]:
        """Waits until the block, a job about the match `table`, may run; raises PutOut if it is refused."""
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        slot = self.admission.take(owner, table, put_out=lambda: _put_out(called))
        if slot is None:
            raise PutOut
        try:
            await self._come(owner.address, table, called)
            try:
                yield
            finally:
                self._go_on()
        finally:
            self.admission.leave(slot)

    async def _come(self, address: str, table: str, called: asyncio.Future[None]) -> None:
        if not self._busy:
            self._busy = True
            called.set_result(None)
            return
        self._line.put(address, table, called)
        try:
            await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled() and not called.exception():
                self._go_on()  # called and cancelled at the same moment
            raise

    def _go_on(self) -> None:
        while (called := self._line.take()) is not None:
            if not called.done():
                called.set_result(None)
                return
        self._busy = False


def _put_out(called: asyncio.Future[None]) -> None:
    """Raises PutOut in the job that waits for the future `called`, unless its turn has begun."""
    if not called.done():
        called.set_exception(PutOut())


_turns = JobQueue(MOST_WAITING, MOST_OF_ONE, MOST_OF_A_TABLE)

DRAWN = "drawn"
"""The key in a request's ASGI scope under which the picture drawn for it is stored (a Drawn)."""


class Drawn(NamedTuple):
    """The picture that was drawn for a request: its name in the cache, and its bytes, None if that failed."""

    name: str = ""
    made: bytes | None = None


async def _draw(request: HttpRequest, picture: Picture, sketch: Sketch, owner: Owner) -> float:
    """Draws the picture in its owner's turn into the request's ASGI scope, at no cost to this thread."""
    image = None
    try:
        async with _turns.turn(owner, picture.table):
            image = await asyncio.to_thread(_made, picture, sketch, owner.address)
    except PutOut:
        pass
    except (subprocess.SubprocessError, OSError):
        log.exception("a picture could not be drawn")
    request.scope[DRAWN] = Drawn(picture.name, image)  # type: ignore[attr-defined]
    return 0.0


def _made(picture: Picture, sketch: Sketch, address: str) -> bytes:
    """The picture from the cache or newly drawn, with the processor time charged to `address`."""
    if image := find(picture.name):
        return image
    began = monotonic()
    try:
        image, seconds = draw_in_process(sketch, picture.pixels)
    except (subprocess.SubprocessError, OSError):
        if len(_failed) >= MOST_FAILED:
            _failed.clear()
        _failed[picture.name] = monotonic() + KEEP_FAILURE
        cost.charge("cost", address, monotonic() - began)
        raise
    cost.charge("cost", address, seconds)
    return store(picture.name, image)
