"""Web push: encrypts messages for a browser (RFC 8291, 8188), signs requests to push services (RFC 8292)."""

from __future__ import annotations

import base64
import json
import os
import time
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings

RECORD = 4096
PADDED = 2048
"""The bytes to which shorter messages are padded, so that the length reveals nothing."""
TTL = 3 * 24 * 3600
"""Seconds for which a push service keeps a message for a browser that is offline."""


class Subscription(NamedTuple):
    """A browser's push subscription: its URL at a push service, its public key, and a secret."""

    endpoint: str
    p256dh: str
    auth: str

    @classmethod
    def read(cls, text: str) -> Subscription:
        """Parses a browser's JSON; raises ValueError if it is not a subscription."""
        try:
            given = json.loads(text)
            read = cls(str(given["endpoint"]), str(given["keys"]["p256dh"]), str(given["keys"]["auth"]))
            ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), unbase(read.p256dh))
        except (KeyError, TypeError, RecursionError):
            raise ValueError("no subscription") from None
        if len(unbase(read.auth)) != 16:
            raise ValueError("no subscription")
        return read

    def write(self) -> str:
        return json.dumps({"endpoint": self.endpoint, "keys": {"p256dh": self.p256dh, "auth": self.auth}})


def base(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unbase(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encrypt(
    plain: bytes, subscription: Subscription, own: ec.EllipticCurvePrivateKey | None = None, salt: bytes = b""
) -> bytes:
    """The body of a request that only this browser can read; by default with a random key and salt."""
    own = own or ec.generate_private_key(ec.SECP256R1())
    salt = salt or os.urandom(16)
    theirs = unbase(subscription.p256dh)
    shared = own.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), theirs))
    mine = public(own)
    secret = _derive(unbase(subscription.auth), shared, b"WebPush: info\0" + theirs + mine, 32)
    key = _derive(salt, secret, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(salt, secret, b"Content-Encoding: nonce\0", 12)
    sealed = AESGCM(key).encrypt(nonce, plain + b"\2", None)
    return salt + RECORD.to_bytes(4, "big") + bytes([len(mine)]) + mine + sealed


def message(facts: dict[str, Any], subscription: Subscription) -> bytes:
    """Encrypts `facts` as JSON; all messages of up to PADDED bytes get the same length."""
    plain = json.dumps(facts, ensure_ascii=False).encode()
    return encrypt(plain.ljust(PADDED), subscription)


def public(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _derive(salt: bytes, key: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(key)


@lru_cache
def site_key(text: str) -> ec.EllipticCurvePrivateKey:
    """The site's private key for pushes, given as 32 bytes in base64url; raises ValueError."""
    raw = unbase(text)
    if len(raw) != 32:
        raise ValueError("VAPID_KEY must be 32 bytes in base64url: manage.py vapid_keys makes one.")
    return ec.derive_private_key(int.from_bytes(raw, "big"), ec.SECP256R1())


def own_key() -> ec.EllipticCurvePrivateKey:
    return site_key(settings.VAPID_KEY)


def application_key() -> str:
    """The site's public key in base64url, which browsers need to subscribe."""
    return base(public(own_key()))


def authorization(endpoint: str) -> str:
    """The Authorization header for a push service: a token signed for it, valid for twelve hours."""
    parts = urlsplit(endpoint)
    contact = settings.PUBLIC_URL or "https://localhost"
    claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": int(time.time()) + 12 * 3600, "sub": contact}
    head = base(json.dumps({"typ": "JWT", "alg": "ES256"}).encode())
    signed = f"{head}.{base(json.dumps(claims).encode())}"
    r, s = utils.decode_dss_signature(own_key().sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    token = f"{signed}.{base(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"
    return f"vapid t={token}, k={application_key()}"
