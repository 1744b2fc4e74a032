"""The documented units without systemd: starts, restarts and watches their processes as it would.

A process's nice value stands for its CPUWeight, for root alone. Where Linux groups processes by session
(sched_autogroup), it says nothing to other sessions: the group has one of its own.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import log
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tests.servers import spawn

COMMON = "robosite-.service.d/common.conf"


@dataclass
class Unit:
    """A service. `wanted`: it is to run, so it is started again when it ends."""

    name: str
    settings: dict[str, str]
    process: subprocess.Popen[bytes] | None = None
    wanted: bool = False
    enabled: bool = False
    restarts: int = 0
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def nice(self) -> int:
        """The nice value for its CPUWeight: a step of it is a factor of 1.25."""
        return round(log(100 / self.number("CPUWeight", 100), 1.25))

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def number(self, name: str, default: float) -> float:
        return float(self.settings.get(name, default))


class Units:
    """All units of a folder. They are given `env` and nothing else, and write to `logs`."""

    def __init__(self, folder: Path, logs: Path, env: dict[str, str]) -> None:
        self.folder, self.logs, self.env = folder, logs, env
        self.units: dict[str, Unit] = {}
        self.lock = threading.Lock()
        logs.mkdir(exist_ok=True)

    def unit(self, name: str) -> Unit:
        with self.lock:
            if name not in self.units:
                self.units[name] = Unit(name, self._read(name))
            return self.units[name]

    def _read(self, name: str) -> dict[str, str]:
        before, at, instance = name.partition("@")
        file = self.folder / (f"{before}@.service" if at else f"{name}.service")
        lines = [*(self.folder / COMMON).read_text().splitlines(), *file.read_text().splitlines()]
        pairs = (line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
        return {key: value.replace("%i", instance) for key, value in pairs}

    def start(self, name: str) -> None:
        unit = self.unit(name)
        with unit.lock:
            unit.wanted = unit.settings.get("Type") != "oneshot"
            if not unit.is_running:
                self._start(unit)
        if not unit.wanted:
            assert unit.process is not None
            status = unit.process.wait()
            assert status == 0, f"{name} ended with {status}:\n{self.logged(name)}"

    def _start(self, unit: Unit) -> None:
        words, folder = shlex.split(unit.settings["ExecStart"]), unit.settings["WorkingDirectory"]
        unit.process = spawn(words, self._log(unit.name), cwd=folder, env=self.env, start_new_session=True)
        self._weigh(unit)
        if unit.wanted:
            threading.Thread(target=self._watch, args=[unit, unit.process], daemon=True).start()

    def set_property(self, name: str, given: str) -> None:
        unit = self.unit(name)
        with unit.lock:
            key, value = given.split("=")
            unit.settings[key] = value
            self._weigh(unit)

    def _weigh(self, unit: Unit) -> None:
        """Gives the unit's processes, if they run, their share of the processor; only root may raise it."""
        if unit.process is None or not unit.is_running or os.geteuid() != 0:
            return
        group = Path(f"/proc/{unit.process.pid}/autogroup")
        if group.exists():
            group.write_text(str(unit.nice))
        os.setpriority(os.PRIO_PGRP, unit.process.pid, unit.nice)

    def _watch(self, unit: Unit, process: subprocess.Popen[bytes]) -> None:
        process.wait()
        time.sleep(unit.number("RestartSec", 0.1))
        with unit.lock:
            if unit.wanted and unit.process is process and unit.settings.get("Restart") == "always":
                unit.restarts += 1
                self._start(unit)

    def stop(self, name: str) -> None:
        unit = self.unit(name)
        with unit.lock:
            unit.wanted = False
            if unit.process is None or not unit.is_running:
                return
            unit.process.terminate()
            try:
                unit.process.wait(unit.number("TimeoutStopSec", 90))
            except subprocess.TimeoutExpired:
                unit.process.kill()
                unit.process.wait()

    def kill(self, name: str) -> None:
        """With SIGKILL; it comes back by itself."""
        process = self.unit(name).process
        assert process is not None
        process.send_signal(signal.SIGKILL)

    def restart(self, name: str) -> None:
        self.stop(name)
        self.start(name)

    def enable(self, name: str) -> None:
        self.unit(name).enabled = True

    def disable(self, name: str) -> None:
        self.unit(name).enabled = False
        self.stop(name)

    def stop_all(self) -> None:
        for name in list(self.units):
            self.stop(name)

    def folder_of(self, name: str) -> Path:
        """The folder in which its process works, whatever was put in its place since."""
        process = self.unit(name).process
        assert process is not None
        return Path(f"/proc/{process.pid}/cwd").resolve()

    def _log(self, name: str) -> Path:
        return self.logs / f"{name}.log"

    def logged(self, name: str = "") -> str:
        files = [self._log(name)] if name else sorted(self.logs.glob("*.log"))
        return "".join(file.read_text(errors="replace") for file in files if file.exists())


class Systemctl:
    """Answers the scripts' systemctl: start, stop, restart, enable, disable, is-enabled, set-property."""

    def __init__(self, units: Units, program: Path) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                verb, *names = [unquote(part) for part in self.path.split("/") if part]
                try:
                    status, said = 200, self._do(verb, [name for name in names if name[0] != "-"])
                except Exception as fault:
                    status, said = 500, f"{type(fault).__name__}: {fault}\n"
                self.send_response(status)
                self.end_headers()
                self.wfile.write(said.encode())

            def _do(self, verb: str, names: list[str]) -> str:
                if verb == "is-enabled":
                    assert all(units.unit(name).enabled for name in names)
                elif verb == "set-property":
                    units.set_property(*names)
                else:
                    for name in names:
                        getattr(units, verb)(name)
                return ""

            def log_message(self, *words: Any) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        program.write_text(
            "#!/bin/sh\n"
            f"exec curl --silent --fail --noproxy '*' \"http://127.0.0.1:{self.server.server_port}/"
            '$(printf \'%s/\' "$@")"\n'
        )
        program.chmod(0o755)

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
