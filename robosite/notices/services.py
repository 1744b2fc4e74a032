"""The chat services: how each is called to post or edit a message, and how its answers are read.

Nothing here reads the database. Names in a text are escaped for each service, so that they notify nobody and
are no markup.
"""

import base64
import binascii
import contextlib
import hashlib
import hmac
import json
import logging
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from django.conf import settings

from robosite.notices import safe_http
from robosite.notices.parcels import SendOutcome

log = logging.getLogger("robosite")

GONE = (404, 410)
"""The HTTP statuses that mean that the address will never accept anything again."""
MISSING = "missing"
"""The fault of a message that was to be edited and is not there any more: a new one is posted."""

LINE = "line "
"""The beginning of the number of a message that cannot be edited; the count of reveals follows."""


class Address(NamedTuple):
    """The address for messages; `token` is the service's token, or the key that signs JSON, or ""."""

    url: str
    token: str = ""


class Post(NamedTuple):
    """A living message.

    `number` names the message and never changes. `reveals` counts the events so far; `newest` is the
    line of the last one, for services that cannot edit.
    """

    number: str
    version: int
    title: str
    lines: tuple[str, ...]
    link: str
    picture: str = ""
    reveals: int = 0
    newest: str = ""

    @property
    def text(self) -> str:
        return "\n".join([self.title, *self.lines, self.link])


class Call(NamedTuple):
    method: str
    url: str
    body: bytes
    headers: Mapping[str, str]


class Service(NamedTuple):
    """A chat service. `call` gets the address, the post and the number of the message there is, or "".

    It returns None if there is nothing to say. `message_of` reads the message's number from an answer,
    `fault_of` a fault told in its own words; `fits` tells if an address is one of the service.
    """

    name: str
    call: Callable[[Address, Post, str], Call | None]
    fits: Callable[[Address], bool]
    message_of: Callable[[dict[str, Any], Post], str] = lambda _data, post: post.number
    fault_of: Callable[[dict[str, Any]], SendOutcome | None] = lambda _data: None


def is_on(kind: str) -> bool:
    """Returns True if the site's host lets messages go to this kind of service (the setting WEBHOOKS)."""
    on: Any = settings.WEBHOOKS
    return on is True or (bool(on) and kind in on)


def send(kind: str, address: Address, post: Post, message: str) -> SendOutcome:
    """Posts a message or, if `message` is its number at the service, edits it."""
    service = SERVICES[kind]
    call = service.call(address, post, message)
    if call is None:
        return SendOutcome(message=message)
    answer = request(call)
    if isinstance(answer, SendOutcome):
        return replace(answer, message=message)
    data = _data(answer.body)
    told = None if answer.status == 429 else service.fault_of(data)
    outcome = told or outcome_of(answer, data)
    if outcome.gone and message and answer.status == 404:
        outcome = SendOutcome(MISSING)
    if outcome.fault:
        log.warning("a message of a table did not go to %s: %s %s", kind, answer.status, outcome.fault)
        return replace(outcome, message=message)
    edited = message and not message.startswith(LINE)
    return replace(outcome, message=message if edited else service.message_of(data, post)[:255])


def request(call: Call) -> safe_http.Response | SendOutcome:
    """Sends a request; returns the answer or, without one, the outcome. The URL is not logged."""
    try:
        return safe_http.post(call.url, call.body, call.headers, call.method)
    except safe_http.Forbidden:
        return SendOutcome("forbidden", final=True)
    except OSError as fault:
        log.warning("a notice did not go: %s", type(fault).__name__)
        return SendOutcome("no-answer")


def deliver(call: Call) -> SendOutcome:
    """Sends a request and returns the outcome, as far as the answer's status tells it."""
    answer = request(call)
    if isinstance(answer, SendOutcome):
        return answer
    outcome = outcome_of(answer, {})
    if outcome.fault == "refused":
        log.warning("a notice did not go: answer %s", answer.status)
    return outcome


def outcome_of(answer: safe_http.Response, data: dict[str, Any]) -> SendOutcome:
    """The outcome by an answer's status, with the seconds that its header or body asks to wait."""
    if 200 <= answer.status < 300:
        return SendOutcome()
    if answer.status in GONE:
        return SendOutcome("gone", gone=True)
    final = 300 <= answer.status < 500 and answer.status not in (408, 429)
    return SendOutcome("refused", final=final, later=_later(answer, data))


def _later(answer: safe_http.Response, data: dict[str, Any]) -> int:
    after = answer.headers.get("retry-after", "")
    if after.isascii() and after.isdigit() and len(after) < 7:
        return int(after)
    parameters = data.get("parameters")
    told = data.get("retry_after", parameters.get("retry_after") if isinstance(parameters, dict) else None)
    if told is None and isinstance(data.get("retry_after_ms"), int):
        told = data["retry_after_ms"] / 1000
    is_number = isinstance(told, int | float) and 0 <= told < 10**6
    return int(told) + 1 if is_number and told is not None else 0


