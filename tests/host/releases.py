"""The releases of docs/releases.md, and a repository that has them as tags, as a host's has."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from tests.servers import ROOT

PAGE = ROOT / "docs" / "releases.md"
HEADING = re.compile(r"^## (\d{4}\.\d{2}\.\d{2}(?:\.\d+)?)(?: · commit `([0-9a-f]{7,40})`)?$", re.MULTILINE)
WORKING = "working-tree"


@dataclass(frozen=True)
class Release:
    """A version, and the commit that the page names, for a clone without tags."""

    version: str
    commit: str

    @property
    def day(self) -> date:
        return date(*(int(part) for part in self.version.split(".")[:3]))

    def found(self) -> str:
        """The commit of its tag, or the one that the page names; "" if neither is in this clone."""
        names = filter(None, (f"refs/tags/{self.version}", self.commit))
        ways = (git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", check=False) for name in names)
        return next(filter(None, ways), "")


def releases() -> list[Release]:
    return [Release(*found) for found in HEADING.findall(PAGE.read_text(encoding="utf-8"))]


def promised() -> list[Release]:
    """The releases from which one may upgrade live: of the last year, counted from the newest."""
    every = releases()
    return [one for one in every if one.day > every[0].day - timedelta(days=366)]


def git(*words: str, check: bool = True, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        ["git", "-C", str(ROOT), *words], env={**os.environ, **(env or {})}, capture_output=True, text=True
    )
    assert done.returncode == 0 or not check, done.stderr
    return done.stdout.strip() if done.returncode == 0 else ""


def working_tree(folder: Path) -> str:
    """A commit of the files as they are now, which no branch has."""
    index = {"GIT_INDEX_FILE": str(folder / "index")}
    git("read-tree", "HEAD", env=index)
    git("add", "--all", env=index)
    tree = git("write-tree", env=index)
    who = {
        f"GIT_{role}_{what}": "make host" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    return git("commit-tree", tree, "-p", "HEAD", "-m", "The working tree", env=who)


def repository(folder: Path, tags: dict[str, str]) -> Path:
    """A bare repository with these tags; it borrows the objects of this clone."""
    source = folder / "source.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(source)], check=True)
    objects = (ROOT / git("rev-parse", "--git-common-dir") / "objects").resolve()
    (source / "objects" / "info" / "alternates").write_text(f"{objects}\n")
    for name, commit in tags.items():
        subprocess.run(["git", "-C", str(source), "update-ref", f"refs/tags/{name}", commit], check=True)
    return source
