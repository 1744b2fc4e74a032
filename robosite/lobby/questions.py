"""The match-creation form, as a tree of questions: some answers lead to further questions.

The tree follows from a game's presets and options. It both draws the page and parses the form, so the page
offers only valid combinations, and no others are accepted.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, fields, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.core import Game, IllegalOption, Sentence, seat_letters
from robosite.play.drawings import pictures_of
from robosite.web.sentences import render_sentence

Given = Mapping[str, Any]
"""The values that were sent, by field name; {} for a form that nobody has filled in yet."""

MIX = "mix"
"""The value of the answer “Custom”: the creator chooses each option instead of a preset."""
HAND, LOT = "hand", "random"
FEW_VARIANTS = 2
"""The maximum number of variants shown at once; of more, all but the first are folded away."""
MOST_BUTTONS = 5
"""The maximum number of answers shown as buttons; of more, a drop-down, unless all are short or drawn."""


class NotOffered(Exception):
    """Raised for a value that is not offered, or not valid with the others; the message is for the user."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Numbers of players that another variant allows; `words` is its name."""

    numbers: tuple[int, ...]
    key: str
    words: str


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question: its value in the form, its text, its picture, and further questions.

    `says` explains it; `picture` is the ID of a symbol, or ""; `more` are the questions to which it leads.
    """

    value: str
    words: str | Sentence
    says: str = ""
    picture: str = ""
    more: tuple[Question, ...] = ()
    brief: str = ""
    """The difference from the other answers, in half a sentence; "" if `words` says it already."""
    again: str = ""
    """The query that opens the form with the preset's options, to change them; "" if this is no preset."""

    @property
    def finer(self) -> list[Question]:
        """The questions that follow this answer and leave a choice, except for the number of players."""
        return [one for one in self.more if not one.settled and not one.name.startswith("seats-")]


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the form for a new match, with its possible answers; a field of the form.

    `name` is the field of the form, and `chosen` the value that is selected at first.
    """

    name: str
    title: str
    answers: tuple[Answer, ...]
    chosen: str
    spot: Any = None
    """The spot of the game's board that the question is about; None if it is about none."""
    elsewhere: tuple[Elsewhere, ...] = ()
    """For the first preset's number of players: the numbers for which another preset is needed."""

    @property
    def folds(self) -> bool:
        """Returns True if the page shows only the first variant until the reader asks for the others."""
        return self.name == "preset" and len(self.answers) > FEW_VARIANTS

    @property
    def folded(self) -> tuple[Answer, ...]:
        return self.answers[1:] if self.folds else ()

    @property
    def is_usual(self) -> bool:
        return self.chosen == self.answers[0].value

    @property
    def settled(self) -> bool:
        """Returns True if the question leaves no choice, since there is only one answer."""
        return len(self.answers) == 1

    @property
    def short(self) -> bool:
        """Returns True if all answers have at most two characters, and so fit in one row."""
        return all(len(str(answer.words)) < 3 for answer in self.answers)

    @property
    def long(self) -> bool:
        """Returns True if the page shows a drop-down: for players, or for too many answers that are texts."""
        if self.name.startswith("seats-"):
            return True
        if self.short or len(self.answers) <= MOST_BUTTONS:
            return False
        return not any(answer.more or answer.picture for answer in self.answers)

    @property
    def answer(self) -> Answer:
        return next(answer for answer in self.answers if answer.value == self.chosen)


def all_answers(question: Question) -> Iterator[Answer]:
    for answer in question.answers:
        yield answer
        for more in answer.more:
            yield from all_answers(more)


def ask(name: str, title: str, answers: list[Answer], *, given: Given, default: str = "") -> Question:
    """Makes a question in which the answer from the form or link (`given`) is selected."""
    values = [answer.value for answer in answers]
    sent = _sent(name, given)
    chosen = sent if sent in values else default if default in values else values[0]
    return Question(name, title, tuple(answers), chosen)


def _sent(name: str, given: Given) -> str:
    """The value that a form or link (`given`) has for the question `name`; "" if there is none."""
    kind, _, rest = name.partition("-")
    plain = {"seats": "seats", "option": f"option-{rest.partition('-')[0]}"}.get(kind, name)
    return str(given.get(name) or given.get(plain) or "")


def variants(game: Game, given: Given) -> Question:
    """The first question, about the game's variant: its presets, and the creator's own mix of options."""
    given = _led_on(game, given)
    answers = [_preset(game, key, given) for key in game.presets]
    if any(len(f.metadata["values"]) > 1 for f in fields(game.options)):
        own, says = _("Custom"), _("Custom: pick every option.")
        brief = _("pick every option")
        answers.append(Answer(MIX, own, says, more=tuple(_mix(game, given)), brief=brief))
    return ask("preset", _("Variant"), answers, given=given)