def _data(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def as_json(
    url: str, data: object, headers: Mapping[str, str] | None = None, *, method: str = "POST"
) -> Call:
    body = json.dumps(data, ensure_ascii=False).encode()
    return Call(method, url, body, {"Content-Type": "application/json", **(headers or {})})


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _path(url: str) -> str:
    return urlsplit(url).path


# Discord: https://discord.com/developers/docs/resources/webhook


def _discord(address: Address, post: Post, message: str) -> Call:
    parts, marks = urlsplit(address.url), re.compile(r"([\\*_~`|>#\[\]<@])")
    lines = [marks.sub(r"\\\1", line) for line in (post.title, *post.lines)]
    content = "\n".join([f"**{lines[0]}**", *lines[1:], f"<{post.link}>"])[:2000]
    images = [{"image": {"url": post.picture}}] if post.picture else []
    data = {"content": content, "embeds": images, "allowed_mentions": {"parse": []}}
    base = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
    if message:
        to = f"{base}/messages/{quote(message, safe='')}" + (f"?{parts.query}" if parts.query else "")
        return as_json(to, data, method="PATCH")
    return as_json(f"{base}?{parts.query + '&' if parts.query else ''}wait=true", data)


# Slack: https://docs.slack.dev/messaging. A webhook cannot edit; a bot's token can.

_SLACK_GONE = ("invalid_auth", "account_inactive", "token_revoked", "channel_not_found", "is_archived")
_SLACK_MISSING = ("message_not_found", "cant_update_message", "edit_window_closed")


def _slack(address: Address, post: Post, message: str) -> Call | None:
    attachments = [{"fallback": post.title, "image_url": post.picture}] if post.picture else []
    said = {"unfurl_links": False, "unfurl_media": False, "attachments": attachments}
    if not address.token:
        if message == f"{LINE}{post.reveals}":
            return None
        text = "\n".join([post.title, post.newest, post.link]) if message else post.text
        return as_json(address.url, {"text": _slack_text(text), **said})
    parts = urlsplit(address.url)
    host = "slack.com" if (parts.hostname or "").endswith(".slack.com") else parts.netloc
    to, channel = f"{parts.scheme}://{host}/api/chat.", parts.path.rstrip("/").rpartition("/")[2]
    data = {"channel": channel, "text": _slack_text(post.text), **said}
    if message:
        return as_json(f"{to}update", {**data, "ts": message}, _bearer(address.token))
    return as_json(f"{to}postMessage", data, _bearer(address.token))


def _slack_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _slack_fault(data: dict[str, Any]) -> SendOutcome | None:
    if data.get("ok") is not False:
        return None
    error = str(data.get("error"))
    if error in _SLACK_MISSING:
        return SendOutcome(MISSING)
    return SendOutcome("refused", final=error != "ratelimited", gone=error in _SLACK_GONE)


def _fits_slack(address: Address) -> bool:
    last = _path(address.url).rstrip("/").rpartition("/")[2]
    if address.token:
        return bool(re.fullmatch(r"xox[a-z]-[\w-]+", address.token) and re.fullmatch(r"[CGD]\w+", last))
    return _path(address.url).startswith("/services/")


# Matrix: https://spec.matrix.org/latest/client-server-api. The address is the home server and the room.


def _matrix(address: Address, post: Post, message: str) -> Call:
    parts = urlsplit(address.url)
    body = "\n".join(filter(None, [post.text, post.picture]))
    content: dict[str, Any] = {"msgtype": "m.notice", "body": body, "m.mentions": {}}
    if message:
        content = {
            **content,
            "body": f"* {body}",
            "m.new_content": content,
            "m.relates_to": {"rel_type": "m.replace", "event_id": message},
        }
    room = quote(parts.path.strip("/").replace("%21", "!").replace("%3A", ":"), safe="")
    to = f"{parts.scheme}://{parts.netloc}/_matrix/client/v3/rooms/{room}/send/m.room.message/"
    return as_json(f"{to}{post.number}.{post.version}", content, _bearer(address.token), method="PUT")


def _matrix_fault(data: dict[str, Any]) -> SendOutcome | None:
    gone = data.get("errcode") in ("M_FORBIDDEN", "M_UNKNOWN_TOKEN", "M_MISSING_TOKEN", "M_NOT_FOUND")
    return SendOutcome("gone", gone=True) if gone else None


# Telegram: https://core.telegram.org/bots/api. The address ends with the chat.


def _telegram(address: Address, post: Post, message: str) -> Call:
    parts = urlsplit(address.url)
    host = "api.telegram.org" if parts.hostname == "t.me" else parts.netloc
    preview = {"url": post.picture, "prefer_large_media": True} if post.picture else {"is_disabled": True}
    data = {"chat_id": _chat_of(parts.path), "text": post.text[:4096], "link_preview_options": preview}
    to = f"{parts.scheme}://{host}/bot{address.token}/"
    if message:
        return as_json(f"{to}editMessageText", {**data, "message_id": int(message)})
    return as_json(f"{to}sendMessage", data)


def _chat_of(path: str) -> str:
    """The chat in `/-100123`, `/name` or the link of a message, `/c/123/4`; "" if there is none."""
    if found := re.fullmatch(r"/c/(\d+)(?:/\d+)*/?", path):
        return f"-100{found[1]}"
    if found := re.fullmatch(r"/@?([A-Za-z]\w{3,31})(?:/\d+)?/?", path):
        return f"@{found[1]}"
    found = re.fullmatch(r"/(-?\d{1,20})/?", path)
    return found[1] if found else ""


def _telegram_fault(data: dict[str, Any]) -> SendOutcome | None:
    error = str(data.get("description", "")).lower() if data.get("ok") is False else ""
    if "message is not modified" in error:
        return SendOutcome()
    if "message to edit not found" in error or "message can't be edited" in error:
        return SendOutcome(MISSING)
    if any(word in error for word in ("chat not found", "forbidden", "unauthorized")):
        return SendOutcome("gone", gone=True)
    return None


# ntfy: https://docs.ntfy.sh/publish


def ntfy(
    address: Address, *, title: str, message: str, link: str, picture: str = "", sequence: str = ""
) -> Call:
    """The call that publishes a message for the address's topic, in place of one with the same `sequence`."""
    parts = urlsplit(address.url)
    server, _slash, topic = parts.path.rstrip("/").rpartition("/")
    data = {"topic": topic, "title": title, "message": message, "click": link}
    data |= {name: given for name, given in (("attach", picture), ("sequence_id", sequence)) if given}
    return as_json(f"{parts.scheme}://{parts.netloc}{server}/", data, _bearer(address.token))


def _ntfy(address: Address, post: Post, _message: str) -> Call:
    return ntfy(
        address,
        title=post.title,
        message="\n".join(post.lines) or post.title,
        link=post.link,
        picture=post.picture,
        sequence=post.number,
    )


# JSON, signed as the Standard Webhooks define it


def signature(key: str, number: str, at: int, body: bytes) -> str:
    raw = key.encode()
    if key.startswith("whsec_"):
        with contextlib.suppress(binascii.Error):
            raw = base64.b64decode(key.removeprefix("whsec_"))
    signed = f"{number}.{at}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(raw, signed, hashlib.sha256).digest()).decode()


def signed_json(address: Address, number: str, data: object) -> Call:
    """The call that sends JSON; it is signed now, if the address has a key."""
    call, at = as_json(address.url, data), int(time.time())
    headers = {**call.headers, "webhook-id": number, "webhook-timestamp": str(at)}
    if address.token:
        headers["webhook-signature"] = signature(address.token, number, at, call.body)
    return call._replace(headers=headers)


def _json(address: Address, post: Post, _message: str) -> Call:
    data = {"id": post.number, "version": post.version, "title": post.title, "lines": post.lines}
    data |= {"url": post.link, "picture": post.picture or None}
    return signed_json(address, f"msg_{post.number}.{post.version}", {"type": "robosite.table", "data": data})


def _fits_discord(address: Address) -> bool:
    return bool(re.fullmatch(r"/api/(v\d+/)?webhooks/\d+/[\w-]+/?", _path(address.url)))


def _fits_matrix(address: Address) -> bool:
    room = _path(address.url).strip("/").replace("%21", "!").replace("%3A", ":")
    return bool(address.token) and bool(re.fullmatch(r"![^/:]+(:[^/]+)?", room))


def _fits_telegram(address: Address) -> bool:
    is_token = re.fullmatch(r"\d{3,20}:[\w-]{20,60}", address.token)
    return bool(is_token) and bool(_chat_of(_path(address.url)))


SERVICES: dict[str, Service] = {
    "discord": Service("Discord", _discord, _fits_discord, lambda data, _post: str(data.get("id", ""))),
    "slack": Service(
        "Slack",
        _slack,
        _fits_slack,
        lambda data, post: str(data.get("ts") or f"{LINE}{post.reveals}"),
        _slack_fault,
    ),
    "matrix": Service(
        "Matrix", _matrix, _fits_matrix, lambda data, _post: str(data.get("event_id", "")), _matrix_fault
    ),
    "telegram": Service(
        "Telegram",
        _telegram,
        _fits_telegram,
        lambda data, _post: str((data.get("result") or {}).get("message_id", "")),
        _telegram_fault,
    ),
    "ntfy": Service("ntfy", _ntfy, lambda address: bool(_path(address.url).strip("/"))),
    "json": Service("Webhook", _json, lambda address: True),
}
