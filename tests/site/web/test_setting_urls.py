"""Settings: their names and addresses, and what production does not start without."""

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
from tests.games.cases import size
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


KEYS = {
    "SECRET_KEY": "k" * 25 + "abcdefghijklmnopqrstuvwxyz0123456789",
    "SEAL_KEYS": "s" * 25 + "zyxwvutsrqponmlkjihgfedcba",
    "ALLOWED_HOSTS": "robots.example,www.robots.example",
    "PUBLIC_URL": "https://robots.example",
}
SEEN = """
import django; django.setup()
from django.test import Client
client = Client(headers={"host": "robots.example"})
plain = client.get("/")
assert (plain.status_code, plain["Location"]) == (301, "https://robots.example/"), plain
assert "frame-ancestors 'none'" in plain["Content-Security-Policy"]
assert client.get("/healthz").status_code == 200
safe = Client(headers={"host": "robots.example"}).post(
    "/matches/", {"game": "pigs", "seats": 2, "name": "Alice"}, secure=True)
assert safe.status_code == 302, safe.status_code
client = Client(headers={"host": "robots.example"})
page = client.get("/", secure=True)
assert int(page["Strict-Transport-Security"].split(";")[0].partition("=")[2]) >= 31536000
cookies = [*safe.cookies.values(), *page.cookies.values()]
kept = {"session", "csrf", "links", "chosen", "styles"}
assert {cookie.key for cookie in cookies} == {f"__Host-{name}" for name in kept}, cookies
for cookie in cookies:
    assert cookie["secure"] and cookie["httponly"] and cookie["samesite"] == "Lax", cookie
    assert cookie["path"] == "/" and not cookie["domain"], cookie
assert client.get("/", headers={"host": "evil.example"}, secure=True).status_code == 400
print("seen")
"""


def ran(*args: str, env: dict[str, str], cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *args]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=300)


def started(data: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return ran(*args, env={**Server(data).env, **env})


def in_production(data: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in (*KEYS, *OF_TESTS)}
    kept |= {"PRODUCTION": "1", "DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "robosite.settings"}
    return ran(*args, env={**kept, **env})


OF_TESTS = ("DEBUG", "LIMITS", "DATABASE_URL", "REDIS_URL")


@pytest.mark.integration
@pytest.mark.parametrize("missing", KEYS)
def test_production_does_not_start_without_its_keys_and_names(tmp_path: Path, missing: str) -> None:
    given = {name: value for name, value in KEYS.items() if name != missing}
    done = in_production(tmp_path, "manage.py", "check", **given)
    assert done.returncode != 0 and missing in done.stderr
    assert not list(tmp_path.iterdir())  # and makes no key of its own


@pytest.mark.integration
@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"SECRET_KEY": "abc"}, "SECRET_KEY: the newest key has fewer than 32 characters"),
        ({"SEAL_KEYS": KEYS["SECRET_KEY"]}, "SEAL_KEYS is the same as SECRET_KEY"),
        ({"TRUSTED_PROXIES": "127.0.0.1,rubbish"}, "TRUSTED_PROXIES: “rubbish” is neither"),
        ({"VAPID_KEY": "rubbish"}, "VAPID_KEY is 32 bytes in base64url"),
        ({"HOLIDAY_DAYS": "many"}, "HOLIDAY_DAYS"),
        ({"DEBUG": "1"}, "DEBUG"),
        ({"LIMITS": "off"}, "LIMITS"),
        ({"LIMITS": "match=all"}, "match=100/5"),
        ({"SECRET_KEY": "…"}, "SECRET_KEY still has the “…” of the example"),
        (
            {"PUBLIC_URL": "https://robots.example.org", "ALLOWED_HOSTS": "robot.example.org"},
            "leads to robots.example.org, which is not among ALLOWED_HOSTS",
        ),
        *(
            ({"PUBLIC_URL": one}, "PUBLIC_URL")
            for one in ("https://robots.example/games", "http://robots.example")
        ),
        ({"PUBLIC_URL": "https://a@robots.example"}, "PUBLIC_URL"),
        *(
            pytest.param({"PUBLIC_URL": one}, "PUBLIC_URL", marks=pytest.mark.more)
            for one in ("robots.example", "ftp://robots.example", "https://")
        ),
    ],
)
def test_a_wrong_setting_stops_the_start_with_a_sentence(
    tmp_path: Path, wrong: dict[str, str], says: str
) -> None:
    done = in_production(tmp_path, "manage.py", "check", **{**KEYS, **wrong})
    assert done.returncode != 0 and says in done.stderr
    assert len(done.stderr.splitlines()) == 1 and "Traceback" not in done.stderr


@pytest.mark.integration
def test_an_empty_setting_is_one_that_is_not_there_and_a_misspelt_one_is_told(tmp_path: Path) -> None:
    """The settings that `.env.example` names are empty, but for what production needs."""
    empty = {name: "" for name in EXPLAINED if name not in (*KEYS, "PRODUCTION", "DATA_DIR")}
    assert len(empty) > 25
    empty["PUBLIC_ULR"] = "https://robots.example"
    done = in_production(tmp_path, "manage.py", "check", **KEYS, **empty)
    assert done.returncode == 0 and "Is PUBLIC_URL meant?" in done.stderr, done.stderr


