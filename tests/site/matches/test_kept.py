"""What a match and the site keep of their history, what they forget, and which time is given back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import models
from django.db.models import DateField
from django.test import Client
from django.utils import timezone

from games import newest
from robosite.api import schemas, serializers
from robosite.api.models import KeptAnswer
from robosite.leagues import flow as leagues
from robosite.leagues.models import League
from robosite.matches import flow, history, records
from robosite.matches.flow import listing
from robosite.matches.history import state_of, turns_of
from robosite.matches.models import Match, Program
from robosite.matches.site_models import Asking, Heartbeat
from robosite.moderation.models import Report
from robosite.ops.periods import RETENTIONS
from robosite.people import letters
from robosite.people.models import Guest, SentForm, Ticket
from robosite.web.caches import BoundedCache, made_once
from tests import at_once
from tests.at_once import tick
from tests.site.api.test_api import Api
from tests.site.browsers import FIRST, MORE_SHOTS, OTHER, SHOTS, Browser, Table, sit_down
from tests.site.conftest import Time
from tests.site.leagues.conftest import Group, make


def test_what_was_not_used_for_longest_goes_once_there_is_too_much() -> None:
    kept: BoundedCache[str, str] = BoundedCache(10, len)
    for key in "abc":
        kept[key] = key * 3
    assert kept.get("a") == "aaa"
    kept["d"] = "dddd"
    assert [kept.get(key) for key in "abcd"] == ["aaa", None, "ccc", "dddd"] and kept.currsize == 10
    kept["a"] = "a" * 11
    assert list(kept) == ["c", "d"] and kept.currsize == 7, "too large to be kept at all"
    kept["a"] = "a" * 9
    assert kept.get("a") == "a" * 9 and kept.currsize == 9 and len(kept) == 1
    of_threads: BoundedCache[int, int] = BoundedCache(8)

    def use(thread: int) -> None:
        for n in range(4_000):
            key = (n * 7 + thread) % 12
            assert of_threads.get(key, key) == key
            of_threads[key] = key
            of_threads.pop(key + 1, None)
            list(of_threads)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(use, range(4)))
    assert len(of_threads) == of_threads.currsize <= 8


@pytest.fixture
def films(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The turns that are played through again to be told."""
    told: list[int] = []

    def listens(match: Match, turn: int) -> Any:
        told.append(turn)
        return history.film(match, turn)

    monkeypatch.setattr(serializers, "film", listens)
    return told


def ask(table: Table, more: str = "") -> Any:
    return Client().get(f"/api/v1/matches/{table.key}{more}")


def test_a_turn_is_told_once_however_often_and_long_the_match_is_asked_for(
    table: Table, films: list[int]
) -> None:
    table.play((OTHER, OTHER), (OTHER, OTHER))
    first = ask(table)
    assert films == [0, 1]
    assert ask(table).content == first.content
    table.play((OTHER, OTHER))
    assert len(ask(table).json()["events"]) == 3
    assert ask(table, "?since=2").json()["turns"] == [{"A": OTHER, "B": OTHER}]
    assert films == [0, 1, 2]
    whole = ask(table).content
    made_once.clear()
    assert ask(table).content == whole
    assert films == [0, 1, 2] * 2, "no longer kept, they are told again"


def test_the_kept_answer_is_byte_for_byte_what_its_shape_writes(table: Table) -> None:
    table.play((FIRST, FIRST), (OTHER, OTHER))
    flow.draft(table.a, 2, 'a "draft": [], ♥')
    flow.seal(table.b, 2, OTHER)
    for more in ("", "?since=1", "?since=9", "?legal=1"):
        for _ in range(2):
            text = ask(table, more).content.decode()
            assert schemas.Match.model_validate_json(text).model_dump_json() == text


