"""Whatever keeps a thread busy, or waits for a lock, lets others be answered meanwhile (`web/later.py`)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import User
from django.db import OperationalError, connection, transaction

from robosite.people import recovery_phrases
from robosite.people.hashers import Scrypt
from robosite.people.models import Guest
from robosite.web import later


class Attempt(list[str]):
    """The kinds of waits of a request until it was answered, and the answer."""

    answer: Any = None

    def __init__(self, call: Callable[[], Any]) -> None:
        later.begin_request()
        while True:
            try:
                self.answer = later.waiting_for(call)
            except later.Later as wait:
                self.append(type(wait).__name__)
                asyncio.run(wait.work())  # type: ignore[arg-type]
            else:
                return


@pytest.fixture
def slow(settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The site's own hashers, but quick ones; what they have computed."""
    settings.PASSWORD_HASHERS = ["robosite.people.hashers.PBKDF2", "robosite.people.hashers.Scrypt"]
    monkeypatch.setattr("robosite.people.hashers.PBKDF2.iterations", 2)
    monkeypatch.setattr(Scrypt, "work_factor", 2)
    monkeypatch.setattr(later, "PAUSES", (0.001,) * 7)
    return []


@pytest.mark.django_db
def test_a_phrase_and_a_password_are_hashed_beside_the_thread(slow: list[str]) -> None:
    guest = Guest.objects.create(name="Ann")
    phrase = recovery_phrases.new_phrase(guest)
    for words, found in ((phrase.split(), guest), (["zebra"] * 6, None)):
        asked = Attempt(lambda: recovery_phrases.guest_who_says(words))  # noqa: B023
        assert (asked, asked.answer) == (["Later"], found)
    user = User(username="staff")
    assert Attempt(lambda: user.set_password("a long password")) == ["Later"]
    assert Attempt(lambda: check_password("a long password", user.password)).answer is True
    assert Attempt(lambda: check_password("another", user.password)).answer is False


@pytest.mark.django_db
def test_a_phrase_that_is_prepared_is_the_one_that_is_stored(slow: list[str]) -> None:
    guest = Guest.objects.create(name="Ann")

    def makes() -> str:
        recovery_phrases.prepare_phrase(guest)
        Guest.objects.filter(pk=guest.pk).update(name="Ben")  # from here on it cannot wait
        return recovery_phrases.new_phrase(guest)

    made = Attempt(makes)
    assert made == ["Later"] and recovery_phrases.guest_who_says(made.answer.split()) == guest


class NotAvailable(Exception):
    sqlstate = "55P03"


def meets_a_lock(times: list[int]) -> Callable[..., Any]:
    def execute(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("UPDATE") and "Zoe" in str(params) and times[0]:
            times[0] -= 1
            raise OperationalError("lock timeout") from NotAvailable()
        return execute(sql, params, many, context)

    return execute


@pytest.mark.django_db(transaction=True)
def test_a_request_that_meets_a_lock_comes_again_unless_it_has_committed_something(slow: list[str]) -> None:
    guest, times = Guest.objects.create(name="Ann"), [3]

    def rename(before: Callable[[], Any]) -> None:
        with connection.execute_wrapper(meets_a_lock(times)):
            before()
            with transaction.atomic():
                Guest.objects.create(name="Emil")  # is rolled back
                Guest.objects.filter(pk=guest.pk).update(name="Zoe")

    assert Attempt(lambda: rename(lambda: None)) == ["Locked"] * 3
    assert Guest.objects.filter(name="Emil").count() == Guest.objects.filter(name="Zoe").count() == 1
    times[0] = 1
    with pytest.raises(OperationalError):
        Attempt(lambda: rename(lambda: Guest.objects.create(name="Fay")))
    assert Guest.objects.filter(name="Fay").count() == 1
    times[0] = 99
    with pytest.raises(OperationalError):
        Attempt(lambda: rename(lambda: None))
    assert times[0] == 99 - len(later.PAUSES) - 1
