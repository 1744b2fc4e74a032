"""docs/hosting.md, docs/hosting/ and docs/security.md speak of commands, units and tests that are there."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from robosite import __version__
from tests.host import releases
from tests.servers import ROOT

HOSTING = ROOT / "docs" / "hosting"
PAGES = [
    ROOT / "docs" / "hosting.md",
    ROOT / "docs" / "releases.md",
    ROOT / "docs" / "security.md",
    ROOT / "README.md",
]
EXAMPLES = (ROOT / ".env.example").read_text(encoding="utf-8")


def test_every_command_and_target_of_make_that_is_named_is_there() -> None:
    commands = set(get_commands())
    for page in PAGES:
        found = re.findall(
            r"(?:manage\.py|`robosite|^    robosite|&& robosite) ([a-z_]+)",
            page.read_text("utf-8"),
            re.MULTILINE,
        )
        assert found and set(found) <= commands, page
    there = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        named = re.findall(r"(?:`|^    )make\s+([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert set(named) <= there, page
    for file in [*HOSTING.rglob("*"), ROOT / "compose.yaml"]:
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        assert set(re.findall(r"manage\.py ([a-z_]+)", text)) <= commands, file
    for service in compose()["services"].values():
        if "build" in service and "command" in service:
            assert service["command"][0] in commands


def test_every_setting_that_is_named_is_explained() -> None:
    named = re.findall(r"^([A-Z_]+)=", (HOSTING / "robosite.env").read_text(encoding="utf-8"), re.MULTILINE)
    named += re.findall(r"`([A-Z][A-Z_]+)(?:=\w+)?`", PAGES[0].read_text(encoding="utf-8"))
    named += re.findall(r"(?<!\$)\$\{(\w+)", (ROOT / "compose.yaml").read_text(encoding="utf-8"))
    assert len(named) > 12
    for name in named:
        assert re.search(rf"^# {name}=", EXAMPLES, re.MULTILINE), name


def test_the_page_installs_the_newest_release_of_those_that_are_told_and_names_every_file() -> None:
    page = PAGES[0].read_text(encoding="utf-8")
    assert re.findall(r"^    version=(\S+) commit=", page, re.MULTILINE)[0] == __version__
    for file in HOSTING.rglob("*"):
        if file.is_file():
            assert str(file.relative_to(HOSTING.parent)) in page, file
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in project["project"]["dynamic"] and "version" not in project["project"]
    every = releases.releases()
    assert re.fullmatch(r"\d{4}\.\d{2}\.\d{2}(\.\d+)?", __version__)
    assert every[0].version == __version__
    days = [release.day for release in every]
    assert days == sorted(days, reverse=True)
    page = releases.PAGE.read_text(encoding="utf-8")
    for text in re.split(r"^## .*$", page, flags=re.MULTILINE)[1:]:
        for part in ("**What changes for hosts.**", "**What to do.**", "**Going back.**"):
            assert part in text


def test_systemd_reads_the_units(tmp_path: Path) -> None:
    tool = shutil.which("systemd-analyze") or pytest.skip("no systemd-analyze")
    names = []
    for file in HOSTING.rglob("*"):
        if file.suffix not in (".service", ".timer", ".target", ".conf") or file.name == "nginx.conf":
            continue
        to = tmp_path / str(file.relative_to(HOSTING)).replace("@.service", "@8001.service")
        to.parent.mkdir(exist_ok=True)
        # the page's programs and user are not on this machine
        text = file.read_text(encoding="utf-8").replace(
            "/srv/robosite/current/.venv/bin/python", "/usr/bin/env"
        )
        to.write_text(text.replace("User=robosite", "User=root"))
        if to.parent == tmp_path:
            names.append(to.name)
    assert len(names) == 7
    done = subprocess.run(
        [tool, "verify", "--man=no", *sorted(names)],
        cwd=tmp_path,
        env={"SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    about_ours = [line for line in done.stderr.splitlines() if "robosite" in line]
    assert not about_ours, done.stderr


@pytest.mark.parametrize("name", ["fetch", "manage", "roll"])
def test_the_shell_reads_the_scripts_which_say_how_they_are_used(name: str) -> None:
    def ran(*words: str | Path) -> subprocess.CompletedProcess[str]:
        env = {"PATH": "/usr/bin:/bin"}
        return subprocess.run(words, env=env, capture_output=True, text=True, timeout=60, check=False)

    script = HOSTING / name
    assert script.stat().st_mode & 0o111
    done = ran("sh", "-n", script)
    assert (done.returncode, done.stderr) == (0, "")
    for words in ((), ("--help",)) if name != "manage" else ():
        done = ran(script, *words)
        assert done.returncode == 2 and done.stderr.startswith(f"usage: robosite-{name} VERSION")


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=Host", "-c", "user.email=host@example.org")
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A repository of two commits, the first of them tagged."""
    folder = tmp_path / "source"
    for part in ("games", "robosite"):
        (folder / part).mkdir(parents=True)
        (folder / part / "__init__.py").touch()
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "One")
    git(folder, "tag", "2026.01.01")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "Two")
    return folder