def _preset(game: Game, key: str, given: Given) -> Answer:
    preset = game.presets[key]
    options = game.read_options(preset.options)
    seats = _seats_of(game, key)
    elsewhere = tuple(_elsewhere(game)) if key == next(iter(game.presets)) else ()
    more = [
        replace(_seats(f"seats-{key}", seats, given, preset.usual), elsewhere=elsewhere),
        *_places(game, options, seats, key=key, given=given),
    ]
    more += _wishes(game, options, key, given)
    again = "&".join([f"preset={MIX}", *(f"option-{n}={_text(v)}" for n, v in preset.options.items())])
    return Answer(
        key,
        words=_(preset.name),
        says=_(preset.says),
        picture=_picture(game, f"preset-{game.slug}-{key}", *_symbols(game, preset.options)),
        more=tuple(more),
        brief=_(preset.brief) if preset.brief else "",
        again=f"?{again}#mix",
    )


def _elsewhere(game: Game) -> Iterator[Elsewhere]:
    first, *others = game.presets
    known = set(_seats_of(game, first))
    for key in others:
        if missing := tuple(number for number in _seats_of(game, key) if number not in known):
            yield Elsewhere(missing, key, _(game.presets[key].name))
            known.update(missing)


def _led_on(game: Game, given: Given) -> Given:
    """The values of the form; a number that the first preset lacks leads to the preset that has it."""
    first = next(iter(game.presets))
    key, _, number = str(given.get(f"seats-{first}") or "").rpartition("-")
    if key not in game.presets or str(given.get("preset") or first) != first:
        return given
    return ChainMap({"preset": key, f"seats-{key}": number, f"seats-{first}": ""}, dict(given.items()))


def _seats_of(game: Game, key: str) -> range:
    preset = game.presets[key]
    allowed = game.seats(game.read_options(preset.options))
    return range(max(allowed[0], preset.seats[0]), min(allowed[-1], preset.seats[-1]) + 1)


def _mix(game: Game, given: Given) -> Iterator[Question]:
    """Yields the questions for the creator's own mix: options, number of players, creator's seat."""
    for f in fields(game.options):
        if not f.metadata["under"] and len(f.metadata["values"]) > 1:
            yield _option(game, f, {}, given)
    plain = game.read_options({})
    if not _deciding(game):
        yield _seats(f"seats-{MIX}", game.seats(plain), given)
    if not _placing(game):
        yield from _places(game, plain, game.seats(plain), key=MIX, given=given)


def _option(game: Game, f: Field[Any], above: Mapping[str, Any], given: Given) -> Question:
    answers = []
    for value in f.metadata["values"]:
        chosen = {**above, f.name: value}
        options, text = game.read_options(chosen), _text(value)
        more = [
            _option(game, one, chosen, given)
            for one in fields(game.options)
            if one.metadata["under"] == f.name and len(one.metadata["values"]) > 1
        ]
        if f.name in _deciding(game)[-1:]:
            more.append(_seats(f"seats-{MIX}-{text}", game.seats(options), given))
        if f.name in _placing(game)[-1:]:
            more += _places(game, options, game.seats(options), key=f"{MIX}-{text}", given=given)
        if _first_with_wishes(game, f.name):
            more += _wishes(game, options, f"{MIX}-{text}", given)
        words = game.say_option(f.name, options)
        symbols = _symbols(game, {f.name: value})
        own = "-".join([*symbols, *map(_text, above.values())])
        answers.append(Answer(text, words, picture=_picture(game, own, *symbols), more=tuple(more)))
    name = "-".join(["option", f.name, *map(_text, above.values())])
    title = f.metadata["name"] or f.metadata["says"] or f.name
    return ask(name, _(title), answers, given=given, default=_text(f.default))


def _deciding(game: Game) -> list[str]:
    return [
        f.name
        for f in fields(game.options)
        if len({game.seats(game.read_options({f.name: value})) for value in f.metadata["values"]}) > 1
    ]


def _placing(game: Game) -> list[str]:
    """The names of the options that decide the number of players or, without such options, the roles."""
    return _deciding(game) or [f.name for f in fields(game.options) if len(_beginnings(game, f.name)) > 1]


def _beginnings(game: Game, name: str) -> set[tuple[str, ...]]:
    """The different roles of the seats in the smallest match (`Game.begins`), by values of an option."""
    found = set()
    for value in next(f.metadata["values"] for f in fields(game.options) if f.name == name):
        options = game.read_options({name: value})
        seats = game.seats(options)[0]
        found.add(tuple(str(game.begins(options, seats, letter)) for letter in seat_letters(seats)))
    return found


