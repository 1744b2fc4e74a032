"""Compares the pages before and after a change of the templates, as parsed trees and without a browser.

    python -m tests.screenshots.trees build WORLD       # plays the tables once: a minute or three
    python -m tests.screenshots.trees render WORLD A    # asks for every page, in each language, into A
    python -m tests.screenshots.trees compare A B       # the first difference of each page

The database, the clock and what is drawn by lot are the same whenever a world is rendered. White space counts
where a reader sees it: in lines of text, not between blocks, not between the shapes of a drawing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "robosite.settings")

from tests.screenshots.markup import forms_of, tree_of

LANGUAGES = ("en", "de")
STEPS = 5
"""The number of steps of each table's film that are looked at."""
TAPS = 6
"""The number of buttons pressed one after the other in a planner."""
WALKS = 2
PRESETS = 6
"""The number of turns played at the table of a preset."""
HTMX = {"HX-Request": "true"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("do", choices=("build", "render", "compare"))
    parser.add_argument("folders", type=Path, nargs="+")
    given = parser.parse_args()
    if given.do == "build":
        build_world(given.folders[0])
        return 0
    if given.do == "render":
        world, into = given.folders
        return render(world, into)
    before, after = given.folders
    differences = list(differing(before, after))
    print("\n".join(differences) or "the same")
    return len(differences) > 0


# Building


def build_world(folder: Path) -> None:
    """Plays the tables of the photographs and one of each preset; then the world of the routes."""
    shots = folder / "shots"
    if not shots.exists():
        _play(shots)
    routes = folder / "routes"
    shutil.copytree(shots, routes)
    (routes / "robosite.sqlite3").unlink()
    _settle(routes)
    from tests.site.world import world

    there: Any = world()
    cookies = {who: {one.key: one.value for one in b.cookies.values()} for who, b in there.people.items()}
    there.people = {who: (browser.name, cookies[who]) for who, browser in there.people.items()}
    (routes / "world.pickle").write_bytes(pickle.dumps(there))


def _play(shots: Path) -> None:
    """The tables, on a server."""
    from games import GAMES, newest
    from tests.screenshots.pages import OF_A_GAME, OF_THE_SITE, tables_of
    from tests.screenshots.town import build
    from tests.servers import Server

    shots.mkdir(parents=True)
    with Server(shots) as server:
        places, cookies = build(server, list(GAMES), tables_of(*OF_A_GAME), tables_of(*OF_THE_SITE))
        for game, place in places.items():
            place["presets"] = json.dumps(
                {preset: _of_preset(server.url, game, preset) for preset in newest(game).presets}
            )
    for path in shots.glob("serve-*.log"):
        path.unlink()
    (shots / "world.json").write_text(json.dumps([places, cookies]))


def _of_preset(url: str, game: str, preset: str) -> dict[str, str]:
    """A table of these options in the middle of its match, and Ada's way to it."""
    from games.core import Seat
    from tests.screenshots.town import Table

    table = Table(url, game, f"{game} {preset}", preset=preset)
    table.sit_down()
    table.play(PRESETS)
    if not table.state.outcome():
        table.plan_for_ada()
    return {"key": table.key, "link": table.tokens[Seat("A")], "films": json.dumps(table.films)}


def _settle(data: Path) -> None:
    """Django in this process, on this folder's data."""
    import django
    from django.core.management import call_command

    os.environ |= {"DATA_DIR": str(data), "DEBUG": "1", "LIMITS": "off"}
    django.setup()
    from django.conf import settings
    from django.test.utils import setup_test_environment

    setup_test_environment()
    settings.DEBUG = False
    settings.WHITENOISE_AUTOREFRESH = True
    call_command("migrate", verbosity=0)
    if not (data / "static").exists():
        call_command("collectstatic", interactive=False, verbosity=0)


# Rendering


def render(world: Path, into: Path) -> int:
    """Each half of the world in a process of its own, since settings are read once."""
    import subprocess

    half = os.environ.get("HALF")
    if half is None:
        runs = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.screenshots.trees", "render", world, into], env=env
            )
            for env in ({**os.environ, "HALF": name} for name in ("shots", "routes"))
        ]
        return max(run.wait() for run in runs)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        shutil.copytree(world / half, data, symlinks=True)
        _settle(data)
        when = datetime.fromtimestamp((world / "shots" / "world.json").stat().st_mtime).astimezone()
        _stop_the_clock(when)
        pages = Pages(into / half)
        look = of_shots if half == "shots" else of_routes
        for language in LANGUAGES:
            pages.language = language
            for _ in look(pages, data):
                pass
    print(f"{half}: {pages.count} pages")
    return 0