@pytest.mark.parametrize(
    "hsts", [*[pytest.param(one, marks=pytest.mark.more) for one in ("", "subdomains")], "preload"]
)
def test_djangos_own_check_finds_nothing(tmp_path: Path, hsts: str) -> None:
    check = ("manage.py", "check", "--deploy", "--fail-level", "INFO")
    done = in_production(tmp_path, *check, **KEYS, HSTS=hsts)
    assert done.returncode == 0, done.stderr


@pytest.mark.integration
def test_in_production_cookies_are_for_https_and_this_host_only(tmp_path: Path) -> None:
    Server(tmp_path).fill()
    done = in_production(tmp_path, "-c", SEEN, **KEYS)
    assert (done.returncode, done.stdout.strip()) == (0, "seen"), done.stderr


def test_the_keys_that_the_site_makes_are_for_its_owner_only(tmp_path: Path) -> None:
    show = "import robosite.settings as s; print(s.SECRET_KEY, *s.SEAL_KEYS)"
    first, again = (in_production(tmp_path / "new", "-c", show, PRODUCTION="") for _ in range(2))
    assert first.stdout == again.stdout and len(first.stdout) > 64, first.stderr
    kept = {path.name: path for path in (tmp_path / "new").iterdir()}
    assert kept.keys() == {"secret_key", "seal_keys", "vapid_key"}
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in kept.values())
    assert len({path.read_text() for path in kept.values()}) == 3


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("name", SETTINGS)
def test_what_cannot_be_read_is_refused_and_not_shown(name: str, secret: str) -> None:
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


NOBODY = 65534
"""The user of this number may read no file of others; root may read all."""


EXPLAINED = re.findall(r"^# ([A-Z_]+)=", (ROOT / ".env.example").read_text(encoding="utf-8"), re.MULTILINE)


def test_every_setting_is_known_by_its_name_and_so_are_the_blanks_of_robosite_env() -> None:
    settings = (ROOT / "robosite" / "settings.py").read_text(encoding="utf-8")
    read = re.findall(r"env\.\w+\(\s*\"([A-Z_]+)\"", settings)
    assert len(read) > 30 and set(read) <= set(NAMES)
    assert set(EXPLAINED) == set(NAMES) - {"ENGINE_OFF"}
    file = (ROOT / "docs" / "hosting" / "robosite.env").read_text(encoding="utf-8")
    given = dict(re.findall(r"^([A-Z_]+)=(.*)$", file, re.MULTILINE))
    says = "DATABASE_URL, EMAIL_URL, SEAL_KEYS, SECRET_KEY and SECURITY_CONTACT still have the “…”"
    with pytest.raises(ImproperlyConfigured, match=says):
        check_blanks(given)
    check_blanks({"PS1": "…"})


def test_a_file_that_cannot_be_read_stops_the_start_with_a_sentence() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file, user = Path(folder, ".env"), os.geteuid()
        assert read_env_file(file) == {}
        file.write_bytes("MAIL_FROM=Jörg".encode("latin-1"))
        with pytest.raises(ImproperlyConfigured, match=r"/\.env is not UTF-8: save it in that encoding\.$"):
            read_env_file(file)
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
def test_a_process_tells_of_it_in_json(tmp_path: Path) -> None:
    with Server(tmp_path, LOG_FORMAT="json", KEEP_OPEN_DAY="3") as server:
        pass
    lines = [json.loads(line) for line in server.logged().splitlines()]
    (told,) = [line for line in lines if "KEEP_OPEN_DAY" in line["message"]]
    assert told["level"] == "WARNING" and "Is KEEP_OPEN_DAYS meant?" in told["message"]


@pytest.mark.integration
def test_names_and_values_are_read_from_the_file(tmp_path: Path) -> None:
    package = tmp_path / "robosite"
    package.mkdir()
    for file in (ROOT / "robosite").glob("*.py"):
        shutil.copy(file, package)
    for room in ("engine", "web"):
        shutil.copytree(ROOT / "robosite" / room, package / room)
    env = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path)}

    def told(written: str, shown: str = "*settings.MISSPELT") -> subprocess.CompletedProcess[str]:
        (tmp_path / ".env").write_text(written, encoding="utf-8")
        return ran("-c", f"from robosite import settings; print({shown})", cwd=tmp_path, env=env)

    blank = "TIMEZONE=Europe/Berlin\nKEEP_OPEN_DAYS=…\n"
    assert "KEEP_OPEN_DAYS still has the “…” of the example" in told(blank).stderr
    told_of = "TIMEZONE is no setting of Robosite, so it has no effect. Is TIME_ZONE meant?\n"
    assert told("TIMEZONE=Europe/Berlin\n").stdout == told_of
    empty = "".join(f"{name}=\n" for name in EXPLAINED if name != "DATA_DIR")
    said = told(empty, "settings.DATABASES['default']['NAME'], settings.CLOCK_SECONDS")
    assert said.stdout == f"{tmp_path}/robosite.sqlite3 15.0\n", said.stderr
