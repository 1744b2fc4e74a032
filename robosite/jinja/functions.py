"""What templates can call: sentences with names, times, boards, bots, talk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from games import GAMES, newest
from games.core import Game, Order, State
from games.core import Seat as Letter
from games.players import PLAYERS, Player
from robosite.engine.prepared import Prepared
from robosite.learn.lessons import lesson_address
from robosite.lobby.opponents import are_programs
from robosite.matches import wording
from robosite.matches.history import state_of, states_of, turns_of
from robosite.matches.models import Match, Seat
from robosite.notices.models import Channel, Wishes
from robosite.notices.texts import lost_sentence
from robosite.notices.webpush import application_key
from robosite.people.current_guest import current_guest
from robosite.people.models import GuestExtra
from robosite.people.zones import zone_label
from robosite.play.decorators import absolute
from robosite.play.drawings import BOARD, is_drawn, templates_of
from robosite.play.film import Film, Step
from robosite.reviews.on_film import OnFilm, on_film
from robosite.talk import messages, stock, turn_notes
from robosite.talk.models import Message
from robosite.web.caches import BoundedCache
from robosite.web.light_files import parts_of
from robosite.web.paths import path_of
from robosite.web.sentences import render_sentence
from robosite.web.written_names import Name

MOST_DRAWN = 8_000_000
"""Characters of boards, drawn for pages of rules and lessons, that a process keeps."""

MOST_MADE = 8_000_000
"""Characters of other parts of pages, the same for everybody, that a process keeps."""

MOST_OF_MATCHES = 16_000_000
"""Characters of parts of matches' pages that a process keeps."""

# Words


@pass_context
def say(context: Context, sentence: Any) -> str:
    """A sentence as a reader sees it: translated, with names (the context's `names`) in place of seats."""
    return render_sentence(sentence, _names(context))


@pass_context
def name_of(context: Context, seat: str) -> str:
    """The name of whoever sits there."""
    return _names(context).get(seat, seat)


@pass_context
def phrase(context: Context, what: str, **facts: Any) -> str:
    """Words that hang on how the context's `game` is played (`matches/wording.py`)."""
    return wording.wording_of(context["game"]).say(what, **facts)


def _names(context: Context) -> dict[str, str]:
    return context.get("names") or {}


def moment(at: datetime, *, zoned: bool = False) -> SafeString:
    """A time in the reader's zone, which it names; with JavaScript it is written as the machine does.

    A `zoned` one names its zone then, too: something ends at that time.
    """
    here = timezone.localtime(at)
    written = '<time datetime="{}" data-time="{}">{} {}</time>'
    says = date_format(here, "j M, H:i")
    return format_html(
        written, at.isoformat(timespec="seconds"), "zoned" if zoned else "", says, zone_label(here)
    )


def open_tables_on() -> bool:
    """Tell whether this site has a list of open tables."""
    return bool(settings.OPEN_TABLES)


AGREED = ("resigned", "agreed")
"""The reasons of an end that no order brought about."""


def code(text: str) -> SafeString:
    """Markdown's `code` as HTML: the API's description speaks so, for programs too."""
    parts = enumerate(text.split("`"))
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", part) if n % 2 else part,) for n, part in parts)
    )


def grammar(text: str) -> str:
    """A grammar in EBNF, a rule a line."""
    return text.replace(" ; ", " ;\n")


def turns_played(match: Match) -> str:
    """How many turns of a match have been played, in its game's words; "" for none.

    One in which a player resigned, or all agreed, was not played.
    """
    ended = match.outcome and match.outcome.reason in AGREED
    turns = match.turn - bool(ended)
    return wording.wording_of(match.game).say("played", n=turns) if turns > 0 else ""


def available_languages() -> list[tuple[str, str]]:
    return list(settings.LANGUAGES)


def style_sheets() -> list[str]:
    """The site's own style sheets: one file, or with DEBUG its parts, which nobody has put together."""
    return parts_of("css/site.css") if settings.DEBUG else ["css/site.css"]


# What is made once


@pass_context
def kept(context: Context, owner: Any, *parts: Any, caller: Callable[[], str]) -> str:
    """`{% call kept(step, "frame") %} … {% endcall %}`: made once for a played step or turn, then said again.

    What stands between depends on the step (or the film), on names and language, on the parts that are named,
    and on nothing else.
    """
    made: dict[Any, str] | None = getattr(owner, "kept", None)
    if made is None:
        return caller()
    key = (get_language(), *_names(context).values(), *parts)
    if key not in made:
        made[key] = caller()
    return made[key]


made_once: BoundedCache[tuple[Any, ...], Markup] = BoundedCache(MOST_MADE, len)


@pass_context
def cached(context: Context, name: str, *parts: Any, caller: Callable[[], Markup]) -> Markup:
    """`{% call cached("new pigs", "rules") %} … {% endcall %}`: made once a process and language.

    What stands between is the same for everybody and at any time: it hangs on `name` and `parts` alone, which
    nobody's request makes up. Nothing is kept under the name "".
    """
    if not name:
        return caller()
    key = (get_language(), name, *parts)
    made = made_once.get(key)
    if made is None:
        made_once[key] = made = caller()
    return made


