"""A host's machine in a folder: the files of docs/hosting with other paths and ports, and what they start."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import ssl
import subprocess
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import httpx
import psycopg

from tests import receivers
from tests.faults.drills.services import Missing, Postgres, Redis, Service, wait_until
from tests.host.units import Systemctl, Units
from tests.servers import PATIENCE, ROOT, free_port

DOCUMENTED = ROOT / "docs" / "hosting"
SEALS = (
    "SELECT m.key, p.turn, s.letter, p.seal FROM matches_program p JOIN matches_seat s ON s.id = p.seat_id "
    "JOIN matches_match m ON m.id = s.match_id"
)
SAID = "SELECT m.key, t.text FROM talk_message t JOIN matches_match m ON m.id = t.match_id"
RAISED = (
    *("cost", "cost/guest", "post", "match", "match/guest", "bots", "seat", "talk"),
    *("api read", "api write", "api make", "api stream"),
)
LIMITS = ", ".join(f"{name}=100000/100000" for name in RAISED)
"""All players come from one address here, and faster than people."""


class Nginx(Service):
    """The documented nginx.conf, with a certificate of its own for localhost."""

    name = "nginx"

    def __init__(self, ports: list[int]) -> None:
        self.ports, self.plain_port = ports, free_port()
        super().__init__()

    def prepare(self) -> None:
        if shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin") is None:
            raise Missing("nginx was not found: install it (on Debian: apt install nginx-light).")
        certificate, self.key = receivers.certificate(self.folder)
        self.trust = ssl.create_default_context(cafile=str(certificate))
        (self.folder / "site.conf").write_text(self._documented())
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        (self.folder / "nginx.conf").write_text(
            f"daemon off;\npid {self.folder}/pid;\nerror_log {self.folder}/error.log;\n"
            "worker_rlimit_nofile 4096;\nevents { worker_connections 1024; }\nhttp {\n"
            + "".join(f"{kind}_temp_path {self.folder}/{kind};\n" for kind in kinds)
            + f"include {self.folder}/site.conf;\n}}\n"
        )
        super().prepare()

    def _documented(self) -> str:
        text = (DOCUMENTED / "nginx.conf").read_text(encoding="utf-8")
        text = re.sub(r"^ *listen \[::\].*\n", "", text, flags=re.MULTILINE)
        for old, new in (
            ("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl"),
            ("listen 80;", f"listen 127.0.0.1:{self.plain_port};"),
            ("robots.example.org;", "localhost;"),
            ("/etc/letsencrypt/live/robots.example.org/fullchain.pem", f"{self.folder}/receiver.pem"),
            ("/etc/letsencrypt/live/robots.example.org/privkey.pem", str(self.key)),
            ("/var/log/nginx", str(self.folder)),
            *((f"127.0.0.1:{8001 + at}", f"127.0.0.1:{port}") for at, port in enumerate(self.ports)),
        ):
            assert old in text, old
            text = text.replace(old, new)
        return text

    def command(self) -> list[str]:
        return ["/usr/sbin/nginx", "-c", f"{self.folder}/nginx.conf", "-e", f"{self.folder}/error.log"]

    def answers(self) -> bool:
        return answers(f"http://127.0.0.1:{self.plain_port}/.well-known/acme-challenge/none")

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}"


def answers(url: str, *statuses: int) -> bool:
    """Tell whether there is an answer, of one of these statuses if there are some."""
    try:
        return httpx.get(url, timeout=5, trust_env=False).status_code in statuses or not statuses
    except httpx.TransportError:
        return False


class Machine:
    """Folders, services and units, ended and removed with the `with` statement."""

    def __init__(self, folder: Path, venv: Path | None) -> None:
        self.folder, self.venv = folder, venv
        self.srv, self.data, self.config = folder / "srv", folder / "var", folder / "robosite.env"
        self.ports = [free_port(), free_port()]

    def __enter__(self) -> Machine:
        with ExitStack() as stack:
            self.postgres = stack.enter_context(Postgres())
            self.redis = stack.enter_context(Redis())
            self.nginx = stack.enter_context(Nginx(self.ports))
            self.mailbox = stack.enter_context(receivers.Mailbox())
            for folder in (self.srv / "releases", self.folder / "bin", self.folder / "units"):
                folder.mkdir(parents=True)
            self.data.mkdir(mode=0o700)
            bins = [str(self.folder / "bin"), str(self.postgres.bin), *os.environ["PATH"].split(":")]
            self.env = {"PATH": ":".join(bins), "HOME": str(self.folder), "LANG": "C.UTF-8"}
            of_pip = ("PIP_INDEX_URL", "PIP_CONFIG_FILE", "PIP_CERT", "SSL_CERT_FILE", "HTTPS_PROXY")
            self.env |= {name: os.environ[name] for name in of_pip if name in os.environ}
            self._install_units()
            self.units = Units(self.folder / "units", self.folder / "logs", self.env)
            stack.callback(self.units.stop_all)
            systemctl = Systemctl(self.units, self.folder / "bin" / "systemctl")
            stack.enter_context(closing(systemctl))
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *fault: Any) -> None:
        self.stack.close()

    def _install_units(self) -> None:
        common = DOCUMENTED / "robosite-.service.d" / "common.conf"
        for file in (common, *(path for path in DOCUMENTED.rglob("robosite*") if path.is_file())):
            to = self.folder / "units" / file.relative_to(DOCUMENTED)
            to.parent.mkdir(exist_ok=True)
            text = file.read_text(encoding="utf-8").replace("/srv/robosite", str(self.srv))
            to.write_text(text.replace("--port 8001", f"--port {self.ports[0]}"))

    def configure(self, *, servers: bool, database: str = "robosite") -> None:
        """Writes the documented settings; without `servers` those of one process on SQLite."""
        text = (DOCUMENTED / "robosite.env").read_text(encoding="utf-8")
        keys = self._keys()
        for name, value in {
            **keys,
            "ALLOWED_HOSTS": "localhost",
            "PUBLIC_URL": self.nginx.url,
            "DATA_DIR": str(self.data),
            "DATABASE_URL": self.postgres.url(database) if servers else "",
            "REDIS_URL": self.redis.url if servers else "",
            "EMAIL_URL": self.mailbox.url,
            "SECURITY_CONTACT": "mailto:host@example.org",
        }.items():
            line = f"{name}={value}" if value else f"# {name}="
            text, count = re.subn(rf"^{name}=.*$", line, text, flags=re.MULTILINE)
            assert count == 1, name
        self.config.write_text(f"{text}LIMITS={LIMITS}\nCLOCK_SECONDS=1\n")

    def _keys(self) -> dict[str, str]:
        if not self.config.exists():
            return {name: secrets.token_urlsafe(48) for name in ("SECRET_KEY", "SEAL_KEYS")}
        lines = (line.split("=", 1) for line in self.config.read_text().splitlines() if "=" in line)
        return {name: value for name, value in lines if name in ("SECRET_KEY", "SEAL_KEYS")}

    def fetch(self, version: str, source: Path) -> None:
        more = {"VENV": str(self.venv)} if self.venv else {}
        self.run(str(DOCUMENTED / "fetch"), version, SOURCE=f"file://{source}", **more)

    def roll(self, version: str, *, alone: bool = False) -> None:
        ports = self.ports[:1] if alone else self.ports
        self.run(str(DOCUMENTED / "roll"), version, *map(str, ports))

    def manage(self, *words: str, **env: str) -> str:
        return self.run(str(DOCUMENTED / "manage"), *words, **env)

    def run(self, *words: str, **env: str) -> str:
        given = {**self.env, "SITE": str(self.srv), "CONFIG": str(self.config), **env}
        done = subprocess.run(words, env=given, capture_output=True, text=True, timeout=PATIENCE * 10)
        assert done.returncode == 0, f"{' '.join(words)}:\n{done.stdout}{done.stderr}{self.units.logged()}"
        return done.stdout

    def wait_until_ready(self, port: int) -> None:
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/readyz", 200), PATIENCE * 2)

    def rows(self, words: str, database: str = "robosite") -> list[tuple[Any, ...]]:
        with psycopg.connect(self.postgres.url(database), autocommit=True) as line:
            return line.execute(words).fetchall()
