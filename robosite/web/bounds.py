"""The table of rate limits and other bounds, which the setting LIMITS can change; it imports no Django.

`LIMITS=off` lifts them (for tests); `LIMITS=match=100/5, sockets=50` changes two rows: so many at once, then
so many a minute.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil


@dataclass(frozen=True, slots=True)
class Bucket:
    """A rate limit: `capacity` units at once, `a_minute` in the long run, counted in steps of 1/`parts`."""

    capacity: int
    a_minute: float
    says: str = ""
    parts: int = 1

    @property
    def seconds(self) -> int:
        """The length, in seconds, of the window in which `capacity` units may be used."""
        return ceil(60 * self.capacity / self.a_minute)


BUCKETS = {
    "cost": Bucket(30, 30, "seconds of processor time for whatever is asked, from one address", parts=1000),
    "cost/guest": Bucket(20, 20, "seconds of processor time for whatever one guest asks", parts=1000),
    "post": Bucket(1200, 1200, "whatever pages send, from one address"),
    "match": Bucket(120, 12, "matches made on pages, from one address"),
    "match/guest": Bucket(30, 2, "matches made by one guest"),
    "places": Bucket(256, 4, "places of leagues and cups that are started, from one address"),
    "import": Bucket(40, 1, "records imported, from one address"),
    "import/all": Bucket(200, 20, "records imported, all together"),
    "challenge": Bucket(60, 2, "inviting programs, from one address"),
    "review": Bucket(40, 2, "finished matches that are reviewed, from one address"),
    "bots": Bucket(240, 60, "seats for which bots play, from one address"),
    "seat": Bucket(120, 60, "sitting down by an invite, from one address"),
    "talk": Bucket(10, 10, "saying something at a table: one player, or one watcher"),
    "talk/watchers": Bucket(60, 60, "saying something as watchers, from one address"),
    "login": Bucket(8, 0.5, "trying wrong passwords of the admin, from one address"),
    "login/all": Bucket(300, 60, "trying wrong passwords of the admin, all together"),
    "login/name": Bucket(16, 2, "trying wrong passwords of one name, from one browser"),
    "code": Bucket(8, 0.5, "trying wrong codes of a second factor, from one address"),
    "code/all": Bucket(300, 60, "trying wrong codes of a second factor, all together"),
    "code/name": Bucket(10, 0.2, "trying wrong codes of one name, from one browser"),
    "phrase": Bucket(30, 1, "trying six words that nobody has, from one address"),
    "asking": Bucket(40, 1, "asking for a lost seat, from one address"),
    "asking/table": Bucket(16, 0.02, "asking for a lost seat of one table, from one address"),
    "asking/all": Bucket(300, 30, "asking for lost seats, all together"),
    "phrase/all": Bucket(300, 30, "trying six words that nobody has, all together"),
    "report": Bucket(40, 1, "reports and objections, from one address"),
    "report/all": Bucket(200, 20, "reports and objections, all together"),
    "mail": Bucket(40, 1, "asking for a mail whose link nobody uses, from one address"),
    "mail/all": Bucket(200, 20, "asking for a mail whose link nobody uses, all together"),
    "mail/to": Bucket(3, 0.05, "mails to one mailbox whose link nobody uses"),
    "test": Bucket(5, 2, "trying a channel of notices, by one guest"),
    "test/address": Bucket(60, 20, "trying channels of notices, from one address"),
    "api read": Bucket(1800, 1800, "looking: matches, records, tables, games"),
    "api write": Bucket(600, 600, "drafts, orders and whatever else changes a match"),
    "api make": Bucket(120, 30, "making matches and sitting down"),
    "api stream": Bucket(240, 120, "opening event streams"),
    "api program": Bucket(40, 1, "naming programs, from one address; new tokens, of one program"),
    "program/all": Bucket(200, 20, "naming programs, all together"),
}

MOST = {
    "streams": 200,  # open event streams of the API, per address and process
    "streams of all": 2000,  # the same, for all addresses together
    "streams of a program": 4,  # open event streams of one program, per process
    "sockets": 300,  # WebSockets of open match pages, per address and process
    "sockets of all": 10_000,  # the same, for all addresses together
    "sockets of a seat": 20,  # the same, for one guest at one seat
    "fields": 100,  # fields in a form
    "nested": 20,  # depth of nested brackets in the JSON sent to the API
    "body": 64 * 1024,  # bytes of the body of a form
    "frames": 10,  # messages that a page's socket may send at once, and a minute
}


PARTS = 4
"""The divisor for a limit of everybody together: one network may use at most a quarter of it."""
PLAYERS = 10
"""The factor by which the limit shared by all players (guests who have played) at an address is wider."""
PLAYERS_OF = {"cost": 3, "post": 3}
"""The factors that replace PLAYERS for rows that protect a machine from overload, by the row's name."""


def bucket_of(buckets: Mapping[str, Bucket], name: str) -> Bucket:
    """Returns a rate limit by name.

    “post/players” is that of all players at an address (PLAYERS_OF, PLAYERS times as wide);
    “mail/network” the part of “mail/all” for one network (1/PARTS).
    """
    if name in buckets:
        return buckets[name]
    row, _slash, kind = name.rpartition("/")
    if kind == "network":
        of_all = buckets[f"{row}/all"]
        return replace(of_all, capacity=max(of_all.capacity // PARTS, 1), a_minute=of_all.a_minute / PARTS)
    times, bucket = PLAYERS_OF.get(row, PLAYERS), buckets[row]
    return replace(bucket, capacity=times * bucket.capacity, a_minute=times * bucket.a_minute)


def parse_limits(text: str) -> tuple[dict[str, Bucket], dict[str, int]]:
    """Limits and bounds after the changes of the setting LIMITS; raises ValueError for the host."""
    buckets, most = dict(BUCKETS), dict(MOST)
    for part in [] if text in ("on", "off") else text.split(","):
        name, _, given = (word.strip() for word in part.partition("="))
        holds, slash, rate = given.partition("/")
        try:
            if name in buckets and slash and int(holds) > 0 and float(rate) > 0:
                buckets[name] = replace(buckets[name], capacity=int(holds), a_minute=float(rate))
                continue
            if name in most and not slash and int(holds) > 0:
                most[name] = int(holds)
                continue
        except ValueError:
            pass
        raise ValueError(
            f"“{part.strip()}” in LIMITS: write on, off, or rows like match=100/5 (so many at once, then so"
            f" many a minute) for one of {', '.join(buckets)}, and sockets=50 for one of {', '.join(most)}."
        )
    return buckets, most
