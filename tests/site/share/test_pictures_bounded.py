"""Pictures of boards are bounded."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from django.test import RequestFactory

from games import GAMES, newest
from robosite.play.template_functions import board
from robosite.share.pictures import boards, drawing_process, drawn_files, views
from robosite.share.pictures.captions import people_of
from robosite.share.pictures.sketch import Sketch
from robosite.share.pictures.views import JobQueue, PutOut
from robosite.web import later
from robosite.web.admission import Owner
from tests.servers import ROOT
from tests.site.browsers import SHOTS, Table


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path / "pictures"


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def test_so_many_pictures_and_bytes_are_kept_and_no_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawn_files, "MOST", 10)
    for n in range(40):
        drawn_files.store(f"{n}.svg", b"drawn")
        assert len(list(folder.iterdir())) <= 10
    assert drawn_files.find("39.svg") == b"drawn" and drawn_files.find("0.svg") is None
    monkeypatch.undo()
    monkeypatch.setattr(drawn_files, "MOST_BYTES", 10_000)
    for n in range(40):
        drawn_files.store(f"{n}.svg", b"x" * 999)
        assert size(folder) <= 10_000
    assert drawn_files.store("huge.svg", b"x" * 20_000) == b"x" * 20_000
    assert size(folder) <= 10_000


def test_what_was_not_looked_at_for_longest_goes_first_and_what_a_crash_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawn_files, "MOST", 3)
    for n in range(3):
        drawn_files.store(f"{n}.svg", b"drawn")
        os.utime(drawn_files._path(f"{n}.svg"), (0, time.time() - 9 * drawn_files.HOUR + n))
    assert drawn_files.find("0.svg")
    drawn_files.store("3.svg", b"drawn")
    assert [n for n in range(4) if drawn_files.find(f"{n}.svg")] == [0, 2, 3]
    (folder / "new-left").write_bytes(b"half")
    for path in folder.iterdir():
        os.utime(path, (0, time.time() - drawn_files.SECONDS - 1))
    drawn_files.store("other.svg", b"drawn")
    assert [path.read_bytes() for path in folder.iterdir()] == [b"drawn"] and not drawn_files.find("0.svg")


@pytest.mark.integration
@pytest.mark.parametrize(
    "file",
    [
        "templates/games/picture.svg",
        "templates/share/step.svg",
        "templates/lobby/home_picture.svg",
        "static/css/board.css",
        "robosite/share/pictures/card.css",
        "robosite/share/pictures/cards.py",
    ],
)
def test_pictures_are_drawn_anew_once_a_file_changes_that_they_are_drawn_from(
    file: str, tmp_path: Path, settings: Any
) -> None:
    for folder in ("templates", "static/css", "robosite/share/pictures"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    settings.BASE_DIR = tmp_path
    before = drawn_files._drawn_by.__wrapped__()
    with (tmp_path / file).open("a") as changed:
        changed.write(" ")
    assert drawn_files._drawn_by.__wrapped__() != before


def test_with_redis_too_pictures_lie_in_files(table: Table, redis_url: str, tmp_path: Path) -> None:
    """Several processes with Redis draw more than may be kept; nothing of it is in Redis."""
    import redis

    prefix = f"tests-pictures-{os.getpid()}"
    code = (
        "import sys, django; django.setup()\n"
        "from robosite.share.pictures import drawn_files; drawn_files.MOST = 20\n"
        "for n in range(60): drawn_files.store(f'{sys.argv[1]}{n}.svg', b'x' * 1000)"
    )
    env = {
        **os.environ,
        "REDIS_URL": redis_url,
        "REDIS_PREFIX": prefix,
        "DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "robosite.settings",
    }
    both = [subprocess.Popen([sys.executable, "-c", code, name], cwd=ROOT, env=env) for name in "ab"]
    assert [one.wait(120) for one in both] == [0, 0]
    assert len(list((tmp_path / "pictures").iterdir())) <= 20
    with redis.Redis.from_url(redis_url) as there:
        assert not list(there.scan_iter(f"*{prefix}*"))


def test_another_process_draws_the_same_and_says_what_it_took(table: Table) -> None:
    table.play(SHOTS)
    sketch = boards.turn(table.match, 0, "paper")
    made, seconds = drawing_process.draw_in_process(sketch, 0)
    assert made == drawing_process.drawn(sketch, 0) and made.startswith(b"<svg")
    assert 0 < seconds < 60
    step = boards.step(table.match, 0, 2, "blueprint", people_of(table.match, "robosite.example"))
    assert isinstance(step, Sketch)
    assert drawing_process.draw_in_process(step, 100)[0] == drawing_process.drawn(step, 100)


def test_what_finishes_pictures_knows_no_django() -> None:
    code = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); import robosite.share.pictures.drawing_process;"
        "print(json.dumps([name for name in sys.modules if name.startswith('django')]))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code, str(ROOT)], capture_output=True, check=True)
    assert json.loads(done.stdout) == []


def test_addresses_take_turns() -> None:
    """A request for one picture waits for no more than one of somebody who asked for many before."""
    order: list[str] = []

    async def all_of_them() -> None:
        turns = JobQueue(20, 9, 20)

        async def one(address: str) -> None:
            async with turns.turn(Owner(address), ""):
                order.append(address)
                await asyncio.sleep(0)

        await asyncio.gather(*(one(address) for address in "AAAAAABCB"))
        assert not len(turns.admission) and not len(turns._line) and not turns._busy

    asyncio.run(all_of_them())
    assert order == [*"AABCABAAA"]


def test_who_goes_away_while_he_waits_holds_nobody_up() -> None:
    done: list[str] = []

    async def some_go() -> None:
        turns = JobQueue(20, 9, 20)
        hold = asyncio.Event()

        async def one(name: str) -> None:
            async with turns.turn(Owner(name), ""):
                await hold.wait()
                done.append(name)

        tasks = {name: asyncio.create_task(one(name)) for name in "ABCD"}
        await asyncio.sleep(0)
        tasks["B"].cancel()  # it waits
        await asyncio.sleep(0)
        tasks["A"].cancel()  # it is its turn
        await asyncio.sleep(0)
        tasks["C"].cancel()  # it was called just now
        hold.set()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
        assert not len(turns.admission) and not turns._busy

    asyncio.run(some_go())
    assert done == ["D"]


def test_on_a_server_a_picture_is_waited_for_and_who_has_no_place_is_told(
    table: Table, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    table.play(SHOTS)
    request: Any = RequestFactory().get("/", REMOTE_ADDR="203.0.113.7")
    request.session, request.scope = {}, {}

    def ask() -> Any:
        return later.waiting_for(lambda: views.turn(request, table.key, 1))

    with pytest.raises(later.Later) as waits:
        ask()
    monkeypatch.setattr(views, "_turns", JobQueue(1, 1, 1))
    other = views._turns.admission.take(Owner("198.51.100.7"), "", put_out=list)
    refused = ask()
    assert refused.status_code == 503 and refused["Retry-After"] == "5"
    assert "max-age" not in refused.get("Cache-Control", "")
    asyncio.run(waits.value.work())  # type: ignore[arg-type]  # the place has gone meanwhile
    assert ask().status_code == 503
    assert other
    views._turns.admission.leave(other)
    asyncio.run(waits.value.work())  # type: ignore[arg-type]
    answer = ask()
    assert answer.status_code == 200 and answer.content.startswith(b"<svg") and answer["ETag"]


def test_whoever_waits_is_told_at_once_that_the_place_went_to_somebody_who_had_none() -> None:
    async def wait() -> list[type[BaseException] | None]:
        turns, end = JobQueue(3, 4, 5), asyncio.Event()

        async def draw(address: str) -> None:
            async with turns.turn(Owner(address), ""):
                await end.wait()

        both = [asyncio.create_task(draw("10.1.0.1")) for _ in range(3)]
        await asyncio.sleep(0)
        newcomer = asyncio.create_task(draw("10.2.0.1"))
        done, _ = await asyncio.wait(both, timeout=10, return_when=asyncio.FIRST_COMPLETED)
        assert done == {both[2]}
        end.set()
        told = await asyncio.gather(*both, newcomer, return_exceptions=True)
        return [type(one) if one else None for one in told]

    assert asyncio.run(wait()) == [None, None, PutOut, None]


def test_what_cannot_be_drawn_is_charged_and_not_tried_again_for_a_minute(
    table: Table, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.play(SHOTS)
    tried, charged = [], []

    def fails(*given: Any) -> None:
        tried.append(given)
        raise subprocess.CalledProcessError(1, "draw")

    monkeypatch.setattr(views, "draw_in_process", fails)
    monkeypatch.setattr("robosite.people.cost.charge", lambda *given: charged.append(given))
    picture = views.Picture("cannot/be-drawn", lambda: broken, kind="svg")
    broken = Sketch("<svg data-brief>", (), "paper")
    for _ in range(3):
        request: Any = RequestFactory().get("/")
        request.session, request.scope = {}, {}
        try:
            answer = later.waiting_for(lambda: views.answer(request, picture))  # noqa: B023
        except later.Later as wait:
            asyncio.run(wait.work())  # type: ignore[arg-type]
            answer = later.waiting_for(lambda: views.answer(request, picture))  # noqa: B023
        assert answer.status_code == 503 and 5 < int(answer["Retry-After"]) <= 60
    assert len(tried) == len(charged) == 1 and charged[0][0] == "cost"


POSITIONS = {
    "pigs": "A=d8S0 B=e1N0",
    "roboxing": "A1@a1 B1@h8",
    "robosoccer": "lmssml/3o2/6/6/6/6/2O3/LMSSML b",
    "robble": "7/7/7/3b3/7/7/7 w",
}


def draw(slug: str, **more: Any) -> str:
    return board(newest(slug), POSITIONS[slug], **more)


def test_a_position_of_any_game_is_drawn_and_what_comes_of_an_order() -> None:
    for slug in GAMES:
        assert 'class="board-sheet' in draw(slug)
    drawn = draw("pigs", title="A walks", seat="A", order="^ ^ ^ ^ ^")
    assert "A walks" in drawn and 'data-ghost="5"' in drawn
    assert "data-ghost" not in draw("pigs")