def _stop_the_clock(when: datetime) -> None:
    from types import SimpleNamespace

    from django.utils import timesince, timezone

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return when.astimezone(tz)

    timezone.now = lambda: when
    timesince.datetime = SimpleNamespace(datetime=Clock, date=date)  # type: ignore[attr-defined]


def by_lot(seed: str) -> None:
    """Makes all that is drawn from now on depend on the seed alone."""
    random.seed(seed)
    random._urandom = Random(seed).randbytes  # type: ignore[attr-defined]  # what SystemRandom draws from


class Pages:
    """The folder to which the pages are written, each to a file by its name."""

    def __init__(self, into: Path) -> None:
        self.into = into
        self.language = "en"
        self.count = 0

    def keep(self, name: str, answer: Any) -> None:
        """The answer as it came; `lines_of` reads it."""
        path = self.into / self.language / f"{re.sub(r'[^a-zA-Z0-9._=-]+', '_', name)[:150]}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        kind = answer.headers.get("Content-Type", "")
        body = b"" if answer.streaming else answer.content
        if kind.startswith("image/") and "svg" not in kind:
            body = hashlib.sha256(body).hexdigest().encode()
        head = f"{answer.status_code} {kind} {answer.headers.get('Location', '')}\n"
        path.write_bytes(head.encode() + body)
        self.count += 1


def lines_of(path: Path) -> list[str]:
    """The lines that count in an answer: the tree of markup, all lines of anything else."""
    head, _, body = path.read_text().partition("\n")
    if any(kind in head for kind in ("html", "svg", "xml")):
        return [head, *tree_of(body)]
    return [head, *(line.strip() for line in body.splitlines() if line.strip())]


def _browser(language: str, cookies: list[dict[str, str]]) -> Any:
    from django.test import Client

    browser = Client(raise_request_exception=False, headers={"Accept-Language": language})
    for cookie in cookies:
        browser.cookies[cookie["name"]] = cookie["value"]
    return browser


def of_shots(pages: Pages, data: Path) -> Iterator[None]:
    """The pages that are photographed, and what a tap, a step or a preset leads to."""
    from django.db import transaction
    from django.template.loader import render_to_string

    from tests.screenshots.pages import BROKEN, OF_A_GAME, OF_THE_SITE

    places, cookies = json.loads((data / "world.json").read_text())
    for status in (*BROKEN, "403_csrf", "404"):
        from django.http import HttpResponse
        from django.utils import translation

        with translation.override(pages.language):
            pages.keep(
                f"error-{status}",
                HttpResponse(render_to_string(f"{status}.html", {"seconds": 40, "minutes": 1})),
            )
    some = next(iter(places.values()))
    for game, place in ((None, some), *places.items()):
        for page in OF_THE_SITE if game is None else OF_A_GAME:
            if page.name.removeprefix("error-") in BROKEN:
                continue
            with transaction.atomic():
                browser = _browser(pages.language, cookies[page.who])
                _page(pages, browser, f"{game or ''} {page.name}", page.address.format(**place), page.name)
                transaction.set_rollback(True)
            yield
        if game:
            for _ in _films_and_more(pages, game, place, cookies["Ada"]):
                yield


PRESSED = {"device": "device/", "six-words": "phrase/", "barred": "/matches/"}
WALKED = ("opening", "planning", "lesson", "what-if")


def _page(pages: Pages, browser: Any, name: str, address: str, kind: str) -> None:
    by_lot(name)
    answer = browser.get(address)
    pages.keep(name, answer)
    if kind in PRESSED:
        by_lot(f"{name} pressed")
        form = next(form for form in forms_of(answer.content.decode()) if form.action.endswith(PRESSED[kind]))
        pages.keep(f"{name} pressed", browser.post(form.action, form.fields))
    elif kind == "queue-report":
        link = re.search(r'field-what"><a href="([^"]+)"', answer.content.decode())
        if link:
            pages.keep(f"{name} pressed", browser.get(link[1]))
    elif "/m/" in address:
        by_lot(name)
        pages.keep(f"{name} htmx", browser.get(address, headers=HTMX))
    if kind in WALKED:
        for walk in range(WALKS):
            _walk(pages, browser, f"{name} walk {walk}", answer.content.decode(), address)


