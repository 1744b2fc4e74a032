"""The audit trail: entries that follow from one another, and that nobody changes unnoticed."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core import mail
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from robosite.people.models import Guest
from robosite.trail import entries, guards, head_of_day
from robosite.trail.entries import ChainCheck, note, subject_of
from robosite.trail.models import NOTHING, AppendOnly, Entry, Head, Tally


@pytest.fixture
def mia() -> User:
    return User.objects.create_user("mia", is_staff=True)


@pytest.fixture
def guarded() -> Iterator[None]:
    """With the triggers that the migrations put up."""
    guards.create_triggers(connection)
    yield
    guards.drop_triggers(connection)


def three(mia: User) -> list[Entry]:
    return [
        note(mia, "look", "match:k3v9qx7m2abc"),
        note("command:prune", "prune", "guests", count=3, before=datetime(2026, 11, 21, tzinfo=UTC)),
        note(None, "head", "trail"),
    ]


def told(*flags: str) -> tuple[int, str]:
    """The output and exit status of `manage.py audit`."""
    out = io.StringIO()
    try:
        call_command("audit", *flags, stdout=out)
    except SystemExit as end:
        return int(str(end.code)), out.getvalue()
    return 0, out.getvalue()


def test_entries_follow_from_one_another_by_the_hash_that_the_docs_describe(mia: User) -> None:
    assert subject_of(mia) == f"user:{mia.pk}"
    first, second, third = three(mia)
    assert [first.number, second.number, third.number] == [1, 2, 3]
    assert [first.before, second.before, third.before] == [NOTHING, first.hash, second.hash]
    assert [first.who, second.who, third.who] == [f"staff:{mia.pk} mia", "command:prune", "the site"]
    head = Head.objects.get()
    assert (head.number, head.hash) == (3, third.hash)
    second = Entry.objects.get(number=2)
    at = second.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    facts = '{"before":"2026-11-21T00:00:00+00:00","count":3}'
    lines = ["robosite-trail/1", "2", at, "command:prune", "prune", "guests", facts, second.before]
    assert second.hash == hashlib.sha256("\n".join(lines).encode()).hexdigest()


def test_an_entry_goes_with_what_it_tells_of(mia: User) -> None:
    with transaction.atomic():
        Guest.objects.create(name="Alice")
        note(mia, "rename", "guest:1")
        transaction.set_rollback(True)
    assert not Guest.objects.exists() and not Entry.objects.exists()
    assert note(mia, "look", "guest:1").number == 1


def test_no_secret_link_and_no_second_line_gets_in(mia: User) -> None:
    secret = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    entry = note(
        mia, "look", f"x\n/s/seat/{secret}/", words=["see", {"a": f'http://here/s/seat/{secret}" b'}]
    )
    assert secret not in entry.text
    assert json.loads(entry.facts) == {"words": ["see", {"a": "http://here/s/…"}]}
    assert len(entry.text.split("\n")) == 8
    with pytest.raises(TypeError):
        note(mia, "look", "program:1", order=b"sealed")
    with pytest.raises(ValueError):
        note(mia, "look", "program:1", text="long" * 3000)


def test_an_entry_is_not_changed_or_deleted(mia: User) -> None:
    entry, *_ = three(mia)
    entry.who = "nobody"
    for deed in (
        entry.save,
        entry.delete,
        Entry.objects.all().delete,
        lambda: Entry.objects.update(who="nobody"),
        lambda: Entry.objects.filter(number=1).delete(),
        lambda: Entry.objects.bulk_update([entry], ["who"]),
        lambda: Entry.objects.bulk_create([Entry(number=9)]),
        lambda: Entry.objects.update_or_create(number=1, defaults={"who": "nobody"}),
    ):
        with pytest.raises(AppendOnly):
            deed()
    assert not ChainCheck().fault


CHANGES = (
    "UPDATE trail_entry SET who = 'nobody' WHERE number = 2",
    "DELETE FROM trail_entry WHERE number = 2",
    "UPDATE trail_head SET number = 1",
    "UPDATE trail_tally SET count = 0",
    "UPDATE trail_tally SET day = '2020-01-01'",
    "INSERT OR REPLACE INTO trail_entry SELECT * FROM trail_entry WHERE number = 2",
    "INSERT OR REPLACE INTO trail_head SELECT * FROM trail_head",
)


@pytest.mark.parametrize("change", CHANGES)
def test_the_database_refuses_too(mia: User, guarded: None, change: str) -> None:
    if change.startswith("INSERT OR REPLACE") and connection.vendor != "sqlite":
        pytest.skip("only SQLite knows INSERT OR REPLACE")
    three(mia)
    head_of_day.claim_mail()
    Tally.objects.create(day=entries.today(), what=entries.ERRORS, count=4)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        connection.cursor().execute(change)
    assert note(None, "look", "trail").number == 4
    assert not ChainCheck().fault


@pytest.mark.parametrize("model", [*apps.get_app_config("trail").get_models()], ids=lambda one: one.__name__)
def test_no_table_of_the_trail_is_emptied(mia: User, guarded: None, model: Any) -> None:
    """On PostgreSQL by TRUNCATE, which asks no trigger for rows; SQLite knows none, and deletes them."""
    three(mia)
    assert head_of_day.claim_mail()
    head_of_day.note_mailed()
    Tally.objects.create(day=entries.today(), what=entries.ERRORS, count=4)
    Tally.objects.update(count=5)
    table = model._meta.db_table
    ways = [f"TRUNCATE {table}", f"TRUNCATE {table} CASCADE"] if connection.vendor == "postgresql" else []
    for change in (*ways, f"DELETE FROM {table}"):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            connection.cursor().execute(change)
    assert model._default_manager.count() and not ChainCheck().fault
    assert note(None, "look", "trail").number == 4, "it still moves on"


def tampered(sql: str) -> tuple[int, str]:
    connection.cursor().execute(sql)
    return told("--verify")


def test_a_whole_trail_is_said_to_be_so_also_an_empty_one_and_its_newest_are_told(mia: User) -> None:
    assert told("--verify") == (0, f"0 entries, each as it was written. Head: {NOTHING}\n")
    *_, last = three(mia)
    assert told("--verify") == (0, f"3 entries, each as it was written. Head: {last.hash}\n")
    status, said = told("--count", "2")
    assert status == 0
    first, second = said.splitlines()
    assert "command:prune" in first and '"count":3' in first and "the site" in second


AT_2 = "WHERE number = 2"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        *(
            (f"UPDATE trail_entry SET {column} = '{{}}' {AT_2}", "2: is not as it was written")
            for column in ("who", "action", "subject", "facts", "hash")
        ),
        (f"UPDATE trail_entry SET at = '2020-01-01 00:00:00+00:00' {AT_2}", "2: is not as it was written"),
        (f"UPDATE trail_entry SET at = 'noon' {AT_2}", "2: cannot be read"),
        (f"DELETE FROM trail_entry {AT_2}", "2: is missing"),
        ("DELETE FROM trail_entry WHERE number = 3", "3: is missing"),
    ],
)
def test_a_changed_or_missing_entry_is_found(mia: User, change: str, said: str) -> None:
    if "noon" in change and connection.vendor != "sqlite":
        pytest.skip("only SQLite keeps it")
    three(mia)
    status, told = tampered(change)
    assert status == 1 and told.startswith(f"Broken at entry {said}")


def test_an_entry_rewritten_with_its_hash_breaks_at_the_next(mia: User) -> None:
    three(mia)
    second = Entry.objects.get(number=2)
    second.who = "command:nothing"
    assert tampered(f"UPDATE trail_entry SET who = '{second.who}', hash = '{second.hashed()}' {AT_2}") == (
        1,
        "Broken at entry 3: does not follow from the entry before it\n",
    )


def test_an_entry_put_in_behind_the_head_is_found(mia: User) -> None:
    *_, last = three(mia)
    forged = Entry(number=4, at=last.at, who="the site", action="look", subject="trail", before=last.hash)
    forged.hash = forged.hashed()
    forged.save()
    status, said = told("--verify")
    assert status == 1 and said.startswith("Broken at entry 4")


def test_a_trail_written_anew_does_not_hold_a_head_that_somebody_kept(mia: User) -> None:
    first, _second, last = three(mia)
    assert told("--verify", "--head", last.hash)[0] == told("--verify", "--head", NOTHING)[0] == 0
    status, said = told("--verify", "--head", first.hash.upper())
    assert status == 0 and "entry 1" in said, "one of earlier is still in it"
    connection.cursor().execute("DELETE FROM trail_entry")
    connection.cursor().execute("DELETE FROM trail_head")
    for _ in range(5):
        note(None, "look", "trail")
    assert told("--verify")[0] == 0
    status, said = told("--verify", "--head", last.hash)
    assert status == 1 and "no entry has the hash" in said


@pytest.fixture
def mailed(settings: Any) -> Any:
    settings.AUDIT_MAIL = ["ann@example.org", "ben@example.org"]
    return mail.outbox


def test_the_head_is_logged_and_mailed_once_a_day(
    mia: User, mailed: Any, time: Any, caplog: pytest.LogCaptureFixture
) -> None:
    *_, last = three(mia)
    tell = head_of_day.claim_mail()
    assert tell and head_of_day.claim_mail() is None  # another clock
    tell()
    head_of_day.note_mailed()
    assert [message.to for message in mailed] == [["ann@example.org"], ["ben@example.org"]]
    assert f"manage.py audit --verify --head {last.hash}" in mailed[0].body
    assert sum(last.hash in record.getMessage() for record in caplog.records) == 1
    seen = []
    for _ in range(48):  # hours
        time.pass_(hours=1)
        if tell := head_of_day.claim_mail():
            seen.append(tell)
            head_of_day.note_mailed()
    assert len(seen) == 2


def test_a_mail_that_could_not_be_sent_is_tried_again(mia: User, mailed: Any, time: Any) -> None:
    three(mia)
    time.pass_(hours=36 - time.now().hour)  # far from midnight, when the next mail is due
    assert head_of_day.claim_mail()
    time.pass_(minutes=5)
    assert head_of_day.claim_mail() is None
    time.pass_(minutes=6)
    again = head_of_day.claim_mail()
    assert again
    again()
    head_of_day.note_mailed()
    first = {message.extra_headers["Message-ID"] for message in mailed}
    assert len(first) == 2  # a second mail of the same day would have the same
    time.pass_(minutes=11)
    assert head_of_day.claim_mail() is None


def failures() -> list[tuple[Any, int]]:
    return list(Tally.objects.filter(what=entries.ERRORS).order_by("day").values_list("day", "count"))


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The process has just begun; it writes what waits when time has passed."""
    entries._waiting.clear()
    monkeypatch.setattr(entries, "_not_before", 0.0)
    seconds = itertools.count(100, 1)
    monkeypatch.setattr("robosite.trail.entries.monotonic", lambda: next(seconds))
    yield
    entries._waiting.clear()


def test_answers_that_failed_are_counted_by_day(counting: None, time: Any) -> None:
    first = entries.today()
    for status in (200, 404, 500, 500, 503):
        entries.count_answer(status)
    assert failures() == [(first, 1)]  # one was written, two wait
    for _ in range(20):
        entries.count_answer(200)
    assert failures() == [(first, 3)]
    time.pass_(days=1)
    entries.count_answer(500)
    for _ in range(20):
        entries.count_answer(200)
    assert failures() == [(first, 3), (entries.today(), 1)]


def test_a_request_that_fails_is_counted_and_what_cannot_be_written_waits(
    counting: None, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any, **given: Any) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr("robosite.lobby.home._waiting", broken)
        client.raise_request_exception = False
        assert client.get("/").status_code == 500
        assert failures() == [(entries.today(), 1)]
        patched.setattr(entries, "_add", broken)
        for _ in range(20):
            entries.count_answer(500)
        assert failures() == [(entries.today(), 1)]
    for _ in range(20):
        entries.count_answer(200)
    assert failures() == [(entries.today(), 21)]
