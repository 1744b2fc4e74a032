"""A process that sends notices hangs in the middle of sending one; another takes over when the lease ends."""

from __future__ import annotations

from collections import Counter

from tests.faults import programs
from tests.faults.drills import work
from tests.faults.drills.services import wait_until
from tests.faults.drills.site import Site, frozen


def drill(site: Site) -> list[str]:
    """The first of two senders hangs while the mail server has its mail and has not answered."""
    assert site.mailbox
    box, (first, second) = site.mailbox, site.clocks
    plain, held = site.tables.pop(), site.tables.pop()
    before = len(box.mails)
    end(site, plain)
    wait_until(lambda: len(box.mails) == before + 1 and waiting(site) == 0)  # and noted by who has sent it
    box.hold.clear()
    with frozen(second):
        end(site, held)
        wait_until(lambda: len(box.mails) == before + 2)
        first_sent = frozen(first)
        first_sent.__enter__()
    try:
        box.hold.set()
        took = wait_until(lambda: len(box.mails) == before + 3, 60)
    finally:
        first_sent.__exit__(None, None, None)
    wait_until(lambda: waiting(site) == 0)
    sent = Counter(str(mail["Message-ID"]) for mail in box.mails[before:])
    assert sorted(sent.values()) == [1, 2], sent
    return [
        f"a sender hangs with a mail half sent: another sent it again after {took:.1f} s, with its number,",
        "and nobody a third time; what did not hang was sent once",
    ]


def end(site: Site, match: programs.Match) -> None:
    with programs.Site(site.urls[0]) as client:
        assert client.ask("POST", f"matches/{match.key}/resign", {}, match.tokens["A"]).status_code == 200


def waiting(site: Site) -> int:
    """The number of notices that should have gone by now."""
    late = f"state = 'waits' AND due_at <= {work.moment(site, 0)}"
    return int(site.ask(f"SELECT count(*) FROM notices_parcel WHERE {late}")[0][0])
