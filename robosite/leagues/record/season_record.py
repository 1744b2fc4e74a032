"""The part of a league's record that is about the season before, and the check of this part."""

from collections.abc import Iterator
from typing import Any

from robosite.leagues.arithmetic.pairing import MOST
from robosite.leagues.arithmetic.promotion import Came, divisions_in, sizes_of
from robosite.leagues.models import League

KEYS = {"season", "previous"}
"""The keys that only the record of a second or later season of a league has; a cup's record has none."""


def season_terms(league: League) -> dict[str, Any]:
    """Returns a record's keys `season` (a number) and `previous`; {} for a first season or a cup."""
    if not league.previous_sizes:
        return {}
    before = league.previous.key if league.previous else None
    return {
        "season": league.season,
        "previous": {"league": before, "sizes": league.previous_sizes},
    }


# The check


def recorded_divisions(data: Any, table_seats: int) -> list[list[int]]:
    if "season" not in data:
        if any("came" in place for place in data["places"]):
            raise ValueError("There is “came” in the record of a first season.")
        return divisions_in(data["nonce"], {place["place"]: None for place in data["places"]}, table_seats)
    came = {place["place"]: _came(place["came"]) for place in data["places"]}
    season, sizes = data["season"], data["previous"]["sizes"]
    if type(season) is not int or season < 2:
        raise ValueError("“season” is not the number of a second or later season.")
    if not all(type(size) is int for size in sizes) or not (
        sum(sizes) <= MOST and sorted(sizes, reverse=True) == sizes_of(sum(sizes), table_seats)
    ):
        raise ValueError("“sizes” are not those of divisions, which differ by at most one.")
    rows = [one for one in came.values() if one]
    if len(set(rows)) != len(rows) or not all(_is_in(one, sizes) for one in rows):
        raise ValueError("“came” does not name a different row of the season before for each place.")
    return divisions_in(data["nonce"], came, table_seats, sizes)


def _came(given: Any) -> Came | None:
    if given is None:
        return None
    if given.keys() != {"division", "row"} or not all(type(one) is int for one in given.values()):
        raise ValueError("“came” is not a division and a row.")
    return Came(given["division"], given["row"])


def _is_in(came: Came, sizes: list[int]) -> bool:
    return 1 <= came.division <= len(sizes) and 1 <= came.row <= sizes[came.division - 1]


def came_faults(data: Any, before: Any) -> Iterator[str]:
    """Yields a sentence for each contradiction between a league's record and the previous season's record."""
    if data["previous"]["league"] != before["league"]:
        yield "“previous” names another league than the record of the season before."
    if data["season"] != before.get("season", 1) + 1:
        yield "The season before has not the number before."
    if data["previous"]["sizes"] != [len(of_it["rows"]) for of_it in before["table"]["divisions"]]:
        yield "“sizes” are not those of the divisions of the season before."
    rows = {
        row["place"]: {"division": division, "row": number}
        for division, of_it in enumerate(before["table"]["divisions"], 1)
        for number, row in enumerate(of_it["rows"], 1)
    }
    left = {place["place"] for place in before["places"] if place["left"] is not None}
    for place in data["places"]:
        if place["came"] != rows.get(place["place"]):
            yield f"Place {place['place']}: “came” is not its row in the season before."
        elif place["place"] in left:
            yield f"Place {place['place']}: it was left in the season before, so it cannot have come from it."
