"""A host's machine in a folder: the files of docs/hosting with other paths and ports, and what they start."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import ssl
import subprocess
import sys
import urllib.request
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from tests.faults.drills.services import Missing, Postgres, Redis, Service, unprivileged, wait_until
from tests.host.units import Systemctl, Units
from tests.receivers import Mailbox
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
        key = ["-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "certificate.pem"]
        names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
        subprocess.run(
            ["openssl", "req", "-x509", "-days", "2", *key, *names],
            cwd=self.folder,
            check=True,
            capture_output=True,
        )
        (self.folder / "site.conf").write_text(self._documented())
        (self.folder / "nginx.conf").write_text(
            f"daemon off;\npid {self.folder}/pid;\nerror_log {self.folder}/error.log;\n"
            "worker_rlimit_nofile 4096;\nevents { worker_connections 1024; }\nhttp {\n"
            + "".join(
                f"{kind}_temp_path {self.folder}/{kind};\n"
                for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
            )
            + f"include {self.folder}/site.conf;\n}}\n"
        )
        if who := unprivileged():
            for path in (self.folder, *self.folder.iterdir()):
                os.chown(path, who["user"], who["group"])

    def _documented(self) -> str:
        text = (DOCUMENTED / "nginx.conf").read_text(encoding="utf-8")
        text = re.sub(r"^ *listen \[::\].*\n", "", text, flags=re.MULTILINE)
        for old, new in (
            ("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl"),
            ("listen 80;", f"listen 127.0.0.1:{self.plain_port};"),
            ("robots.example.org;", "localhost;"),
            ("/etc/letsencrypt/live/robots.example.org/fullchain.pem", f"{self.folder}/certificate.pem"),
            ("/etc/letsencrypt/live/robots.example.org/privkey.pem", f"{self.folder}/key.pem"),
            ("/var/log/nginx", str(self.folder)),
            *((f"127.0.0.1:{8001 + at}", f"127.0.0.1:{port}") for at, port in enumerate(self.ports)),
        ):
            assert old in text, old
            text = text.replace(old, new)
        return text

    def command(self) -> list[str]:
        return ["/usr/sbin/nginx", "-c", f"{self.folder}/nginx.conf", "-e", f"{self.folder}/error.log"]

    def answers(self) -> bool:
        try:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                f"http://127.0.0.1:{self.plain_port}/.well-known/acme-challenge/none", timeout=2
            )
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False
        return True

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}"

    @property
    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.folder / "certificate.pem"))


class Machine:
    """Folders, services and units, ended and removed with the `with` statement."""

    def __init__(self, folder: Path, venv: Path | None) -> None:
        self.folder, self.venv = folder, venv
        self.srv, self.data, self.config = folder / "srv", folder / "var", folder / "robosite.env"
        self.ports = [free_port(), free_port()]
        self.stack = ExitStack()

    def __enter__(self) -> Machine:
        try:
            self.postgres = self.stack.enter_context(Postgres())
            self.redis = self.stack.enter_context(Redis())
            self.nginx = self.stack.enter_context(Nginx(self.ports))
            self.mailbox = self.stack.enter_context(Mailbox())
            for folder in (self.srv / "releases", self.folder / "bin", self.folder / "units"):
                folder.mkdir(parents=True)
            self.data.mkdir(mode=0o700)
            bins = [str(self.folder / "bin"), str(self.postgres.bin), *os.environ["PATH"].split(":")]
            self.env = {"PATH": ":".join(bins), "HOME": str(self.folder), "LANG": "C.UTF-8"}
            for name in ("PIP_INDEX_URL", "PIP_CONFIG_FILE", "PIP_CERT", "SSL_CERT_FILE", "HTTPS_PROXY"):
                if name in os.environ:
                    self.env[name] = os.environ[name]
            self._install_units()
            self.units = Units(self.folder / "units", self.folder / "logs", self.env)
            self.stack.callback(self.units.stop_all)
            systemctl = Systemctl(self.units, self.folder / "bin" / "systemctl")
            self.stack.enter_context(closing(systemctl))
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *fault: Any) -> None:
        self.stack.close()

    def _install_units(self) -> None:
        for file in DOCUMENTED.rglob("robosite*"):
            if file.is_file():
                self._install_unit(file)
        self._install_unit(DOCUMENTED / "robosite-.service.d" / "common.conf")

    def _install_unit(self, file: Path) -> None:
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

    def wait_until_ready(self, port: int) -> float:
        return wait_until(lambda: self._is_ready(port), PATIENCE * 2)

    def _is_ready(self, port: int) -> bool:
        try:
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            return bool(opener.open(f"http://127.0.0.1:{port}/readyz", timeout=5).status == 200)
        except OSError:
            return False

    def rows(self, words: str, database: str = "robosite") -> list[tuple[Any, ...]]:
        import psycopg

        with psycopg.connect(self.postgres.url(database), autocommit=True) as line:
            return line.execute(words).fetchall()


def present_venv() -> Path:
    """The environment of packages that this program runs in."""
    return Path(sys.prefix)
