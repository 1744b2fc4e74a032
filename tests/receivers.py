"""Others that a site talks to, for tests: a mail server and an HTTPS server, real ones, on 127.0.0.1."""

from __future__ import annotations

import asyncio
import ssl
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple, Self

from aiosmtpd.controller import Controller
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from tests.servers import PATIENCE, free_port


class _Closes:
    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def close(self) -> None: ...


def until(true: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Calls `true` until it returns something true, and returns that; fails after `seconds`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if said := true():
            return said
        time.sleep(0.05)
    raise AssertionError("it did not come true")


class Mailbox(_Closes):
    """A mail server. `answers` are given first, one a mail, such as "451 later"; then it takes everything.

    `hold`: a mail is kept, but its sender gets no answer until `hold` is set. `of_recipients` has the answers
    to RCPT TO, by address; `of_sender` is the one to MAIL FROM, if it is not taken.
    """

    def __init__(self, *answers: str, port: int = 0) -> None:
        self.answers = list(answers)
        self.tried: list[EmailMessage] = []
        self.mails: list[EmailMessage] = []
        self.of_recipients: dict[str, str] = {}
        self.of_sender = ""
        self.named: list[str] = []
        self.hold = threading.Event()
        self.hold.set()
        self.controller = Controller(self, hostname="127.0.0.1", port=port or free_port())
        self.controller.start()

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.controller.port}"

    async def handle_MAIL(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if self.of_sender:
            return self.of_sender
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        self.named.append(address)
        if address in self.of_recipients:
            return self.of_recipients[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        mail = message_from_bytes(envelope.content, policy=policy.default)
        self.tried.append(mail)
        if self.answers:
            return self.answers.pop(0)
        self.mails.append(mail)
        while not self.hold.is_set():
            await asyncio.sleep(0.05)
        return "250 OK"

    def close(self) -> None:
        self.hold.set()
        self.controller.stop()


class Asked(NamedTuple):
    """A request that came in."""

    path: str
    headers: dict[str, str]
    body: bytes
    method: str = "POST"


Given = int | tuple[int, dict[str, str]] | tuple[int, dict[str, str], bytes]


class Receiver(_Closes):
    """An HTTPS server. `answers` are given first, one a request: a status, with headers and a body."""

    def __init__(self, folder: Path, *answers: Given) -> None:
        self.answers: list[Given] = list(answers)
        self.asked: list[Asked] = []
        self.certificate, key = certificate(folder)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # and all other methods, below
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.asked.append(Asked(self.path, headers, body, self.command))
                given = outer.answers.pop(0) if outer.answers else 201
                status, more, *bodies = given if isinstance(given, tuple) else (given, {})
                said = bodies[0] if bodies else b""
                self.send_response(status)
                for name, value in {"Content-Length": str(len(said)), **more}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(said)

            do_PUT = do_PATCH = do_POST  # noqa: N815

            def log_message(self, *_: Any) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                pass

        self.server = Quiet(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(PATIENCE)


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for this machine, and its key, in files."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "receiver.pem", folder / "receiver.key"
    paths[0].write_bytes(made.public_bytes(Encoding.PEM))
    paths[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return paths
