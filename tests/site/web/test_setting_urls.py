"""Settings: their names and addresses."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

import pytest
from django.core.exceptions import ImproperlyConfigured

from robosite.web.setting_checks import NAMES, check_blanks, check_url, misspelt, read_env_file
from tests.games.sizes import size
from tests.servers import ROOT, Server
from tests.site.web.test_pages import KEYS, in_production

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


NOBODY = 65534
"""The user of this number may read no file of others; root may read all."""


def test_every_setting_is_known_by_its_name() -> None:
    explained = re.findall(
        r"^# ([A-Z_]+)=", (ROOT / ".env.example").read_text(encoding="utf-8"), re.MULTILINE
    )
    settings = (ROOT / "robosite" / "settings.py").read_text(encoding="utf-8")
    read = re.findall(r"env\.\w+\(\s*\"([A-Z_]+)\"", settings)
    assert len(read) > 30 and set(read) <= set(NAMES)
    assert set(explained) == set(NAMES) - {"ENGINE_OFF"}


@pytest.mark.parametrize("name", ["SECRET_KEY", "EMAIL_URL", "SECURITY_CONTACT"])
def test_a_blank_of_the_examples_stops_the_start(tmp_path: Path, name: str) -> None:
    left = {
        "SECRET_KEY": "…",
        "EMAIL_URL": "submission://…:…@mail.example.org",
        "SECURITY_CONTACT": "mailto:…",
    }
    done = in_production(tmp_path, "manage.py", "check", **{**KEYS, name: left[name]})
    assert done.returncode != 0 and f"{name} still has the “…” of the example" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_robosite_env_as_it_is_names_all_its_blanks() -> None:
    file = (ROOT / "docs" / "hosting" / "robosite.env").read_text(encoding="utf-8")
    given = dict(re.findall(r"^([A-Z_]+)=(.*)$", file, re.MULTILINE))
    says = "DATABASE_URL, EMAIL_URL, SEAL_KEYS, SECRET_KEY and SECURITY_CONTACT still have the “…”"
    with pytest.raises(ImproperlyConfigured, match=says):
        check_blanks(given)
    check_blanks({"PS1": "…"})


def test_a_file_that_cannot_be_read_stops_the_start_with_a_sentence(tmp_path: Path) -> None:
    assert read_env_file(tmp_path / ".env") == {}
    (tmp_path / ".env").write_bytes("MAIL_FROM=Jörg".encode("latin-1"))
    with pytest.raises(ImproperlyConfigured, match=r"/\.env is not UTF-8: save it in that encoding\.$"):
        read_env_file(tmp_path / ".env")


def test_a_file_of_another_user_stops_the_start_with_a_sentence() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file, user = Path(folder, ".env"), os.geteuid()
        file.write_text("DEBUG=1", encoding="utf-8")
        Path(folder).chmod(0o755)
        file.chmod(0)
        try:
            if user == 0:
                os.seteuid(NOBODY)
            with pytest.raises(ImproperlyConfigured, match="cannot be read by this user: Permission denied"):
                read_env_file(file)
        finally:
            os.seteuid(user)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("PUBLIC_ULR", "PUBLIC_URL"),
        ("SEALKEYS", "SEAL_KEYS"),
        ("SEAL_KEY", "SEAL_KEYS"),
        ("TRUSTED_PROXY", "TRUSTED_PROXIES"),
        ("allowed_hosts", "ALLOWED_HOSTS"),
        ("STAF_SECOND_FACTOR", "STAFF_SECOND_FACTOR"),
    ],
)
def test_a_misspelt_name_in_the_file_is_told_with_the_one_that_is_meant(name: str, meant: str) -> None:
    assert misspelt([name, meant], {}) == [
        f"{name} is no setting of Robosite, so it has no effect. Is {meant} meant?"
    ]


def test_names_of_others_are_left_alone() -> None:
    others = (
        "PATH HOME LANG TZ PYTHONPATH DJANGO_SETTINGS_MODULE HTTP_PROXY POSTGRES_USER POSTGRES_DB REDISHOST "
        "PGDATABASE COMPOSE_PROJECT_NAME EMAIL_HOST KEEPALIVE SECRET PUBLIC_IP HOSTNAME LOGNAME"
    )
    assert misspelt(others.split(), {}) == []
    alike = dict.fromkeys(("DATABASE_URLS", "SECRET_KEYS", "TIMEZONE", "DATADIR"), "")
    assert misspelt([], alike) == []
    assert len(misspelt([], {"PUBLIC_ULR": "", "SEALKEYS": ""})) == 2  # as in a container


@pytest.mark.integration
def test_check_tells_of_it(tmp_path: Path) -> None:
    done = in_production(tmp_path, "manage.py", "check", **KEYS, PUBLIC_ULR="https://robots.example")
    assert done.returncode == 0 and "Is PUBLIC_URL meant?" in done.stderr


@pytest.mark.integration
def test_a_process_tells_of_it_in_json(tmp_path: Path) -> None:
    with Server(tmp_path, LOG_FORMAT="json", KEEP_OPEN_DAY="3") as server:
        pass
    lines = [json.loads(line) for line in server.logged().splitlines()]
    (told,) = [line for line in lines if "KEEP_OPEN_DAY" in line["message"]]
    assert told["level"] == "WARNING" and "Is KEEP_OPEN_DAYS meant?" in told["message"]


@pytest.mark.integration
def test_names_are_read_from_the_file(tmp_path: Path) -> None:
    package = tmp_path / "robosite"
    package.mkdir()
    for file in (ROOT / "robosite").glob("*.py"):
        shutil.copy(file, package)
    for room in ("engine", "web"):
        shutil.copytree(ROOT / "robosite" / room, package / room)
    (tmp_path / ".env").write_text("TIMEZONE=Europe/Berlin\nKEEP_OPEN_DAYS=…\n", encoding="utf-8")
    code = "from robosite import settings; print(*settings.MISSPELT)"
    env = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path)}

    def told() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )

    assert "KEEP_OPEN_DAYS still has the “…” of the example" in told().stderr
    (tmp_path / ".env").write_text("TIMEZONE=Europe/Berlin\n", encoding="utf-8")
    assert told().stdout == "TIMEZONE is no setting of Robosite, so it has no effect. Is TIME_ZONE meant?\n"
