"""Notices on their way: to a real mail server, and to real addresses that listen on this machine."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from robosite.matches import flow
from robosite.notices import outbox, parcels, safe_http, webpush
from robosite.notices.models import Channel, Parcel
from tests import at_once
from tests.receivers import Asked, Mailbox, Receiver, certificate
from tests.site.browsers import FIRST, OTHER, Table, guest, text
from tests.site.conftest import Time
from tests.site.notices.test_notices import by_mail


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Mailbox]:
    with Mailbox() as box:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", box.controller.port
        yield box


@pytest.fixture
def receiver(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    with Receiver(tmp_path) as running:
        settings.REACHABLE_NETWORKS = ["127.0.0.0/8"]
        settings.WEBHOOKS = True
        monkeypatch.setenv("SSL_CERT_FILE", str(running.certificate))
        yield running


def test_a_mail_arrives_with_all_its_heads_from_one_of_two_senders(table: Table, mailbox: Mailbox) -> None:
    by_mail(table.alice)
    table.play((FIRST, FIRST))
    at_once.send_all()
    (mail,) = mailbox.mails
    assert mail["To"] == "alice@example.org" and mail["Subject"] == "Your turn: Robo Battle Pigs with Bob"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["Message-ID"].startswith(f"<notice-{Parcel.objects.get().number.hex}@")
    table.play((FIRST, FIRST))
    mine = parcels.claim_parcel()  # so it is not sent by another sender
    at_once.send_all()
    assert mine and len(mailbox.mails) == 1
    parcels.note_outcome(mine, parcels.SendOutcome())
    at_once.send_all()
    assert len(mailbox.mails) == 1 and guest("Alice").channels.get().succeeded_at


def test_a_mail_that_is_refused_comes_later_with_the_same_id(
    table: Table, mailbox: Mailbox, time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    mailbox.answers = ["451 try later", "554 no"]
    by_mail(table.alice)
    table.play((FIRST, FIRST))
    for _ in range(4):
        at_once.send_all()
        time.pass_(minutes=10)
    assert len(mailbox.tried) == 3 and len(mailbox.mails) == 1
    assert len({str(mail["Message-ID"]) for mail in mailbox.tried}) == 1
    assert "alice@" not in caplog.text


class Phone:
    """A browser that has given its address away, and can read what is pushed to it."""

    def __init__(self, endpoint: str) -> None:
        self.key, self.auth = ec.generate_private_key(ec.SECP256R1()), b"0123456789abcdef"
        self.subscription = webpush.Subscription(
            endpoint, webpush.base(webpush.public(self.key)), webpush.base(self.auth)
        )

    def read(self, body: bytes) -> dict[str, str]:
        """As RFC 8188 and 8291 say it, with the phone's own keys."""
        salt, length = body[:16], body[20]
        theirs, sealed = body[21 : 21 + length], body[21 + length :]
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), theirs)
        info = b"WebPush: info\0" + webpush.public(self.key) + theirs
        secret = HKDF(hashes.SHA256(), 32, self.auth, info).derive(self.key.exchange(ec.ECDH(), point))
        key = HKDF(hashes.SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(secret)
        nonce = HKDF(hashes.SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(secret)
        plain = AESGCM(key).decrypt(nonce, sealed, None)
        assert plain.endswith(b"\2")
        told: dict[str, str] = json.loads(plain[:-1])
        return told


def test_a_message_is_encrypted_as_the_standard_writes_it() -> None:
    """The example of RFC 8291, section 5."""
    number = int.from_bytes(webpush.unbase("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"), "big")
    subscription = webpush.Subscription(
        "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "BTBZMqHH6r4Tts7J_aSIgg",
    )
    body = webpush.encrypt(
        b"When I grow up, I want to be a watermelon",
        subscription,
        ec.derive_private_key(number, ec.SECP256R1()),
        webpush.unbase("DGv6ra1nlYgDCS1FRnbzlw"),
    )
    assert webpush.base(body) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz"
        "AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


def by_push(table: Table, receiver: Receiver) -> Phone:
    phone = Phone(f"{receiver.url}/push/alices-phone")
    given = {"kind": "push", "subscription": phone.subscription.write()}
    assert table.alice.post("/notices/add/", given).status_code == 302
    return phone


def test_a_push_arrives_and_only_the_phone_can_read_it(table: Table, receiver: Receiver) -> None:
    phone = by_push(table, receiver)
    table.play((FIRST, FIRST))
    flow.seal(table.b, 1, OTHER)
    at_once.send_all()
    (asked,) = receiver.asked
    told = phone.read(asked.body)
    assert told["title"] == "Your turn: Robo Battle Pigs with Bob"
    assert told["url"] == f"/m/{table.key}/A/" and told["tag"] == table.key
    assert table.key.encode() not in asked.body and table.key not in str(asked.headers)
    assert asked.headers["urgency"] == "high" and int(asked.headers["ttl"]) > 3600
    assert len(asked.headers["topic"]) == 32
    assert_signed(asked, receiver.url)


def assert_signed(asked: Asked, origin: str) -> None:
    """The token of RFC 8292 is signed with the key that browsers were told."""
    kind, _, rest = asked.headers["authorization"].partition(" ")
    fields = dict(part.strip().split("=", 1) for part in rest.split(","))
    head, claims, signed = fields["t"].split(".")
    raw = webpush.unbase(signed)
    signature = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), webpush.unbase(fields["k"]))
    key.verify(signature, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    assert kind == "vapid" and json.loads(webpush.unbase(claims))["aud"] == origin


def test_nothing_is_pushed_to_say_that_something_is_dealt_with(table: Table, receiver: Receiver) -> None:
    """A browser takes the permission away from a site whose pushes show nothing."""
    phone = by_push(table, receiver)
    table.play((FIRST, FIRST))
    at_once.send_all()
    flow.seal(table.a, 1, FIRST)
    Parcel.objects.create(  # as a release before has left it
        channel=Channel.objects.get(), what="done", match=table.match, due_at=table.match.changed_at
    )
    at_once.send_all()
    (only,) = receiver.asked
    assert "done" not in phone.read(only.body)
    assert not Parcel.objects.filter(state="waits").exists()


def test_a_new_turn_takes_the_place_of_the_one_before_it_and_all_pushes_have_one_length(
    table: Table, receiver: Receiver
) -> None:
    phone = by_push(table, receiver)
    table.play((FIRST, FIRST))
    at_once.send_all()
    table.play((FIRST, FIRST))  # at once: Alice seals, Bob reveals
    at_once.send_all()
    first, second = receiver.asked
    assert first.headers["topic"] == second.headers["topic"]
    assert phone.read(first.body)["tag"] == phone.read(second.body)["tag"] == table.key
    outbox.test(Channel.objects.get())
    at_once.send_all()
    assert len(receiver.asked) == 3 and len({len(asked.body) for asked in receiver.asked}) == 1


def test_a_busy_service_is_asked_again_when_it_wants(table: Table, receiver: Receiver, time: Time) -> None:
    by_push(table, receiver)
    receiver.answers = [(503, {"Retry-After": "3600"})]
    table.play((FIRST, FIRST))
    for _ in range(8):
        at_once.send_all()
        time.pass_(minutes=10)
    assert len(receiver.asked) == 2
    assert Channel.objects.get().succeeded_at


def test_the_same_browser_twice_is_one_channel_whose_subscription_is_nowhere_to_be_read(
    table: Table, receiver: Receiver
) -> None:
    phone = by_push(table, receiver)
    table.alice.post("/notices/add/", {"kind": "push", "subscription": phone.subscription.write()})
    assert b"alices-phone" not in bytes(Channel.objects.get().secret or b"")
    assert "alices-phone" not in text(table.alice.get("/notices/"))


@pytest.mark.parametrize(
    "given", ["", "{}", "[]", '{"endpoint": "https://a.example", "keys": {"p256dh": "AA", "auth": "AA"}}']
)
def test_what_is_no_subscription_is_refused(table: Table, given: str) -> None:
    assert table.alice.post("/notices/add/", {"kind": "push", "subscription": given}).status_code == 422


def by_webhook(table: Table, address: str, kind: str = "webhook") -> Any:
    return table.alice.post("/notices/add/", {"kind": kind, "address": address})


def test_a_webhook_gets_signed_json(table: Table, receiver: Receiver) -> None:
    assert by_webhook(table, f"{receiver.url}/hook?x=1").status_code == 302
    table.play((FIRST, FIRST))
    flow.seal(table.b, 1, OTHER)
    at_once.send_all()
    (asked,) = receiver.asked
    key = json.loads(Channel.objects.get().open())["key"]
    assert key in text(table.alice.get("/notices/"))
    signed = f"{asked.headers['webhook-id']}.{asked.headers['webhook-timestamp']}.".encode() + asked.body
    raw = base64.b64decode(key.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(raw, signed, hashlib.sha256).digest()).decode()
    assert asked.headers["webhook-signature"] == f"v1,{expected}"
    told = json.loads(asked.body)["data"]
    assert {one["kind"] for one in told["notices"]} == {"turn"}
    assert told["notices"][0]["match"] == table.key and OTHER not in asked.body.decode()


def test_ntfy_gets_a_message_for_its_topic(table: Table, receiver: Receiver) -> None:
    by_webhook(table, f"{receiver.url}/robots-of-alice", "ntfy")
    table.play((FIRST, FIRST))
    at_once.send_all()
    (asked,) = receiver.asked
    told = json.loads(asked.body)
    assert (asked.path, told["topic"]) == ("/", "robots-of-alice")
    assert told["title"] == "Your turn: Robo Battle Pigs with Bob"
    assert told["click"].endswith(f"/{table.key}/A/")


def test_a_redirect_is_not_followed(table: Table, receiver: Receiver) -> None:
    receiver.answers = [(302, {"Location": f"{receiver.url}/elsewhere"})]
    by_webhook(table, f"{receiver.url}/hook")
    table.play((FIRST, FIRST))
    at_once.send_all()
    assert [asked.path for asked in receiver.asked] == ["/hook"]
    assert Parcel.objects.get().state == "given up"


def test_without_the_hosts_leave_there_are_no_webhooks(table: Table, settings: Any) -> None:
    assert not settings.WEBHOOKS
    assert by_webhook(table, "https://hooks.example.org/").status_code == 422
    assert not Channel.objects.exists()


@pytest.mark.parametrize(
    "address",
    [
        "http://hooks.example.org/",
        "https://127.0.0.1/",
        "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/latest/meta-data/",
        "https://me:secret@hooks.example.org/",
        "https://hooks.example.org\\@10.0.0.1/",
        "https://hooks.example.org/a b",
        "https:///nowhere",
        "https://hooks.example.org:99999/",
        "file:///etc/passwd",
        "",
    ],
)
def test_an_address_that_is_not_on_the_open_internet_is_refused(
    table: Table, settings: Any, address: str
) -> None:
    settings.WEBHOOKS = True
    assert by_webhook(table, address).status_code == 422
    assert not Channel.objects.exists()


@pytest.mark.parametrize(
    "found", [["127.0.0.1"], ["10.0.0.1"], ["8.8.8.8", "192.168.1.1"], ["::1"], ["169.254.1.1"], []]
)
def test_a_name_that_leads_inside_is_not_asked(
    table: Table, receiver: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch, found: list[str]
) -> None:
    settings.REACHABLE_NETWORKS = []
    by_webhook(table, "https://looks-fine.example.org/hook")
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(2, 1, 6, "", (one, 443)) for one in found])
    table.play((FIRST, FIRST))
    at_once.send_all()
    assert not receiver.asked and Parcel.objects.get().state == "given up"
    assert "isn’t on the public internet" in text(table.alice.get("/notices/"))


@pytest.mark.parametrize("drips", [False, True])
def test_who_does_not_answer_is_not_waited_for(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch, drips: bool
) -> None:
    """Also who answers so slowly that there is always something to come."""
    cert, key = certificate(tmp_path)
    settings.REACHABLE_NETWORKS = ["127.0.0.0/8"]
    monkeypatch.setenv("SSL_CERT_FILE", str(cert))
    monkeypatch.setattr(safe_http, "TIME", 1.0)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    over = threading.Event()

    def serve(listener: socket.socket) -> None:
        with suppress(OSError), context.wrap_socket(listener.accept()[0], server_side=True) as one:
            one.sendall(b"HTTP/1.1 200 OK\r\n" if drips else b"")
            while not over.wait(0.1):
                one.sendall(b"X: y\r\n" if drips else b"")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=[listener])
        thread.start()
        with pytest.raises(OSError):
            safe_http.post(f"https://127.0.0.1:{listener.getsockname()[1]}/", b"", {})
        over.set()
        thread.join()
