"""Backs up and restores PostgreSQL with its own tools, which get passwords in the environment alone."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from django.db import connection

from robosite.ops import Unfit

MAGIC = b"PGDMP"
VARIABLES = {
    "HOST": "PGHOST",
    "PORT": "PGPORT",
    "USER": "PGUSER",
    "PASSWORD": "PGPASSWORD",
    "NAME": "PGDATABASE",
}
OPTIONS = ("sslmode", "sslrootcert", "sslcert", "sslkey", "passfile", "service")
"""The options of DATABASE_URL that are passed to the tools, each as a variable such as PGSSLMODE."""


def dump(file: Path) -> None:
    """Writes a consistent snapshot of the database into `file`, while others go on reading and writing."""
    _check_version("pg_dump")
    _run("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={file}")
    contents(file)


def contents(file: Path) -> set[str]:
    """Returns the names of the tables in a dump; raises Unfit if the file is missing or no dump."""
    try:
        with file.open("rb") as opened:
            is_dump = opened.read(len(MAGIC)) == MAGIC
    except FileNotFoundError:
        raise Unfit(f"There is no file {file}.") from None
    if not is_dump:
        raise Unfit(f"{file} is not a backup of a PostgreSQL database.")
    listed = _run("pg_restore", "--list", str(file))
    return set(re.findall(r"^\d+; \d+ \d+ TABLE DATA \S+ (\S+)", listed, re.MULTILINE))


def migrations_in(file: Path) -> set[tuple[str, str]]:
    """The migrations that the dumped database had, as pairs of app and name."""
    text = _run("pg_restore", "--data-only", "--table=django_migrations", "--file=-", str(file))
    rows = text.partition("FROM stdin;\n")[2].partition("\n\\.\n")[0]
    return {(cells[1], cells[2]) for line in rows.splitlines() if len(cells := line.split("\t")) >= 3}


def restore(file: Path) -> None:
    """Restores all tables into the site's empty database, or none; raises Unfit if pg_restore fails."""
    _check_version("pg_restore")
    _run(
        "pg_restore",
        "--no-owner",
        "--no-privileges",
        "--exit-on-error",
        "--single-transaction",
        f"--dbname={connection.settings_dict['NAME']}",
        str(file),
    )


def _check_version(tool: str) -> None:
    """Raises Unfit if a tool is older than the server, whose format it would not understand."""
    found = re.search(r"(\d+)(?:\.\d+)* ?", _run(tool, "--version").partition(")")[2])
    connection.ensure_connection()
    server = connection.pg_version // 10_000  # type: ignore[attr-defined]
    if found and int(found[1]) < server:
        raise Unfit(
            f"{tool} is of version {found[1]}, and the database server of version {server}: install the "
            f"tools of the server's version (on Debian: apt install postgresql-client-{server})."
        )


def _run(tool: str, *words: str) -> str:
    program = shutil.which(tool)
    if program is None:
        raise Unfit(f"{tool} is not installed (on Debian: apt install postgresql-client).")
    done = subprocess.run(  # noqa: S603 - its name is ours
        [program, *words],
        env=_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise Unfit(f"{tool} failed: {done.stderr.strip() or f'it ended with {done.returncode}'}")
    return done.stdout


def _environment() -> dict[str, str]:
    settings = connection.settings_dict
    given = {variable: str(settings[name]) for name, variable in VARIABLES.items() if settings.get(name)}
    options = settings.get("OPTIONS", {})
    given |= {f"PG{name.upper()}": str(options[name]) for name in OPTIONS if options.get(name)}
    own = {name: text for name, text in os.environ.items() if not name.startswith("PG")}
    return {**own, "PGCONNECT_TIMEOUT": "10", "PGAPPNAME": "robosite backup", **given}