def _walk(pages: Pages, browser: Any, name: str, page: str, address: str) -> None:
    """Presses buttons of a planner by lot, and keeps what comes back; all of it is undone afterwards."""
    from django.db import transaction

    rng = Random(name)
    cookies = browser.cookies.copy()
    with transaction.atomic():
        for n in range(TAPS):
            form = next((form for form in forms_of(page) if form.buttons("choose", "guess")), None)
            if form is None:
                break
            names = ("look", "guess", "guess", "choose", "throw", "step") if n % 3 else ("choose", "guess")
            key, value = rng.choice(form.buttons(*names) or form.buttons("choose", "guess"))
            by_lot(f"{name} {n}")
            headers = HTMX if n % 4 < 3 else {}
            answer = browser.post(form.action or address, {**form.fields, key: value}, headers=headers)
            if answer.status_code == 302:
                pages.keep(f"{name} {n} on", answer)
                answer = browser.get(answer["Location"])
            pages.keep(f"{name} {n}", answer)
            page = answer.content.decode()
        transaction.set_rollback(True)
    browser.cookies = cookies


def _films_and_more(pages: Pages, game: str, place: dict[str, str], cookies: Any) -> Iterator[None]:
    """Steps of the films, the tables of all presets, their pictures, and every lesson."""
    from django.db import transaction

    browser = _browser(pages.language, cookies)
    for key, turns in ((place["planning"], 9), (place["over"], 40)):
        for n in range(STEPS):
            at = f"{Random(f'{key} {n}').randint(1, turns)}.{Random(f'{n} {key}').randint(0, 5)}"
            _page(pages, browser, f"{game} film {turns} {n}", f"/m/{key}/?at={at}", "")
            pages.keep(f"{game} picture {turns} {n}", browser.get(f"/m/{key}/{at}.svg"))
            yield
        pages.keep(f"{game} turn {turns}", browser.get(f"/m/{key}/1.svg"))
        pages.keep(f"{game} card {turns}", browser.get(f"/m/{key}/card.png"))
    for preset, table in json.loads(place["presets"]).items():
        with transaction.atomic():
            other = _browser(pages.language, [])
            other.post(f"/s/seat/{table['link']}/take/")
            _page(pages, other, f"{game} preset {preset}", f"/m/{table['key']}/A/", "planning")
            for turn, steps in enumerate(json.loads(table["films"]), 1):
                _page(
                    pages,
                    other,
                    f"{game} preset {preset} {turn}",
                    f"/m/{table['key']}/?at={turn}.{steps // 2}",
                    "",
                )
            transaction.set_rollback(True)
        _page(pages, browser, f"{game} new {preset}", f"/new/{game}/?preset={preset}", "")
        yield
    for lesson in range(1, 9):
        at = f"/learn/{game}/{lesson}/"
        _page(pages, _browser(pages.language, []), f"{game} lesson {lesson}", at, "lesson")
        with suppress(Exception):
            pages.keep(f"{game} lesson {lesson} played", browser.get(f"{at}?played"))
        yield


EVERYBODY = ("anyone", "watcher", "Alice", "Bob", "elsewhere")


def of_routes(pages: Pages, data: Path) -> Iterator[None]:
    """Every request that the tests know, by everybody."""
    from tests.site.browsers import Browser
    from tests.site.routes import asks

    there = pickle.loads((data / "world.pickle").read_bytes())
    for who, (name, cookies) in there.people.items():
        there.people[who] = Browser(name, raise_request_exception=False)
        there.people[who].cookies.load(cookies)
    for n, ask in enumerate(asks(there)):
        if ask.name.startswith("api-") and ask.name != "api-docs":
            continue
        for who in (
            ("staff",)
            if ask.name.startswith("admin:")
            else EVERYBODY
            if pages.language == "en"
            else ("Alice",)
        ):
            browser = there.people[who]
            browser.defaults["HTTP_ACCEPT_LANGUAGE"] = pages.language
            by_lot(f"{who} {n}")
            with suppress(RuntimeError):  # a secret that this request had cannot be read any more
                pages.keep(f"{n} {ask.name} {ask.method} {ask.where} {who}", there.ask(who, ask))
            yield


# Comparing


def differing(before: Path, after: Path) -> Iterator[str]:
    """For each page that is not the same, its name and the first line that differs."""
    names = {path.relative_to(folder) for folder in (before, after) for path in folder.rglob("*.txt")}
    if not names:
        sys.exit(f"There are no pages in {before} and {after}: render them first.")
    for name in sorted(names):
        if not ((before / name).exists() and (after / name).exists()):
            yield f"{name}: only in {before if (before / name).exists() else after}"
            continue
        one, other = (lines_of(folder / name) for folder in (before, after))
        if (before / name).read_bytes() == (after / name).read_bytes():
            continue
        for n, (a, b) in enumerate(zip_longest(one, other), 1):
            if a != b:
                yield f"{name}:{n}\n  - {a}\n  + {b}"
                break


if __name__ == "__main__":
    sys.exit(main())
