"""The API's calls of named programs: getting a name and a token, reading and changing the program's data."""

from typing import Annotated, Any, Literal, Self

from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.validators import URLValidator
from django.db.models import Case, Count, IntegerField, Q, Value, When
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _
from pydantic import AfterValidator, BaseModel, Field, model_validator

from robosite.api import challenges, programs
from robosite.api.calls import call
from robosite.api.checks import MOST_HOURS, no_match
from robosite.api.models import NamedProgram
from robosite.api.problems import Problem, at_field
from robosite.api.program_stream import ProgramStream, streams
from robosite.api.proposals import kinds_to_answer, rematches_for
from robosite.api.schemas import Body, FreeMatch, Letter, ProposalKind, Shown, ShownOnce
from robosite.api.serializers import moment, see_free_match
from robosite.api.stream import event_stream
from robosite.matches.models import Match, Seat, held_by
from robosite.matches.records import Ready
from robosite.matches.time import timekeeping
from robosite.people.current_guest import forget
from robosite.people.personal_data import export
from robosite.people.restrictions import Action, note_action
from robosite.play.waiting import with_waits
from robosite.web import limits
from robosite.web.http import split_url, time_of


def _line(text: str) -> str:
    if not text.isprintable():
        raise ValueError(_("Please write one line, without invisible characters."))
    return text.strip()


def _web(text: str) -> str:
    """Returns `text` if it is "" or an http(s) URL in visible ASCII with no user; else raises ValueError."""
    try:
        URLValidator(schemes=["https", "http"])(text) if text else None
    except DjangoValidationError:
        raise ValueError(_("This must be an address that begins with https://.")) from None
    if not (text.isascii() and text.isprintable() and "\\" not in text):
        problem = _(
            "Write the address in ASCII, as browsers copy it: other characters as %C3%BC, names as xn--…."
        )
        raise ValueError(problem)
    if "@" in split_url(text).netloc:
        raise ValueError(_("The address must not contain a user name or password."))
    return text


About = Annotated[str, Field(max_length=300), AfterValidator(_line)]


Url = Annotated[str, Field(max_length=200), AfterValidator(_web)]


class NewProgram(Body):
    name: str = Field(examples=["Clockwork"], description="24 letters at most, unlike any other program's.")
    about: About = Field("", description="What it is, in a line.")
    url: Url = Field("", description="Where there is more about it.")


Hours = Annotated[float, Field(ge=0, le=MOST_HOURS)]


TAKES = "The games to which people may invite it, by `slug`; `pigs/standard` is a game's preset alone."


