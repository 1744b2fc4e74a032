import asyncio
import errno
import socket
from collections.abc import Coroutine, Iterator
from typing import Any

from channels.routing import get_default_application
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from django.db.backends.signals import connection_created
from django.urls import get_resolver
from django.utils import translation

from robosite.jinja.environment import read_all_templates
from robosite.web import health, transactions
from robosite.web.logs import begin_process, runs

LARGEST_FRAME = 16 * 1024


class Command(BaseCommand):
    help = "Serves the site from one process: pages, API, sockets; beside them the clock, notices, and bots."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (0.0.0.0: all)")
        parser.add_argument("--port", default=8000, type=int)
        parser.add_argument(
            "--prepare", action="store_true", help="first bring the database and static files up to date"
        )
        parser.add_argument("--no-clock", action="store_true", help="another process runs manage.py clock")
        parser.add_argument("--no-bots", action="store_true", help="another process runs manage.py bots")

    def handle(self, *args: Any, host: str, port: int, no_clock: bool, no_bots: bool, **options: Any) -> None:
        self._check_free(host, port)
        if options["prepare"]:
            call_command("migrate", verbosity=0)
            call_command("collectstatic", interactive=False, verbosity=0)
            connections.close_all()  # the database is another thread's from now on
        near = _reachable(host)
        if not settings.PRODUCTION:
            settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, *near]
        begin_process(self, *_greeting(host, port, near), warning=health.alone_warning())
        _server(host, port, with_clock=not no_clock, bots=0 if no_bots else settings.BOT_PROCESSES).run()

    def _check_free(self, host: str, port: int) -> None:
        try:
            family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
        except socket.gaierror:
            raise CommandError(f"There is no address “{host}” here. Try HOST=127.0.0.1.") from None
        except (OSError, OverflowError) as fault:
            if getattr(fault, "errno", None) == errno.EADDRINUSE:
                raise CommandError(
                    f"Port {port} is in use. Stop what uses it, or take another: make run PORT={port + 1}"
                ) from None
            raise CommandError(f"Cannot listen on {host}, port {port}: {fault}.") from None


def _greeting(host: str, port: int, near: list[str]) -> Iterator[str]:
    yield f"Robosite is at http://{_in_url('127.0.0.1' if _is_any(host) else host)}:{port}/"
    for name in near if _is_any(host) else []:
        yield f"  for friends on the same network: http://{_in_url(name.strip('[]'))}:{port}/"
    if settings.PRODUCTION:
        yield runs(f"pages at port {port}")
        return  # docs/hosting.md says the rest
    if settings.OPEN_TABLES:
        yield "  strangers can meet at open tables, here as anywhere: OPEN_TABLES=0 turns them off"
    yield "  an admin for /admin/: .venv/bin/python manage.py createsuperuser"
    yield f"  stop with Ctrl+C; every match is kept in {settings.DATA_DIR}"


def _server(host: str, port: int, *, with_clock: bool, bots: int) -> Any:
    from robosite.engine import wire  # first, since it chooses the reactor  # isort: skip
    from robosite.matches.live.push import hub

    connection_created.connect(transactions.wait_briefly)
    _run_in_background(with_clock=with_clock, bots=bots)
    interface = host.replace(":", "\\:")
    if settings.PRODUCTION:
        _read_all_files()
    return wire.Server(
        application=get_default_application(),
        end_sockets=lambda: hub().end(),
        endpoints=[f"tcp:port={port}:interface={interface}"],
        http_timeout=60,
        websocket_max_message_size=LARGEST_FRAME,
        websocket_max_frame_size=LARGEST_FRAME,
        server_name="",
        verbosity=1,
    )


def _run_in_background(*, with_clock: bool, bots: int) -> None:
    """Has Twisted's reactor start and cancel the tasks; `wire`, which chooses it, is imported before."""
    from twisted.internet import reactor

    from robosite.bots import runner
    from robosite.matches import clock
    from robosite.notices import sender
    from robosite.trail import head_of_day

    tasks: list[asyncio.Task[None]] = []

    def start(run: Coroutine[Any, Any, None]) -> None:
        tasks.append(asyncio.get_event_loop().create_task(run))

    def stop() -> None:
        for task in tasks:
            task.cancel()

    if with_clock:
        reactor.callWhenRunning(start, clock.run())
        reactor.callWhenRunning(start, sender.run())
        reactor.callWhenRunning(start, head_of_day.run())
    if bots:
        reactor.callWhenRunning(start, runner.run(bots))
    reactor.addSystemEventTrigger("before", "shutdown", stop)  # type: ignore[arg-type]


def _read_all_files() -> None:
    """Loads all templates, views and translations, so that none is loaded from files of a later version."""
    read_all_templates()
    get_resolver().url_patterns  # noqa: B018  # this imports the views
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            translation.gettext("")


def _is_any(host: str) -> bool:
    return host in ("0.0.0.0", "::", "")  # noqa: S104 - this asks, it does not bind


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _reachable(host: str) -> list[str]:
    if not _is_any(host):
        return [_in_url(host)]
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing; shows which address would be used
            found.append(probe.getsockname()[0])
        except OSError:
            pass
    try:
        name = socket.gethostname()
        found += [info[4][0] for info in socket.getaddrinfo(name, None, socket.AF_INET)]
        found += [name, f"{name}.local"]
    except OSError:
        pass
    return list(dict.fromkeys(_in_url(str(a)) for a in found if not str(a).startswith("127.")))