made_of_matches: BoundedCache[tuple[Any, ...], Markup] = BoundedCache(MOST_OF_MATCHES, len)


@pass_context
def of_match(context: Context, name: str, *parts: Any, caller: Callable[[], Markup]) -> Markup:
    """`{% call of_match("doings", rivals) %} … {% endcall %}`: made once for a version of the match.

    What stands between hangs on what changes the match's version, on the seat whose page it is, on names,
    language and zone, and on `parts`. Forms may stand there: the token is put in later. No draft may, nor
    anything else that changes without a version.
    """
    match: Match = context["match"]
    key = (
        get_language(),
        name,
        match.key,
        match.version,
        context["you"],
        timezone.get_current_timezone_name(),
        *_names(context).values(),
        *parts,
    )
    made = made_of_matches.get(key)
    if made is None:
        made_of_matches[key] = made = caller()
    return made


@lru_cache(16)
def _zone_options(zones: tuple[str, ...]) -> str:
    return "".join(str(format_html("<option>{}</option>", zone)) for zone in zones)


def zone_options(zones: list[str], chosen: str) -> Markup:
    """The time zones as options of a `<select>`, the chosen one marked, whether it is one of them or not."""
    plain, marked = _zone_options(tuple(zones)), format_html("<option selected>{}</option>", chosen)
    own = format_html("<option>{}</option>", chosen)
    return Markup(plain.replace(own, marked) if own in plain else marked + plain)  # noqa: S704  # escaped above


class Run(NamedTuple):
    """Items that follow each other and have something in common, the `grouper`."""

    grouper: Any
    members: list[Any]


def regrouped(items: Iterable[Any], by: str) -> list[Run]:
    """Runs of items with the same `by`, an attribute of theirs; items that have none of it are under None."""

    def of(item: Any) -> Any:
        try:
            return attrgetter(by)(item)
        except AttributeError:
            return None

    return [Run(key, list(run)) for key, run in groupby(items, of)]


# Games, boards and bots


def all_games() -> list[Game]:
    """Every game, in its newest rules."""
    return [newest(slug) for slug in GAMES]


def side_of(seat: Seat) -> str:
    """What the seat plays now, for its colour."""
    return state_of(seat.match).side(seat.at)


def is_pictured(game: Game) -> bool:
    """Whether there are pictures of this game."""
    return is_drawn(game.slug)


drawn_boards: BoundedCache[tuple[Any, ...], Markup] = BoundedCache(MOST_DRAWN, len)


def board(game: Game, position: str, *, title: str = "", **more: Any) -> Markup:
    """A drawing of the position of that text, told by `title` to a reader who does not see it.

    With a `seat`, also what comes of its (unfinished) `order`, as its planner shows it; with a `guess` of
    what all others do, the position that this leads to, and what happened on the way. `crop` is
    the part of the board to show, as a viewBox in squares, in a game whose board can be cropped.
    `seats` (2) is how many play; the rest are options. Each drawing is made once a process and language.
    """
    more = {name: _plain(value) for name, value in more.items()}
    key = (game.slug, game.rules, get_language(), str(position), str(title), *sorted(more.items()))
    drawn = drawn_boards.get(key)
    if drawn is None:
        drawn_boards[key] = drawn = _draw(game, position, title, **more)
    return drawn


def _draw(
    game: Game,
    position: str,
    title: str,
    *,
    seat: str = "",
    order: Order = "",
    guess: Order = "",
    crop: str = "",
    seats: int = 2,
    **options: Any,
) -> Markup:
    state = game.state.read(position, game.read_options(options), seats)
    others = [other for other in state.seats if other != seat]
    guesses = dict.fromkeys(others, guess) if guess else None
    return _drawn(game, state, title, seat=seat, order=order, guesses=guesses, crop=crop)


def turn_board(match: Match, turn: int, seat: Letter, order: Order, title: str) -> Markup:
    """A drawing of what `order` leads to in a turn that was played, if all others do what they did.

    Without an order, of what the seat played. For a match that is over: it shows all that was hidden.
    """
    key = (match.key, match.taken_back, turn, seat, order, title, get_language())
    drawn = drawn_boards.get(key)
    if drawn is None:
        played, state = turns_of(match)[turn], states_of(match)[turn]
        others = {other: did for other, did in played.items() if other != seat} or None
        drawn = _drawn(match.game, state, title, seat=seat, order=order or played[seat], guesses=others)
        drawn_boards[key] = drawn
    return drawn


def _drawn(
    game: Game,
    state: State,
    title: str,
    *,
    seat: str,
    order: Order,
    guesses: dict[Letter, Order] | None,
    crop: str = "",
) -> Markup:
    step = Step(0, True, {**state.drawing(), "effects": []}, [], state.words(), True)
    context: dict[str, Any] = {**BOARD, "frames": [step], "board_title": title, "picture": True, "crop": crop}
    if seat:
        plan = state.plan(Letter(seat), order, guesses)
        if plan.film:
            last = plan.film[-1]
            context["frames"] = [Step(0, True, last.drawing(), [], last.words(), True)]
        context |= {"plan": plan, "ghosts": getattr(plan, "ghosts", ())}
    return Markup(render_to_string(templates_of(game.slug)["board"], context))  # noqa: S704