def _first_with_wishes(game: Game, name: str) -> bool:
    """Returns True if a value of this option, but not the default, lets creators set parts of the setup."""
    return not game.wishes(game.read_options({})) and any(
        game.wishes(game.read_options({name: value}))
        for f in fields(game.options)
        if f.name == name
        for value in f.metadata["values"]
    )


def _seats(name: str, seats: range, given: Given, usual: int = 0) -> Question:
    answers = [Answer(str(n), str(n)) for n in seats]
    return ask(name, _("Players"), answers, given=given, default=str(usual))


def _places(game: Game, options: Any, seats: range, *, key: str, given: Given) -> Iterator[Question]:
    """Yields the question for the creator's seat, if each seat of the smallest match has a role."""
    letters = seat_letters(seats[0])
    says = {letter: game.begins(options, seats[0], letter) for letter in letters}
    if all(says.values()):
        answers = [Answer(str(letter), words) for letter, words in says.items() if words]
        yield ask(f"at-{key}", _("Your seat"), [*answers, Answer(LOT, _("Random."))], given=given)


def _wishes(game: Game, options: Any, key: str, given: Given) -> Iterator[Question]:
    """Yields the question whether the creator sets parts of the setup by hand or leaves them to chance."""
    wishes = game.wishes(options)
    if wishes:
        by_hand = [
            replace(
                ask(
                    f"wish-{key}-{wish.key}",
                    render_sentence(wish.says),
                    [Answer(value, words) for value, words in wish.answers.items()],
                    given=given,
                ),
                spot=wish.spot,
            )
            for wish in wishes
        ]
        answers = [Answer(LOT, _("Random.")), Answer(HAND, _("Set by hand."), more=tuple(by_hand))]
        yield ask(f"wish-{key}", _("Directions"), answers, given=given)


def _picture(game: Game, *symbols: str) -> str:
    """The first of these symbols for which the game has a drawing; "" if there is no such symbol."""
    return next((symbol for symbol in symbols if symbol in pictures_of(game.slug)), "")


def _symbols(game: Game, options: Mapping[str, Any]) -> list[str]:
    return [f"option-{game.slug}-{name}-{_text(value)}" for name, value in options.items()]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# Parsing the form


@dataclass(slots=True)
class Chosen:
    """The creator's choices for a new match, as `flow.create` needs them.

    `at` is the creator's seat, or LOT; `wish` has parts of the setup, {} if all are left to chance.
    """

    options: Any
    seats: int
    at: str
    wish: dict[str, Any]


def parse_choices(game: Game, given: Given) -> Chosen:
    """Parses the choices that a form sent; raises NotOffered for those that it does not offer."""
    given = _led_on(game, given)
    answers = dict(_answers(variants(game, given), given))
    preset = answers["preset"]
    if preset == MIX:
        texts = {
            f.name: {_text(value): value for value in f.metadata["values"]} for f in fields(game.options)
        }
        sent = {field.split("-")[1]: text for field, text in answers.items() if field.startswith("option-")}
        wanted = {name: texts[name][text] for name, text in sent.items()}
    else:
        wanted = {**game.presets[preset].options}
    try:
        options = game.read_options(wanted)
        seats = int(next(value for name, value in answers.items() if name.startswith("seats-")))
        game.check_seats(options, seats)
    except IllegalOption as fault:
        raise NotOffered(render_sentence(fault.sentence)) from None
    at = next((value for name, value in answers.items() if name.startswith("at-")), "A")
    return Chosen(options, seats, at, _wish(game, options, answers))


def _answers(question: Question, given: Given) -> Iterator[tuple[str, str]]:
    """Yields the name and answer of a question, and of those to which it leads; raises NotOffered."""
    _check(question, given)
    yield question.name, question.chosen
    for more in question.answer.more:
        yield from _answers(more, given)


def _check(question: Question, given: Given) -> None:
    sent = _sent(question.name, given)
    if not sent or sent == question.chosen:
        return
    if question.name.startswith("seats-"):
        least, most = question.answers[0].value, question.answers[-1].value
        few = ngettext("This is for {n} player.", "This is for {n} players.", int(least)).format(n=least)
        many = _("This is for {least} to {most} players.").format(least=least, most=most)
        raise NotOffered(few if question.settled else many)
    if question.name == "preset":
        raise NotOffered(_("This game has no such variant."))
    raise NotOffered(_("“{title}” has no such answer.").format(title=question.title))


def _wish(game: Game, options: Any, answers: Mapping[str, str]) -> dict[str, Any]:
    field = next(
        (name for name, value in answers.items() if name.startswith("wish-") and value == HAND), None
    )
    if field is None:
        return {}
    by_hand = {wish.key: answers[f"{field}-{wish.key}"] for wish in game.wishes(options)}
    return game.wish(options, by_hand)