class Pace(Body):
    """The minimum and the maximum hours for a turn in matches to which people may invite the program."""

    least_hours: Hours | None = Field(None, description="At least so many hours; any if null.")
    most_hours: Hours | None = Field(
        None, description="At most so many, and not without a deadline; any if null."
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.least_hours and self.most_hours and self.least_hours > self.most_hours:
            raise ValueError(_("`least_hours` may not be more than `most_hours`."))
        return self


class AboutMe(Body):
    about: About | None = Field(None, description="What it is, in a line.")
    url: Url | None = Field(None, description="Where there is more about it.")
    takes: list[str] | None = Field(None, description=TAKES)
    pace: Pace | None = Field(None, description="Which replaces both of its numbers.")


class ProgramsQuery(BaseModel):
    game: str | None = Field(None, description="Only those that accept this game or a preset of it.")
    after: int | None = Field(None, ge=0, lt=2**63, description="`next` of the page before.")


class MineQuery(BaseModel):
    status: Literal["waiting", "playing", "open", "over"] | None = None
    after: str | None = Field(None, description="`next` of the page before.")


class NamedAs(Shown):
    name: str
    token: ShownOnce


class Me(Shown):
    name: str
    about: str
    url: str
    takes: list[str] = Field(description=TAKES)
    pace: Pace
    made_at: str
    matches: dict[str, int] = Field(description="How many are `waiting`, `playing`, `open` and `over`.")


class Invitable(Shown):
    """A program that people may invite by its name."""

    name: str
    about: str
    url: str
    takes: list[str] = Field(description=TAKES)
    pace: Pace


class ProgramList(Shown):
    programs: list[Invitable]
    next: int | None = Field(description="The cursor of the next page, or null.")


class Challenge(FreeMatch):
    """A match to which the program is invited."""

    made_at: str


class ChallengeList(Shown):
    challenges: list[Challenge]


class MyMatch(Shown):
    """A match in which the program has a seat."""

    match: str
    game: str
    status: Literal["open", "playing", "over", "aborted"]
    seat: Letter
    version: int
    turn: int
    waits: bool = Field(description="Whether it waits for this program's order.")
    deadline: str | None
    proposals: list[ProposalKind] = Field(
        description="What others propose and the program has not answered; the match says more."
    )
    rematch: str | None = Field(description="The key of a rematch in which a seat is kept for the program.")


class Mine(Shown):
    matches: list[MyMatch]
    next: str | None = Field(description="The cursor of the next page, or null.")


PAGE = 50
RANKS = {"waiting": 0, "playing": 1, "open": 2, "over": 3}
"""The order in which a program's matches are listed: first those that await its order (`waiting`)."""


@call("POST", "programs", status=201, limit="program", action=Action.PLAY, conflicts=False)
def name_program(request: HttpRequest, body: NewProgram) -> NamedAs:
    """Registers a program under a name, and returns its token."""
    limits.take(*limits.of_all("program", limits.address(request)))
    program, token = programs.register(body.name, body.about, body.url)
    request._guest = program.guest  # type: ignore[attr-defined]
    note_action(request)
    return NamedAs(name=program.guest.name, token=token)


@call("POST", "programs/token", limit="program")
def new_token(program: NamedProgram) -> NamedAs:
    """Makes a new token for the program; the old one works until the new one is first used."""
    return NamedAs(name=program.guest.name, token=programs.new_token(program))


@call("GET", "me")
def me(program: NamedProgram) -> Me:
    """Returns the data of the program to which the token belongs."""
    counts = dict(_listed(program, None).order_by().values_list("rank").annotate(n=Count("pk")))
    return Me.of(
        program,
        name=program.guest.name,
        takes=program.games,
        pace=_pace(program),
        made_at=moment(program.made_at),
        matches={status: counts.get(rank, 0) for status, rank in RANKS.items()},
    )


@call("PUT", "me")
def change_me(program: NamedProgram, body: AboutMe) -> Me:
    """Changes the program's data; fields that are left out or null stay unchanged."""
    program.about = program.about if body.about is None else body.about
    program.url = program.url if body.url is None else body.url
    if body.takes is not None:
        for one in challenges.unknown_entries(body.takes):
            raise at_field("/takes", _("There is no game or variant “{game}”."), game=one)
        program.takes = f" {' '.join(dict.fromkeys(body.takes))} " if body.takes else ""
    if body.pace is not None:
        program.least_hours, program.most_hours = body.pace.least_hours, body.pace.most_hours
    columns = ("about", "url", "takes", "least_hours", "most_hours")
    NamedProgram.objects.filter(pk=program.pk).update(**{name: getattr(program, name) for name in columns})
    return me(program)


@call("GET", "programs")
def invitable(query: ProgramsQuery) -> ProgramList:
    """Returns the programs that people may invite by name, newest first."""
    rows = challenges.accepting(query.game or "")
    if query.after is not None:
        rows = rows.filter(pk__lt=query.after)
    page = list(rows[: PAGE + 1])
    return ProgramList(
        programs=[
            Invitable.of(one, name=one.guest.name, takes=one.games, pace=_pace(one)) for one in page[:PAGE]
        ],
        next=page[PAGE - 1].pk if len(page) > PAGE else None,
    )


def _pace(program: NamedProgram) -> Pace:
    return Pace(least_hours=program.least_hours, most_hours=program.most_hours)


@call("GET", "me/challenges", gives=ChallengeList)
def my_challenges(program: NamedProgram) -> Ready:
    """Returns the matches to which the program was invited by its name and can still join, oldest first."""
    listed = ChallengeList(
        challenges=[
            Challenge(**see_free_match(one.match), made_at=moment(one.made_at))
            for one in challenges.open_to(program)[:PAGE]
        ]
    )
    return Ready(listed.model_dump_json(exclude_unset=True))


@call("DELETE", "me/challenges/<str:key>")
def decline_challenge(match: Match, program: NamedProgram) -> None:
    """Declines an invitation to a match; the creator of the match can see it."""
    if not challenges.decline(program, match):
        raise no_match()


@call("DELETE", "me")
def forget_me(program: NamedProgram) -> None:
    """Deletes the program for good; within minutes it leaves its matches, and its name becomes free."""
    forget(program.guest, at_once=0)


@call("GET", "me/export")
def export_me(request: HttpRequest, program: NamedProgram) -> dict[str, Any]:
    """Returns all data that the site stores about the program."""
    return export(program.guest, request)


@call("GET", "me/matches")
def my_matches(program: NamedProgram, query: MineQuery) -> Mine:
    """Returns the program's matches: `waiting`, `playing`, `open`, then `over`, in each the newest first."""
    rows = _listed(program, query.status)
    if query.after is not None:
        rows = rows.filter(_after(program, query.after))
    page: list[Any] = list(rows.select_related("match").prefetch_related("match__seats")[: PAGE + 1])
    shown = page[:PAGE]
    rematches = rematches_for(program.guest, [seat.match_id for seat in shown])
    return Mine(
        matches=[_shown(seat, rematches.get(seat.match_id)) for seat in shown],
        next=f"{shown[-1].rank}.{shown[-1].match.key}" if len(page) > PAGE else None,
    )


@call("GET", "me/events", limit="stream")
def my_events(request: HttpRequest, program: NamedProgram) -> HttpResponseBase:
    """Opens one event stream for all the program's matches."""
    if request.method == "HEAD":
        return HttpResponse(content_type="text/event-stream; charset=utf-8")
    if not streams.may(str(program.pk)):
        detail = _("At most {most} event streams may be open at once.").format(most=streams.most)
        raise Problem(429, detail, headers={"Retry-After": "10"})
    return event_stream(ProgramStream(program, time_of(request.headers.get("Last-Event-ID", ""))))


def _listed(program: NamedProgram, status: str | None) -> Any:
    """The program's seats sorted by their `rank` (RANKS); with `status`, only those of that state."""
    seats = with_waits(Seat.objects.filter(held_by(program.guest)))
    rank = Case(
        When(waits=True, then=Value(RANKS["waiting"])),
        When(match__status=Match.Status.PLAYING, then=Value(RANKS["playing"])),
        When(match__status=Match.Status.OPEN, then=Value(RANKS["open"])),
        default=Value(RANKS["over"]),
        output_field=IntegerField(),
    )
    rows: Any = seats.annotate(rank=rank).order_by("rank", "-match_id", "pk")
    return rows.filter(rank=RANKS[status]) if status else rows


def _after(program: NamedProgram, cursor: str) -> Q:
    """The filter for what follows a cursor; raises Problem 422 if that names no match of the program."""
    rank, _dot, key = cursor.partition(".")
    own = Match.objects.filter(held_by(program.guest, "seats__"), key=key) if key.isalnum() else None
    last = own.first() if own is not None and rank in map(str, RANKS.values()) else None
    if last is None:
        raise Problem(422, _("“after” in the address is not a cursor from “next”."))
    return Q(rank__gt=int(rank)) | Q(rank=int(rank), match_id__lt=last.pk)


def _shown(seat: Any, rematch: str | None) -> MyMatch:
    match: Match = seat.match
    deadline = timekeeping.deadline_of(match, seat.letter) if seat.waits else match.deadline
    return MyMatch.of(
        match,
        match=match.key,
        game=match.game_slug,
        seat=seat.letter,
        waits=bool(seat.waits),
        deadline=moment(deadline) if deadline else None,
        proposals=kinds_to_answer(match, seat),
        rematch=rematch,
    )
