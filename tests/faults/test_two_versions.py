"""While a new version is installed, old processes serve its files, and stay what they were themselves."""

from __future__ import annotations

import shutil
from pathlib import Path

import httpx
import pytest

from tests.servers import PATIENCE, ROOT, Server
from tests.site.web.test_pages import KEYS

OWN = {**KEYS, "PRODUCTION": "1", "DEBUG": "0", "LIMITS": "on"}
HEADERS = {"Host": "robots.example", "X-Forwarded-Proto": "https"}
PAGES = (
    "/",
    "/rules/pigs/",
    "/new/robble/",
    "/learn/roboxing/",
    "/puzzles/",
    "/me/",
    "/back/",
    "/privacy/",
)


def get(server: Server, path: str, **headers: str) -> httpx.Response:
    return httpx.get(f"{server.url}{path}", headers={**HEADERS, **headers}, timeout=PATIENCE)


def test_a_file_that_is_collected_later_is_served(tmp_path: Path) -> None:
    server = Server(tmp_path, prepare=True, **OWN)
    server.fill()
    static = tmp_path / "static"
    collected = static.resolve()
    static.unlink()
    shutil.copytree(collected, static)
    with server:
        later = {
            "css/site.0123456789ab.css": "a { color: red }",
            "css/later.css": "b { color: red }",  # its name says nothing of its version
        }
        assert get(server, "/static/css/site.0123456789ab.css").status_code == 404
        for name, text in later.items():
            (static / name).write_text(text)
        answer = get(server, "/static/css/site.0123456789ab.css")
        assert (answer.status_code, answer.text) == (200, "a { color: red }")
        assert "immutable" in answer.headers["Cache-Control"] and answer.headers["Content-Type"].startswith(
            "text/css"
        )
        assert get(server, "/static/css/later.css").status_code == 404
        (tmp_path / "secret.0123456789ab.txt").write_text("secret")
        for path in ("/static/../secret.0123456789ab.txt", "/static/%2e%2e/secret.0123456789ab.txt"):
            assert get(server, path).status_code == 404


@pytest.mark.more
def test_a_process_needs_none_of_its_files_after_its_start(tmp_path: Path) -> None:
    """The next version's templates, texts and code lie in their place: it reads none of them."""
    root = tmp_path / "code"
    for folder in ("robosite", "games", "templates", "static", "locale"):
        shutil.copytree(ROOT / folder, root / folder)
    shutil.copy(ROOT / "manage.py", root)
    data = tmp_path / "data"
    data.mkdir()
    server = Server(data, prepare=True, **OWN)
    server.root = root
    with server:
        for folder in ("templates", "locale", "static"):
            shutil.rmtree(root / folder)
        for language in ("en", "de", "es"):
            for page in PAGES:
                answer = get(server, page, **{"Accept-Language": language})
                assert answer.status_code == 200 and f'lang="{language}"' in answer.text, (
                    page,
                    server.logged(),
                )
        made = httpx.post(
            f"{server.url}/api/v1/matches",
            json={"game": "roboxing", "name": "Ann"},
            headers=HEADERS,
            timeout=PATIENCE,
        )
        assert get(server, f"/m/{made.json()['match']}/").status_code == 200
