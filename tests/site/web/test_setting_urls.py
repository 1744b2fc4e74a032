"""Settings that are addresses: what cannot be read stops the start, with a sentence that hides the secret."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from robosite.web.setting_urls import check_url
from tests.games.sizes import size
from tests.servers import ROOT, Server

SETTINGS = {
    "DATABASE_URL": "postgres://me:{}@127.0.0.1:5432/robosite",
    "REDIS_URL": "redis://me:{}@127.0.0.1:6379/0",
    "EMAIL_URL": "submission://me:{}@mail.example.org:587",
    "PUBLIC_URL": "https://me:{}@robots.example.org",
}
SECRETS = (
    "Zq7#Wv9", "Zq7/Wv9", "Zq7?Wv9", "Zq7%Wv9", "Zq7[Wv9", "Zq7]Wv9", "77#Wv9", "77/Wv9", "77?Wv9", "Zq7 Wv9",
    "Zq7@x/Wv9", "Zq7\tWv9",
)  # fmt: skip
SHOW = (
    "from django.conf import settings as s; d = s.DATABASES['default'];"
    "print([d['PASSWORD'], s.EMAIL_HOST_PASSWORD, d['USER'], d['HOST'], s.EMAIL_HOST, s.EMAIL_PORT])"
)


def started(data: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    given = {**Server(data).env, **env}
    return subprocess.run(
        [sys.executable, *args], cwd=ROOT, env=given, capture_output=True, text=True, timeout=300
    )


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("name", SETTINGS)
def test_what_cannot_be_read_is_refused_and_not_shown(name: str, secret: str) -> None:
    from django.core.exceptions import ImproperlyConfigured

    with pytest.raises(ImproperlyConfigured) as refused:
        check_url(name, SETTINGS[name].format(secret))
    told = str(refused.value)
    assert told.startswith(name) and "%23" in told and refused.value.__cause__ is None
    assert not any(part in told for part in ("Zq7", "Wv9", "77"))


SERVE, CHECK = ("manage.py", "serve", "--port", "0"), ("manage.py", "check")


@pytest.mark.integration
@pytest.mark.fuzz
@pytest.mark.parametrize(
    ("name", "url"),
    [
        *((name, url.format("Zq7#Wv9")) for name, url in SETTINGS.items()),
        *(pytest.param(name, url.format("77/Wv9"), marks=pytest.mark.more) for name, url in SETTINGS.items()),
        ("DATABASE_URL", "Zq7://me:Wv9@127.0.0.1/x"),
        ("EMAIL_URL", "smtp://me:Zq7@mail.example.org/?timeout=Wv9"),
    ],
)
def test_the_site_does_not_start_and_says_how_to_write_it(tmp_path: Path, name: str, url: str) -> None:
    for args in size((SERVE,), (SERVE, CHECK)):
        done = started(tmp_path, *args, **{name: url})
        assert done.returncode != 0 and not done.stdout
        assert name in done.stderr and "%23" in done.stderr and "Traceback" not in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
        assert not any(part in done.stderr for part in ("Zq7", "Wv9", "77/"))


@pytest.mark.parametrize("secret", ["Zq7#/?%@:[] é", "plain", "Zq7@Wv9"])
def test_a_secret_written_that_way_is_read(tmp_path: Path, secret: str) -> None:
    written = secret if secret == "Zq7@Wv9" else quote(secret, safe="")
    given = {name: url.format(written) for name, url in SETTINGS.items() if name != "PUBLIC_URL"}
    done = started(tmp_path, "-c", SHOW, **given)
    assert done.returncode == 0, done.stderr
    expected = [secret, secret, "me", "127.0.0.1", "mail.example.org", 587]
    assert done.stdout.strip() == str(expected)


@pytest.mark.integration
def test_a_setting_without_a_value_in_the_file_is_one_that_is_not_there(tmp_path: Path) -> None:
    package = tmp_path / "robosite"
    package.mkdir()
    for file in (ROOT / "robosite").glob("*.py"):
        shutil.copy(file, package)
    for room in ("engine", "web"):
        shutil.copytree(ROOT / "robosite" / room, package / room)
    names = re.findall(r"^# ([A-Z_]+)=", (ROOT / ".env.example").read_text(encoding="utf-8"), re.MULTILINE)
    (tmp_path / ".env").write_text("".join(f"{name}=\n" for name in names if name != "DATA_DIR"))
    code = (
        "from robosite import settings; print(settings.DATABASES['default']['NAME'], settings.CLOCK_SECONDS)"
    )
    env = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path)}
    said = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300
    )
    assert said.stdout == f"{tmp_path}/robosite.sqlite3 15.0\n", said.stderr