def fetch(source: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {
        "PATH": os.environ["PATH"],
        "SITE": str(source.parent / "site"),
        "SOURCE": f"file://{source}",
        "VENV": sys.prefix,
    }
    return subprocess.run(
        [HOSTING / "fetch", *words], env=env, capture_output=True, text=True, check=False, timeout=120
    )


def test_a_folder_with_another_commit_is_not_taken_for_the_wanted_one(source: Path) -> None:
    one, two = git(source, "rev-parse", "2026.01.01"), git(source, "rev-parse", "HEAD")
    done = fetch(source, "2026.01.01")
    assert done.returncode == 0 and f"(commit {one})" in done.stdout, done.stderr
    for _ in range(2):
        refused = fetch(source, "2026.01.01", two)
        assert refused.returncode == 1 and f"holds commit {one}, not {two}" in refused.stderr
    assert fetch(source, "2026.01.01", one[:10]).returncode == 0
    assert fetch(source, "other", two[:10]).returncode == 0
    assert fetch(source, "other", two).returncode == 0
    assert fetch(source, "other", one).returncode == 1


def compose() -> Any:
    return yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))


def test_every_container_is_restarted_bounded_in_its_log_and_waits_for_what_is_there() -> None:
    services = compose()["services"]
    for name, service in services.items():
        assert service["restart"] == ("no" if name == "prepare" else "always")
        assert service["logging"]["options"]["max-size"]
        for other, wait in service.get("depends_on", {}).items():
            assert other in services
            if wait["condition"] == "service_healthy":
                assert "healthcheck" in services[other]
        for volume in service.get("volumes", []):
            assert volume.partition(":")[0] in compose()["volumes"]
    for name in ("web-1", "web-2", "clock", "bots", "daily", "postgres", "redis"):
        assert services[name]["healthcheck"]["test"]
    assert "web-1" in services["web-2"]["depends_on"], "they are not replaced at once"
    assert "-h" in services["postgres"]["healthcheck"]["test"], "over TCP"


ROWS = dict(
    re.findall(
        r"^\| (\d+) \|(.*)\|$", (ROOT / "docs" / "security.md").read_text(encoding="utf-8"), re.MULTILINE
    )
)


@cache
def names_in(file: str) -> set[str]:
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_check_has_its_row() -> None:
    assert list(map(int, ROWS)) == list(range(1, 73))


@pytest.mark.parametrize("number", ROWS)
def test_a_check_is_held_by_tests_that_are_there(number: str) -> None:
    named = re.findall(r"`([a-z_/]+\.py)::(\w+)`", ROWS[number])
    assert named
    for file, test in named:
        assert test in names_in(file), (number, file, test)
    assert ROWS[number].count("::") == len(named), "a test is written in another way"
