"""The formats: a league of matches for two, one of larger matches, a cup. Each answers where they differ."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from robosite.leagues.arithmetic import bracket, pairing
from robosite.leagues.arithmetic.bracket import CupMatch, Stage
from robosite.leagues.arithmetic.promotion import divisions_in
from robosite.leagues.arithmetic.table import Left, left_as, withdrawn_of
from robosite.leagues.arithmetic.table_data import cup_table, table_data


class RefusedTerm(NamedTuple):
    """A term that a league cannot have: its name in the API, and a sentence that says why."""

    term: str
    says: str


def cup_match(fixture: Any, places: Mapping[int, Any]) -> CupMatch:
    """Returns the cup match that a fixture stores; `places` maps primary keys to the participants' places."""
    before, stage = divmod(fixture.round - 1, len(Stage))
    a, b = (places[pk].number for pk in fixture.seats.values())
    return CupMatch(before + 1, fixture.division, Stage(stage + 1), (a, b))


class Format:
    """A league in which two meet in each match; `standings` is the league with its places and results."""

    knocks_out = False
    """A flag: True if a loser is out, so that later matches follow from results."""
    has_seasons = True
    """A flag: True if players may say that they play in one season only."""
    draws_grid = True
    """A flag: True if the page shows who has met whom as a grid."""
    terms = "leagues/_terms.html"
    board = "leagues/_grid.html"

    figures = _("Tie-breaks")
    numbered = _("{league}, season {n}")
    too_few = gettext_noop("A league needs at least {n} players. Send the link to more people.")
    none_follows = gettext_noop("A moderator has closed this league, so it has no next season.")
    not_over = gettext_noop("The next season can be announced once this one is over.")
    name = _("League")
    usual_title = _("{game} league")
    too_many_names = _("A league has at most {n} spots.")
    make = _("Create league")
    organise = _("Organise a league")
    rules = _("League rules")
    to_page = _("Go to the league")
    talk = _("League chat")
    join = _("Join the league")
    invited = _("You’re invited to the league “%(name)s”")
    invites = _("%(who)s invites you to the league “%(name)s”")
    begun = _("The league has begun")
    closed = _("A moderator has closed this league.")
    over = _("The league is over.")
    won_by = _("The league is over: {name} came first")
    nobody_won = over
    announced = _("Season {n} is announced")
    asked = _("Season {n} of “{league}”: in or out?")
    before = _("Season %(n)s")
    following = _("Go to season %(n)s")
    another = _("New season")
    leave = _("Leave the league")
    leaving = _(
        "You resign all your unfinished matches. If you have finished fewer than half of your "
        "matches, none of them counts for anyone."
    )
    removing = _(
        "A removed player resigns all unfinished matches. If they have finished fewer than half of "
        "their matches, none of their results counts for anyone. This can’t be undone."
    )
    removing_as_player = _(
        "You play too, so removing someone brings you no points: your unfinished match with that "
        "player counts for no one."
    )

    def least_places(self, table_seats: int) -> int:
        return pairing.fewest_places(table_seats)

    def rounds(self, places: int) -> int:
        """Returns how many rounds of matches follow each other, if all play who can."""
        return 1

    def refused(self, terms: Any) -> Iterator[RefusedTerm]:
        """Yields the terms (`terms.py: Terms`) that this format does not allow."""
        return iter(())

    def in_order(self, fixtures: Iterable[Any]) -> list[Any]:
        return list(fixtures)

    def position(self, standings: Any, at: int) -> dict[str, Any]:
        """Returns the position of the fixture at index `at` in the schedule, keyed as in the record."""
        return {"division": standings.fixtures[at].division, "round": standings.fixtures[at].round}

    def divisions(self, standings: Any) -> list[list[int]]:
        """Returns the divisions: place numbers, in the order drawn by lot."""
        league, came = standings.league, {place.number: place.came for place in standings.places}
        return divisions_in(league.nonce, came, league.table_seats, league.previous_sizes or ())

    def meetings(self, league: Any, players: int) -> Any:
        """Returns how often this number of players would meet each other; None in a cup."""
        return pairing.meetings(players, league.table_seats, league.legs)

    def withdrawn(self, standings: Any) -> set[int]:
        """Returns the place numbers of those who left so early that none of their results count."""
        places = [place.number for place in standings.places]
        return withdrawn_of(places, standings.results, standings.left_numbers)

    def left(self, standings: Any, number: int) -> Left:
        """Returns how the results of a participant who left after the start are treated."""
        return left_as(number, standings.results)

    def facts(self, standings: Any) -> Any:
        """Returns what the table depends on beside divisions, results and names."""
        return None

    def table(self, standings: Any, names: Mapping[int, str], fixed: Mapping[int, float]) -> dict[str, Any]:
        """Returns the table (`table_data.py`), with these names and fixed strengths by place number."""
        left: Collection[int] = standings.left_numbers
        return table_data(standings.divisions, standings.results, left, names, fixed=fixed)


