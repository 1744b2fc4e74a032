"""The second factor of staff: set up by themselves, asked for at login, reset if a phone is lost."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_otp.oath import TOTP

from robosite.moderation import second_factor
from robosite.moderation.models import BackupCode, SecondFactor
from robosite.ops.management.commands.rotate_keys import rotate
from robosite.trail.models import Entry
from tests.site.browsers import text
from tests.site.conftest import Time

PASSWORD = "six wet robots"
LOGIN, CODE, OWN = "/admin/login/", "/admin/second-factor/code/", "/admin/second-factor/"


@pytest.fixture
def boss() -> User:
    return User.objects.create_superuser("boss", password=PASSWORD)


def shown_by(factor: SecondFactor) -> str:
    """The code that the app shows now."""
    app = TOTP(factor.key)
    app.time = timezone.now().timestamp()
    return f"{app.token():06}"


def set_up(user: User, time: Time) -> tuple[SecondFactor, list[str]]:
    made = second_factor.confirm(user, shown_by(second_factor.begin(user)))
    assert made
    time.pass_(seconds=60)  # a code that was taken is not taken again
    return made


def log_in(client: Client, at: str = "192.0.2.1", name: str = "boss") -> Any:
    data = {"username": name, "password": PASSWORD, "next": "/admin/"}
    return client.post(LOGIN, data, REMOTE_ADDR=at)


def type_code(client: Client, code: str, at: str = "192.0.2.1") -> Any:
    return client.post(CODE, {"code": code}, REMOTE_ADDR=at)


def is_in(client: Client) -> bool:
    return client.get(reverse("admin:index")).status_code == 200


def trail() -> list[str]:
    return list(Entry.objects.order_by("number").values_list("action", flat=True))


def test_it_is_set_up_in_the_admin_with_nothing_from_elsewhere(boss: User, time: Time) -> None:
    client = Client()
    log_in(client)
    assert "You have none yet" in text(client.get(OWN))
    page = text(client.post(OWN, {"do": "begin"}, follow=True))
    factor = SecondFactor.objects.get()
    assert not factor.confirmed and is_in(client)
    assert second_factor.typed_key(factor) in page
    assert 'src="data:image/svg+xml' in page and not re.search(r'src="https?:', page)
    wrong = client.post(OWN, {"do": "confirm", "code": "000000"})
    assert wrong.status_code == 422 and not SecondFactor.objects.get().confirmed
    given = {"do": "confirm", "code": shown_by(factor), "csrfmiddlewaretoken": "x" * 64}
    answer, again = client.post(OWN, given), client.post(OWN, given)
    codes = re.findall(r"<code>([a-z2-9-]{19})</code>", text(answer))
    assert len(codes) == len(set(codes)) == second_factor.BACKUP_CODES
    assert codes == re.findall(r"<code>([a-z2-9-]{19})</code>", text(again))
    assert "no-store" in answer["Cache-Control"]
    assert is_in(client)  # who has just shown a code is not asked for another one
    assert trail()[-1] == "second-factor-set" and "code-refused" in trail()
    assert not any(code in entry.text for entry in Entry.objects.all() for code in codes)


def test_a_database_without_the_keys_opens_nobodys_second_factor_but_by_backup_codes(
    boss: User, time: Time, settings: Any
) -> None:
    factor, codes = set_up(boss, time)
    key = factor.key
    kept = repr(list(SecondFactor.objects.values())) + repr(list(BackupCode.objects.values()))
    assert key.hex() not in kept and second_factor.typed_key(factor).replace(" ", "") not in kept
    assert not any(code.replace("-", "") in kept or code in kept for code in codes)
    settings.SEAL_KEYS = ["another key", *settings.SEAL_KEYS]
    assert rotate().anew >= 1
    settings.SEAL_KEYS = ["another key"]
    assert SecondFactor.objects.get().key == key
    code = shown_by(SecondFactor.objects.get())
    settings.SEAL_KEYS = ["a third key"]
    assert second_factor.verify(boss, code) is None
    assert second_factor.verify(boss, codes[0]) == factor


def test_after_the_password_nothing_opens_without_the_code_which_is_taken_once(
    boss: User, time: Time
) -> None:
    factor, codes = set_up(boss, time)
    client, second, third = Client(), Client(), Client()
    answer = log_in(client)
    assert answer["Location"].startswith(CODE)
    for at in ("admin:index", "admin:matches_match_changelist", "admin:auth_user_changelist"):
        assert client.get(reverse(at)).status_code == 302
        assert client.get(reverse(at), follow=True).redirect_chain[-1][0].startswith(CODE)
    assert client.post(reverse("admin:password_change"), {}).status_code == 302
    for do in ("begin", "codes", "remove", "confirm"):  # nor can it be changed or replaced
        assert client.post(OWN, {"do": do, "code": "1"}).status_code == 302
    assert SecondFactor.objects.get() == factor and "login" not in trail()
    assert type_code(client, "000000").status_code == 422 and not is_in(client)
    code = shown_by(factor)
    assert type_code(client, code)["Location"] == "/admin/"
    assert is_in(client)
    assert [one for one in trail() if one != "second-factor-set"][:3] == [
        "password-right", "code-refused", "login",
    ]  # fmt: skip
    log_in(second)
    log_in(third)
    assert type_code(second, code).status_code == 422 and not is_in(second)
    assert type_code(second, codes[0]).status_code == 302
    assert type_code(third, codes[0]).status_code == 422 and not is_in(third)
    assert BackupCode.objects.count() == second_factor.BACKUP_CODES - 1


def test_it_leads_on_to_the_page_that_was_asked_for_and_to_no_other_site(boss: User, time: Time) -> None:
    factor, _ = set_up(boss, time)
    for to, leads in (
        ("/admin/matches/match/?q=x", "/admin/matches/match/?q=x"),
        ("https://example.org/admin/", "/admin/"),
        ("//example.org/admin/", "/admin/"),
    ):
        client = Client()
        log_in(client)
        answer = client.post(f"{CODE}?next={to}", {"code": shown_by(factor)})
        assert answer["Location"] == leads
        time.pass_(seconds=60)


def test_a_code_or_a_copied_key_of_somebody_else_opens_nothing(boss: User, time: Time) -> None:
    """Also where somebody who writes to the database has given another user their own key."""
    factor, _ = set_up(boss, time)
    mia = User.objects.create_user("mia", password=PASSWORD, is_staff=True)
    hers, codes = set_up(mia, time)
    client = Client()
    log_in(client)
    for code in (shown_by(hers), codes[0]):
        assert type_code(client, code).status_code == 422
    assert not is_in(client)
    SecondFactor.objects.filter(pk=factor.pk).update(secret=hers.secret, number=hers.number)
    assert second_factor.verify(boss, shown_by(hers)) is None


@pytest.fixture
def inside(boss: User, time: Time) -> Client:
    """Has typed the password and the code."""
    factor, _ = set_up(boss, time)
    client = Client()
    log_in(client)
    type_code(client, shown_by(factor))
    assert is_in(client)
    return client


def test_a_login_that_has_ended_has_shown_nothing_for_the_next_one(inside: Client, time: Time) -> None:
    """The session stays, since its guest does; the password alone must not open the admin in it again."""
    log_in(inside)
    assert not is_in(inside)
    time.pass_(seconds=60)
    type_code(inside, shown_by(SecondFactor.objects.get()))
    assert is_in(inside)
    time.pass_(hours=12)
    assert not is_in(inside)
    log_in(inside)
    assert not is_in(inside)


def test_logins_from_before_it_was_set_up_are_asked_for_it_and_can_be_left(boss: User, time: Time) -> None:
    elsewhere = Client()
    log_in(elsewhere)
    assert is_in(elsewhere)
    set_up(boss, time)
    assert not is_in(elsewhere)
    assert elsewhere.post(CODE, {"leave": "1"}).status_code in (200, 302)
    assert "_auth_user_id" not in elsewhere.session


def test_codes_cannot_be_tried_as_often_as_one_likes(boss: User, time: Time, limited: None) -> None:
    factor, _ = set_up(boss, time)
    client = Client()
    log_in(client)
    answers = [type_code(client, f"{n:06}") for n in range(9)]
    assert [answer.status_code for answer in answers] == [422] * 8 + [429]
    assert int(answers[-1]["Retry-After"]) > 0 and "network" in text(answers[-1])
    assert type_code(client, shown_by(factor)).status_code == 429  # the right one does not help
    assert trail().count("code-refused") == 8


def test_nor_from_everywhere_nor_with_a_new_login_each_time(boss: User, time: Time, limited: None) -> None:
    """The password alone makes no browser known: each would have tries of its own."""
    factor, _ = set_up(boss, time)
    home = Client()
    log_in(home, at="203.0.113.1")
    assert type_code(home, shown_by(factor), at="203.0.113.1").status_code == 302
    home.post(reverse("admin:logout"))
    statuses = []
    client = Client()
    for n in range(14):
        log_in(client, at=f"192.0.2.{n}")
        assert "staff" not in client.cookies
        statuses.append(type_code(client, f"{n:06}", at=f"192.0.2.{n}").status_code)
    assert statuses[:10] == [422] * 10 and set(statuses[10:]) == {429}, "the right one was not counted"
    time.pass_(seconds=60)
    log_in(home, at="203.0.113.1")  # who has been here before is not locked out by that
    assert type_code(home, shown_by(factor), at="203.0.113.1").status_code == 302


def test_changing_anything_takes_a_code(boss: User, time: Time) -> None:
    factor, codes = set_up(boss, time)
    client = Client()
    log_in(client)
    type_code(client, shown_by(factor))
    time.pass_(seconds=60)
    for do in ("begin", "codes", "remove"):
        assert client.post(OWN, {"do": do, "code": "000000"}).status_code == 422
    assert SecondFactor.objects.count() == 1 and BackupCode.objects.count() == len(codes)
    answer = client.post(OWN, {"do": "codes", "code": shown_by(factor)})
    assert "Shown this once" in text(answer) and trail()[-1] == "second-factor-codes"
    assert second_factor.verify(boss, codes[0]) is None
    time.pass_(seconds=60)
    client.post(OWN, {"do": "begin", "code": shown_by(factor)})
    new = SecondFactor.objects.get(confirmed=False)
    client.post(OWN, {"do": "confirm", "code": shown_by(new)})
    assert SecondFactor.objects.get() == new and is_in(client)
    time.pass_(seconds=60)
    client.post(OWN, {"do": "remove", "code": shown_by(new)})
    assert not SecondFactor.objects.exists() and trail()[-1] == "second-factor-removed" and is_in(client)


def test_where_it_is_required_nobody_does_anything_before_it_is_set_up(
    boss: User, time: Time, settings: Any
) -> None:
    settings.STAFF_SECOND_FACTOR = "required"
    client = Client()
    assert log_in(client)["Location"].startswith(OWN)
    for at in ("admin:index", "admin:matches_match_changelist", "admin:password_change"):
        assert client.get(reverse(at), follow=True).redirect_chain[-1][0].startswith(OWN), at
        assert client.post(reverse(at), {}).status_code == 302
    page = text(client.get(OWN))
    assert "First set up your second factor" in page and 'id="user-tools"' not in page
    client.post(OWN, {"do": "begin"})
    client.post(OWN, {"do": "confirm", "code": shown_by(SecondFactor.objects.get())})
    assert is_in(client)
    time.pass_(seconds=60)
    refused = client.post(OWN, {"do": "remove", "code": shown_by(SecondFactor.objects.get())})
    assert refused.status_code == 422 and SecondFactor.objects.exists()


def test_who_is_no_staff_gets_none() -> None:
    nobody = Client()
    for at in (CODE, OWN):
        for answer in (nobody.get(at), nobody.post(at, {"do": "begin", "code": "1"})):
            assert answer.status_code == 302 and answer["Location"].startswith(LOGIN)
    assert not SecondFactor.objects.exists()


def test_a_lost_phone_is_reset_on_the_machine(inside: Client) -> None:
    out = io.StringIO()
    call_command("staff", "boss", "--reset-second-factor", stdout=out)
    assert "by the password alone" in out.getvalue()
    assert not SecondFactor.objects.exists() and not BackupCode.objects.exists()
    assert trail()[-1] == "second-factor-reset"
    assert log_in(Client())["Location"] == "/admin/"
    with pytest.raises(CommandError, match="boss has no second factor"):
        call_command("staff", "boss", "--reset-second-factor")
    with pytest.raises(CommandError, match="Nobody on the staff is called eve"):
        call_command("staff", "eve", "--reset-second-factor")