def test_a_record_is_written_once_until_something_in_it_is_another(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.play((OTHER, OTHER))
    written: list[int] = []

    def listens(match: Match, write: Any = records.record_of) -> Any:
        written.append(match.turn)
        return write(match)

    monkeypatch.setattr(records, "record_of", listens)
    for path in (f"/api/v1/matches/{table.key}/record", f"/m/{table.key}/record/"):
        written.clear()
        first = Client().get(path)
        assert Client().get(path).content == first.content
        assert written == [table.match.turn]
        table.match.seats.filter(letter="A").update(name=f"Ada {path[1]}")
        assert f"Ada {path[1]}" in Client().get(path).content.decode()
        table.play((OTHER, OTHER))
        assert len(Client().get(path).json()["turns"]) == table.match.turn
    flow.resign(table.a)
    assert Client().get(path).json()["result"]["scores"] == {"A": 0, "B": 1}


@pytest.mark.django_db(transaction=True)
def test_long_matches_replayed_are_kept_as_long_as_they_are_not_too_many_positions(
    alice: Browser, bob: Browser, charlie: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "_kept", history._cache(5, 5))
    tables = [sit_down(alice, bob, charlie) for _ in range(3)]
    for table in tables:
        table.play((OTHER, OTHER), (OTHER, OTHER))
    assert list(history._kept) == [tables[-1].key]
    tables[0].play((OTHER, OTHER), (OTHER, OTHER), (OTHER, OTHER))
    assert list(history._kept) == [tables[0].key], "the last one is kept however long it is"


@pytest.mark.django_db(transaction=True)
def test_a_turn_that_was_rolled_back_is_forgotten() -> None:
    pigs = newest("pigs")
    match, alice, invite = flow.create(pigs, pigs.read_options({}), 2, "Alice", deadline_hours=1, late="fill")
    bob = flow.join(match, "Bob", invite=invite)
    over = timezone.now() - timedelta(minutes=1)
    Match.objects.filter(pk=match.pk).update(deadline=over, due=over)
    with pytest.raises(flow.Refused, match="deadline decides"):
        flow.claim(alice.seat, bob.seat)  # plays the overdue turn by chance, looks at it, and takes it back
    match.refresh_from_db()
    assert match.turn == 0
    flow.apply_due(match)
    match.refresh_from_db()
    assert match.turn == 1
    stored = {program.seat.at: program.order for program in Program.objects.filter(turn=0)}
    assert turns_of(match)[0] == stored
    assert state_of(match).turn == 1


WORDS = ("wait", "bot", "draft", "out")


@pytest.mark.parametrize("late", WORDS)
def test_each_word_is_kept_by_a_match_an_evening_and_a_league(api: Api, late: str) -> None:
    hour = {"time": "20:00", "zone": "Europe/Madrid", "days": [0, 1, 2, 3, 4, 5, 6]}
    for more in ({"deadline_hours": 24}, {"reveal_at": hour}):
        assert api.match(api.make(late=late, **more)["match"])["late"] == late
    new = {"name": "Spring", "game": "pigs", "organiser": "Ada", "late": late}
    made = api.ask("POST", "leagues", new).json()
    assert api.get(f"leagues/{made['league']}").json()["late"] == late


@pytest.mark.parametrize(("former", "now"), [("claim", "wait"), ("fill", "draft"), ("forfeit", "out")])
def test_forms_offer_them_and_a_former_word_means_the_same_as_before(
    api: Api, alice: Browser, former: str, now: str
) -> None:
    key = api.make(late=former, deadline_hours=24)["match"]
    assert api.match(key)["late"] == former
    assert Match.objects.get(key=key).if_late == now
    assert alice.make_by_page(deadline="24", late=former).late == now
    assert alice.make_by_page(deadline="24", late=now).late == now
    assert alice.make_by_page(deadline="hour", hour="20:00", late="bot").late == "bot"
    league, _invite = make(alice, late=now, kept="1")
    assert (league.late, league.handover) == (now, False)
    assert League.objects.get(key=make(alice)[0].key).late == "draft"


STAYS = {
    "trail.Entry": "the audit trail: a row a look or deed of staff, and none may ever go unnoticed",
    "trail.Head": "one row",
    "trail.Telling": "one row",
    "trail.Tally": "a row a day and kind",
    "matches.Heartbeat": "one row",
    "matches.ProcessHeartbeat": "a row a kind of process",
    "matches.KeyCheck": "a row a key",
    "ops.JobRun": "a row a kind of job",
    "matches.Figures": "a row a game and variant",
    "auth.Group": "made by a migration",
    "auth.Group_permissions": "made by a migration",
    "auth.Permission": "made by a migration",
    "contenttypes.ContentType": "made by a migration",
}
"""The tables whose rows stay, and why they cannot fill a disk. Matches that were played stay too, since they
are what people come for; they are in a table of which other rows go."""


EITHER = {"talk.Message": ("match", "league"), "notices.GroupChannel": ("match", "league")}
"""Fields of which each row has one: it goes with that."""


def goes_with(model: type[models.Model], ends: set[type[models.Model]]) -> bool:
    """Tell whether each row hangs on one that goes."""
    if model._meta.label in EITHER:
        either: Any = [model._meta.get_field(name) for name in EITHER[model._meta.label]]
        return all(
            one.related_model in ends and one.remote_field.on_delete is models.CASCADE for one in either
        )
    needed = [field for field in model._meta.fields if field.is_relation and not field.null]
    return any(
        field.remote_field.on_delete is models.CASCADE and field.related_model in ends for field in needed
    )


def test_every_table_has_an_end_or_a_reason_to_stay() -> None:
    every = set(apps.get_models(include_auto_created=True))
    ends: set[type[models.Model]] = {retention.past(timezone.now()).model for retention in RETENTIONS}
    ends.add(User)  # staff are few, and their host removes them
    while more := {model for model in every - ends if goes_with(model, ends)}:
        ends |= more
    assert {model._meta.label for model in every - ends} == STAYS.keys()


def rows() -> dict[str, int]:
    found = {model._meta.label: model._default_manager.count() for model in apps.get_models()}
    return {label: count for label, count in found.items() if count}


def test_a_year_later_only_what_was_played_is_there(table: Table, time: Time, settings: Any) -> None:
    """A busy day at a table, until its browsers are forgotten, and a year in which nobody comes."""
    alice = table.alice
    alice.post("/me/mail/", {"email": "alice@example.org"})
    alice.post("/me/device/")
    alice.post("/notices/add/", {"kind": "atom"})
    alice.do(table.a, "talk", text="Hello Bob")
    Browser("Mallory").make()
    reported = table.bob.post(
        f"/report/{table.key}/", {"about": "match", "reason": "other", "words": "Look."}
    )
    assert reported.status_code == 302
    table.play(SHOTS, MORE_SHOTS)
    assert table.match.status == Match.Status.OVER
    at_once.send_all()
    busy = rows()
    for label in GONE:
        assert busy[label], label
    Report.objects.update(status="settled", closed_at=timezone.now())
    time.pass_(seconds=settings.SESSION_COOKIE_AGE, days=366)
    call_command("prune", "--yes", verbosity=0)
    assert rows().keys() <= STAYS.keys() | PLAYED


GONE = (
    "people.Letter", "people.Ticket", "sessions.Session", "notices.Notice", "moderation.Report",
    "moderation.Salt", "moderation.Trace",
)  # fmt: skip
"""Tables that are empty again after the year."""


PLAYED = {
    "matches.Match", "matches.Seat", "matches.Program", "matches.Hold", "people.Guest", "talk.Message",
    "talk.Heard", "notices.Channel", "notices.Wishes",
}  # fmt: skip
"""A match that was played, those who played it, and the ways by which they wish to hear of the next one."""


AWAY = timedelta(hours=10)


MOVED = """
Asking.asked_at Asking.due KeptAnswer.made_at League.ends League.next_round_at League.starts_at Match.deadline
Match.due Match.handover_at Match.listed_at Match.open_since SentForm.made_at Ticket.expires_at
"""


NOT_MOVED = {
    "what has happened, or was seen": """
    Challenge.made_at Channel.failed_at Channel.made_at Channel.succeeded_at Entry.at
    FormerHold.sat_at GroupChannel.looked_at GroupChannel.made_at
    Guest.created_at Guest.email_confirmed_at Guest.leaving_at Guest.phrase_made_at
    Guest.seen_at Heard.upto KeptReceipt.sealed_at League.changed_at League.created_at League.over_at
    League.started_at
    Letter.closed_at Match.changed_at Match.created_at Match.opened_at Match.revealed_at Measure.lifted_at
    Measure.made_at Measure.objected_at Measure.read_at Message.read_at Message.sent_at NamedProgram.made_at
    NamedProgram.used_at Note.made_at Notice.done_at Notice.noted_at Nudge.at Parcel.closed_at Place.left_at
    Place.passed_at Place.stays_at Place.taken_at PlaceHold.heard_upto Program.sealed_at Recipient.read_at
    Recipient.sent_at
    Recount.at Report.closed_at Report.made_at Seat.passed_at Seat.taken_at SecondFactor.created_at
    SecondFactor.last_used_at TakenBack.sealed_at TakenBack.taken_back_at Waiting.asked_at
    """,
    "days of a calendar": "Holiday.begins Holiday.ends Holiday.first Holiday.last Tally.day",
    "whoever is barred was told until when": "Measure.ends_at",
    "sent as soon as the site is back": """
    GroupChannel.claimed_until GroupChannel.due_at
    Letter.claimed_until Letter.due_at Parcel.claimed_until Parcel.due_at Telling.due_at
    """,
    "the site's own": """
    Figures.at Heartbeat.agreed_at Heartbeat.at Heartbeat.booted_at JobRun.at ProcessHeartbeat.at Salt.made_at
    """,
}
"""Why a downtime does not move these columns. Sessions, which are Django's, are moved."""


def away(time: Time) -> None:
    Heartbeat.objects.update_or_create(pk=1, defaults={"at": time.now()})
    time.down(hours=10)
    tick()
    while leagues.settle_some():
        pass


def test_leagues_go_on_and_start_later_for_as_long_as_they_had_left(api: Api, time: Time) -> None:
    season = Group(api, 3)
    League.objects.update(starts_at=time.now() + timedelta(days=1, hours=3))
    group = Group(api, 4, every_days=3, ends_days=60)
    group.start()
    before = group.league
    time.pass_(days=1)
    away(time)
    after = group.league
    assert before.ends and before.next_round_at
    assert after.ends == before.ends + AWAY
    assert after.next_round_at == before.next_round_at + AWAY
    assert season.league.status == League.Status.OPEN
    assert season.league.starts_at == time.now() + timedelta(hours=3)
    League.objects.update(ends=time.now() + timedelta(hours=3), starts_at=None)
    away(time)  # its last day passes while the site is away
    assert group.league.status == League.Status.PLAYING
    assert {one["status"] for one in group.matches()} == {"playing", "waiting"}, "none has ended"
    assert group.league.ends == time.now() + timedelta(hours=3)


def test_a_league_of_evenings_has_as_many_evenings_left(api: Api, time: Time) -> None:
    time.present = datetime(2026, 11, 20, 9, tzinfo=UTC)
    hour = {"time": "20:00", "zone": "Europe/Madrid", "days": [0, 1, 2, 3, 4, 5, 6]}
    group = Group(api, 3, ends_days=60, reveal_at=hour)
    group.start()
    League.objects.update(ends=datetime(2026, 11, 20, 23, tzinfo=UTC))  # this evening is the last one
    time.pass_(hours=9)  # 19:00 in Madrid
    away(time)
    assert group.league.ends == datetime(2026, 11, 21, 23, tzinfo=UTC)
    assert {match.due for match in Match.objects.all()} == {datetime(2026, 11, 21, 19, tzinfo=UTC)}


def test_links_forms_and_requests_work_for_as_long_as_they_had_left(table: Table, time: Time) -> None:
    letter = letters.write(Ticket.Kind.BACK, "alice@example.org", "http://testserver")
    gone = Ticket.objects.create(kind="back", secret_hash="x", expires_at=time.now() - timedelta(minutes=1))
    asked = Asking.objects.create(
        seat=table.a, guest=Guest.objects.get(name="Bob"), asked_at=time.now() - timedelta(days=6, hours=23)
    )
    KeptAnswer.objects.create(found_by="x", locked=b"")
    form = SentForm.objects.create(found_by="x", locked=b"", made_at=time.now())
    expires = Session.objects.order_by("pk").values_list("expire_date", flat=True)
    before = list(expires.all())
    away(time)
    asked.refresh_from_db()
    assert asked.stands
    assert Ticket.objects.get(pk=letter.ticket.pk).expires_at == letter.ticket.expires_at + AWAY
    assert Ticket.objects.get(pk=gone.pk).expires_at == gone.expires_at, "what had run out stays so"
    assert SentForm.objects.get(pk=form.pk).made_at == form.made_at + AWAY
    assert KeptAnswer.objects.get().made_at == time.now()
    assert list(expires.all()) == [at + AWAY for at in before]


def test_an_open_table_stays_on_the_list_for_as_long_as_it_had_left(
    alice: Browser, time: Time, settings: Any
) -> None:
    settings.OPEN_TABLES = True
    match = alice.make()
    Match.objects.filter(pk=match.pk).update(listed=True, listed_at=time.now())
    time.pass_(days=6, hours=23)
    away(time)
    assert list(listing.open_tables()) == [match]
    time.pass_(hours=2)
    assert not listing.open_tables().exists()


def test_of_each_moment_that_is_stored_it_is_decided_whether_a_downtime_moves_it() -> None:
    columns = {
        f"{model.__name__}.{field.name}"
        for model in apps.get_models()
        if model.__module__.startswith("robosite.")
        for field in model._meta.fields
        if isinstance(field, DateField)
    }
    stays = " ".join(NOT_MOVED.values()).split()
    assert sorted([*MOVED.split(), *stays]) == sorted(columns)
