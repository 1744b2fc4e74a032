"""A blank of the examples stops the start; a misspelt name is told; other programs' names are left alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from robosite.web.setting_names import NAMES, check_blanks, misspelt, read_env_file
from tests.servers import ROOT, Server
from tests.site.web.test_pages import KEYS, in_production

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