def _plain(value: Any) -> Any:
    """Text of a template as the plain text that options are."""
    return "".join(value) if isinstance(value, str) else value


def bots() -> list[Player]:
    """The programs that can take a seat, strongest first."""
    return list(reversed(PLAYERS.values()))


def programs_take(match: Match) -> bool:
    """Whether people have written programs that can be invited to a match of this game."""
    return are_programs(match.game_slug)


def bot(key: str) -> Player | None:
    """The program of that name, if there is one still."""
    return PLAYERS.get(key)


# Previews


MOST_PREVIEWS = 1_000_000
"""Characters of previews that a process keeps."""
previews: BoundedCache[tuple[Any, ...], Markup] = BoundedCache(MOST_PREVIEWS, len)


@pass_context
def preview(context: Context, title: str = "", text: str = "", picture: str = "") -> Markup:
    """What a chat shows of a link, for a page's head.

    `picture` is the address of a card; without one, the site's own.
    """
    request = context.get("request")
    key = (
        get_language(),
        title,
        text,
        absolute(request, picture or path_of("site-card")) if request else "",
    )
    made = previews.get(key)
    if made is None:
        shown = {
            "title": title or _("Battle your friends’ robots, everyone in their own time"),
            "text": _(text) if text else _("Make a match, send the link, plan in secret. No account needed."),
            "picture": key[-1],
        }
        made = previews[key] = Markup(render_to_string("share/preview.html", shown))  # noqa: S704
    return made


# Notices and talk


_wishes = Prepared(lambda guest: Wishes.objects.filter(guest=guest), int)


@pass_context
def offers_notices(context: Context) -> bool:
    """Whether the reader has not chosen yet how to be notified."""
    guest = current_guest(context["request"])
    return guest is not None and _wishes.first(guest.pk) is None


@pass_context
def lost_channels(context: Context) -> list[tuple[Channel, str]]:
    """The reader's channels that were switched off since nothing arrived, each with a sentence about it."""
    guest = current_guest(context["request"])
    if guest is None or not guest.may_have(GuestExtra.NOTICES_LOST):
        return []
    lost = Channel.objects.filter(guest=guest, on=False).exclude(fault="").defer("secret")
    return [(channel, lost_sentence(channel)) for channel in lost]


def pushes_key() -> str:
    """The public key by which browsers know the site's pushes; "" where there are none."""
    return application_key() if settings.VAPID_KEY else ""


@pass_context
def wants_sound(context: Context) -> bool:
    guest = current_guest(context["request"])
    if guest is None or not guest.may_have(GuestExtra.SOUND):
        return False
    return Wishes.objects.filter(guest=guest, sound=True).exists()


@pass_context
def unread_messages(context: Context) -> int:
    """How many messages are new to the holder of the context's `seat`; 0 for a watcher."""
    seat, hold = context.get("seat"), getattr(context["request"], "hold", None)
    return messages.unread(hold, seat) if seat and hold and hold.seat_id == seat.pk else 0


@pass_context
def hears_watchers(context: Context) -> bool:
    """Whether the reader may hear what watchers say: a player may not before the end."""
    match: Match = context["match"]
    return messages.may_hear_watchers(match, current_guest(context["request"]))


def words_with(match: Match, film: Film) -> tuple[tuple[str, str], ...]:
    """The words that were sealed with the turn shown, by letter, once they are revealed."""
    return tuple(turn_notes.words_with(match, film.turn).items())


@pass_context
def review_on_film(context: Context) -> OnFilm | None:
    """What the context's film shows of the review; None until the match is over and the review is made.

    Nothing either where the film begins with turns that its reader has not seen yet.
    """
    if context["match"].status != Match.Status.OVER or context["since"]:
        return None
    asked = context["request"].GET.get("better", "")
    match, film, names = context["match"], context["film"], context["names"]
    return on_film(match, film, names, viewer=context["you"], asked=asked)


def stock_phrase(message: Message) -> str:
    return stock.phrase_text(message.phrase)


def to_whom(message: Message) -> list[str]:
    """The names of the seats that a private message was for."""
    seats: list[Any] = [one.seat for one in message.recipients.all() if one.seat_id != message.seat_id]
    return [seat.shown_name for seat in seats]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        say,
        name_of,
        phrase,
        moment,
        turns_played,
        available_languages,
        style_sheets,
        kept,
        cached,
        of_match,
        zone_options,
        open_tables_on,
        regrouped,
        all_games,
        side_of,
        is_pictured,
        board,
        turn_board,
        lesson_address,
        bots,
        bot,
        programs_take,
        preview,
        wording.imported_note,
        wording.with_note,
        offers_notices,
        lost_channels,
        pushes_key,
        wants_sound,
        unread_messages,
        hears_watchers,
        words_with,
        review_on_film,
        stock_phrase,
        to_whom,
    )
}
FILTERS: dict[str, Callable[..., Any]] = {
    "code": code,
    "grammar": grammar,
    "listed": wording.listed,
    "named": Name,
}
