"""Template functions for boards, sentences of films, reactions, bots and programs."""

from functools import partial
from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_noop as _
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from games.core import Game, Order, Sentence
from games.core import Seat as Letter
from games.players import PLAYERS, Player
from robosite.jinja.functions import kept, names_of, say
from robosite.matches.flow.signs import REACTIONS, reactions_of
from robosite.matches.models import Match
from robosite.play.drawings import BOARD, is_drawn, templates_of
from robosite.play.film import Step
from robosite.play.opponents import are_programs
from robosite.web.caches import once_made
from robosite.web.sentences import render_sentence

LEAVING = {
    ("{by} resigns.", "by"): _("You resign."),
    ("{by} ran out of time.", "by"): _("You ran out of time."),
    ("{by} ran out of time: a bot played.", "by"): _("You ran out of time: a bot played."),
    ("{by} ran out of time: the draft or a bot played.", "by"): (
        _("You ran out of time: your draft or a bot played.")
    ),
    ("{by} ran out of time, and {other} claimed the win.", "by"): (
        _("You ran out of time, and {other} claimed the win.")
    ),
    ("{by} ran out of time, and {other} claimed the win.", "other"): (
        _("{by} ran out of time, and you claimed the win.")
    ),
    ("{by} ran out of time, and {other} went on without them.", "by"): (
        _("You ran out of time, and {other} went on without you.")
    ),
    ("{by} ran out of time, and {other} went on without them.", "other"): (
        _("{by} ran out of time, and you went on without them.")
    ),
}
"""The second-person forms, by template and the reader's placeholder, that any game may need.

Those of all other sentences are the game's (`Game.second_person`).
"""


def to_reader(game: Game, sentence: Any, own: str | None) -> Any:
    """Puts a sentence about the seat `own`, and sentences in it, into the second person where it has one."""
    if not own or not isinstance(sentence, Sentence):
        return sentence
    template = sentence.template
    facts = {name: to_reader(game, fact, own) for name, fact in sentence.facts.items()}
    for name, fact in facts.items():
        if isinstance(fact, Letter) and fact == own:
            words = LEAVING.get((template, name)) or game.second_person.get((template, name))
            if words:
                template = words
                break
    return Sentence(template, **facts)


@pass_context
def reader(context: Context) -> str | None:
    """The letter of the seat addressed as “you” on the page; None for watchers and on shared devices."""
    own: str | None = context.get("you")
    return None if context.get("shared_device") else own


@pass_context
def tell(context: Context, sentence: Any) -> str:
    """The translated text of a sentence about a turn, with “you” for the player who reads the page."""
    return render_sentence(to_reader(context["game"], sentence, reader(context)), names_of(context))


@pass_context
def squares_said(context: Context, steps: list[Step]) -> str:
    """The pieces on the squares in each step, for grid.js: `your ball=d2␟your big robot=a1 d1␞…`."""
    own = reader(context)
    return "␞".join(
        kept(context, step, "squares", own, caller=partial(_squares_said, context, step)) for step in steps
    )


def _squares_said(context: Context, step: Step) -> str:
    found: dict[str, list[str]] = {}
    for square, says in (step.view.on_squares() if step.view else {}).items():
        found.setdefault(tell(context, says), []).append(square)
    return "␟".join(f"{says}={' '.join(squares)}" for says, squares in found.items())


@pass_context
def bounds_said(context: Context, step: Step) -> str:
    """The bounds of the squares of a board, for grid.js: `red line to {to}=d3-d4 d4-d3`, ␟ between kinds."""
    bounds = step.view.bounds() if step.view else []
    return "␟".join(f"{say(context, says)}={' '.join(edges)}" for says, edges in bounds)


def is_pictured(game: Game) -> bool:
    return is_drawn(game.slug)


def board(game: Game, position: str, *, title: str = "", **more: Any) -> Markup:
    """Draws the position that `position` describes in text; `title` describes it for screen readers."""
    more = {name: _plain(value) for name, value in more.items()}
    key = ("board", game.slug, game.rules, get_language(), str(position), str(title), *sorted(more.items()))
    return once_made(key, partial(_draw, game, position, title, **more))


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
    frames = [Step.still(state)]
    context: dict[str, Any] = {**BOARD, "frames": frames, "board_title": title, "picture": True, "crop": crop}
    if seat:
        plan = state.plan(Letter(seat), order, guesses)
        if plan.film:
            last = plan.film[-1]
            context["frames"] = [Step(0, True, last.drawing(), [], last.words())]
        context |= {"plan": plan, "ghosts": getattr(plan, "ghosts", ())}
    return Markup(render_to_string(templates_of(game.slug)["board"], context))  # noqa: S704


def _plain(value: Any) -> Any:
    return "".join(value) if isinstance(value, str) else value


def reacted(match: Match, number: int) -> dict[int, dict[str, list[str]]]:
    """The reactions to a turn (`number` counts from 1): for each step, the seats' letters by sign."""
    found: dict[int, dict[str, list[str]]] = {}
    for _turn, step, letter, sign in reactions_of(match, number - 1):
        found.setdefault(step, {}).setdefault(sign, []).append(letter)
    return found


def signs() -> dict[str, str]:
    """The names of the signs with which players react, in the reader's language."""
    return {sign: gettext(name) for sign, name in REACTIONS.items()}


def bots() -> list[Player]:
    """The kinds of bots that the site offers, strongest first."""
    return list(reversed(PLAYERS.values()))


def bot(key: str) -> Player | None:
    return PLAYERS.get(key)


def programs_take(match: Match) -> bool:
    """Returns True if at least one program of the API accepts invitations to matches of this match's game."""
    return are_programs(match.game_slug)