class OfTables(Format):
    """A league whose matches have more than two seats."""

    draws_grid = False
    board = "leagues/_tables.html"
    leaving = _(
        "You resign all your unfinished matches; the others play on. If you have finished fewer than "
        "half of your matches, you drop out of the standings."
    )
    removing = _(
        "A removed player resigns all unfinished matches; the others play on. If they have finished "
        "fewer than half of their matches, they drop out of the standings. This can’t be undone."
    )
    removing_as_player = _(
        "You play too, so removing someone brings you no points: in every match you share with that "
        "player, you resign as well."
    )


class Cup(Format):
    knocks_out = True
    has_seasons = False
    draws_grid = False
    terms = "leagues/_cup_terms.html"
    board = "leagues/_cup.html"

    figures = _("Ranks")
    numbered = _("{cup}, no. {n}")
    too_few = gettext_noop("A cup needs at least {n} players. Send the link to more people.")
    none_follows = gettext_noop("A moderator has closed this cup, so there is no next one.")
    not_over = gettext_noop("The next cup can be announced once this one is over.")
    name = _("Cup")
    usual_title = _("{game} cup")
    too_many_names = _("This cup has {n} spots.")
    make = _("Create cup")
    organise = _("Organise a cup")
    rules = _("Cup rules")
    to_page = _("Go to the cup")
    talk = _("Cup chat")
    join = _("Join the cup")
    invited = _("You’re invited to the cup “%(name)s”")
    invites = _("%(who)s invites you to the cup “%(name)s”")
    begun = _("The cup has begun")
    closed = _("A moderator has closed this cup.")
    over = _("The cup is over.")
    won_by = _("The cup is over: {name} won it.")
    nobody_won = _("The cup is over: no one won it.")
    announced = _("The next cup is announced")
    asked = _("The next cup “{cup}”: in or out?")
    before = _("Previous cup")
    following = _("Next cup")
    another = _("New cup")
    leave = _("Leave the cup")
    leaving = _("Then you’re out of the cup, and your opponent goes through.")
    removing = _("A removed player is out of the cup, and their opponent goes through. This can’t be undone.")
    removing_as_player = _("You can’t remove someone you may meet next.")

    def least_places(self, table_seats: int) -> int:
        return bracket.LEAST

    def rounds(self, places: int) -> int:
        return bracket.rounds_for(places)

    def refused(self, terms: Any) -> Iterator[RefusedTerm]:
        least, most = bracket.LEAST, bracket.MOST
        if not least <= terms.places <= most:
            why = gettext("A cup has {least} to {most} spots.").format(least=least, most=most)
            yield RefusedTerm("places", why)
        if terms.table_seats != 2:
            why = gettext("Cup matches are for two players. Choose two, or a league.")
            yield RefusedTerm("table_seats", why)
        if terms.legs != 1:
            why = gettext(
                "In a cup, each pair plays two matches with sides swapped: leave the return matches out."
            )
            yield RefusedTerm("legs", why)
        if terms.every_days:
            why = gettext(
                "A cup needs no dates: each match starts once both players are known. Leave the dates out."
            )
            yield RefusedTerm("every_days", why)
        if terms.game.is_drawish(terms.options, terms.table_seats):
            why = gettext(
                "Most of these matches end in a draw, which decides nothing in a cup. Choose another variant."
            )
            yield RefusedTerm("preset", why)

    def in_order(self, fixtures: Iterable[Any]) -> list[Any]:
        return sorted(
            fixtures, key=lambda row: ((row.round - 1) // len(Stage), row.division, row.round, row.pk)
        )

    def position(self, standings: Any, at: int) -> dict[str, Any]:
        match = standings.cup_matches[at]
        return {"round": match.round, "tie": match.tie, "stage": match.stage.name.lower()}

    def divisions(self, standings: Any) -> list[list[int]]:
        return [list(standings.bracket.seeds)]

    def meetings(self, league: Any, players: int) -> None:
        return None

    def withdrawn(self, standings: Any) -> set[int]:
        return set()

    def left(self, standings: Any, number: int) -> Left:
        return Left.DEFAULTED

    def facts(self, standings: Any) -> Any:
        return standings.league.nonce, standings.cup_matches

    def table(self, standings: Any, names: Mapping[int, str], fixed: Mapping[int, float]) -> dict[str, Any]:
        return cup_table(standings.bracket, standings.results, names, fixed=fixed)


LEAGUE, TABLES, CUP = Format(), OfTables(), Cup()


def format_of(key: str, table_seats: int = 2) -> Format:
    """Returns the format of a league by its column `format` and its number of seats in a match."""
    if key == "cup":
        return CUP
    return LEAGUE if table_seats == 2 else TABLES
