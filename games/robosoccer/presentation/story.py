"""The events of Robosoccer, as data and as sentences, and the board in words."""

from games.core import Event, Seat, Sentence
from games.grid import Square
from games.robosoccer.board import (
    BALL,
    BIG,
    BLACK,
    EMPTY,
    JUMP,
    LETTERS,
    MEDIUM,
    MOVE,
    PUSH,
    ROBOTS,
    SMALL,
    SWITCH,
    Action,
    Board,
    kind,
    owner,
)
from games.robosoccer.rules import Position
from games.robosoccer.turns import PLAYING, SIZES, Cause, actions, ball

NAMES = {**SIZES, BALL: "ball"}
KINDS = {MOVE: "moved", PUSH: "pushed", JUMP: "jumped", SWITCH: "switched"}
VERBS = {MOVE: "move", PUSH: "push", JUMP: "jump", SWITCH: "switch"}


def events(state: Position) -> list[Event]:
    """Returns the events of the action or setup order that led here (see `teaching/described.py`)."""
    cause = state.cause
    if not cause:
        return [dict(event) for event in state.news]
    by = state.seats[cause.side]
    if cause.action:
        happened = [_done(state.board, by, cause, cause.action)]
    elif cause.order in state.board.names:
        happened = [{"kind": "placed", "by": by, "at": cause.order}]
    else:
        row = state.board.homes[cause.side].start // state.board.columns + 1
        happened = [{"kind": "lined up", "by": by, "robots": cause.order, "row": row}]
    if state.ended:
        match state.ended.reason:
            case "goal":
                at = state.board.names[ball(state.cells, cause.side)]
                happened.append({"kind": "scored", "by": by, "at": at})
            case "no legal turn":
                happened.append({"kind": "stuck", "by": state.seats[state.mover]})
            case "repetition":
                happened.append({"kind": "repeated", "by": by})
    return happened


def _done(board: Board, by: Seat, cause: Cause, action: Action) -> Event:
    event: Event = {
        "kind": KINDS[action.sign],
        "step": cause.step,
        "by": by,
        "size": NAMES[kind(cause.before[action.start])],
        "from": board.names[action.start],
        "to": board.names[action.end],
    }
    if action.sign == PUSH:
        event["pushed"] = NAMES[kind(cause.before[action.end])]
        event["on"] = board.names[action.middle]
    if action.sign == JUMP:
        event["jumped"] = NAMES[kind(cause.before[action.middle])]
        event["over"] = board.names[action.middle]
    return event


HIGHLIGHTS = {"scored": 20, "switched": 5, "pushed": 4, "jumped": 3}


def highlight(event: Event) -> int:
    """Rates an event: 20 for a goal, 5 for a switch, 4 for a push, 3 for a jump, else 0."""
    return HIGHLIGHTS.get(event["kind"], 0)


SENTENCES = {
    "lined up": "{by} lines up: big robots on {big}; medium ones on {medium}; small ones on {small}.",
    "placed": "{by} puts the ball on {at}.",
    "moved": "{by} moves the {size} robot from {from} to {to}.",
    "pushed": "{by} takes the {size} robot from {from} to {to} and pushes a {pushed} one to {on}.",
    "jumped": "{by} jumps with the {size} robot from {from} over the {jumped} one on {over} to {to}.",
    "switched": "{by} switches: the {size} robot goes from {from} to {to}, the ball from {to} to {from}.",
    "scored": "Goal! {by} has the ball on {at}.",
    "stuck": "{by} has no legal turn left and loses.",
    "repeated": "The same position for the third time: a draw.",
}


def tell(event: Event) -> Sentence:
    facts = {key: value for key, value in event.items() if key not in ("kind", "step")}
    facts["by"] = Seat(event["by"])
    if event["kind"] == "lined up":
        for of_size, name in SIZES.items():
            files = [file for file, at in enumerate(event["robots"]) if at == LETTERS[of_size]]
            facts[name] = ", ".join(str(Square(file, event["row"] - 1)) for file in files)
    for size in ("size", "pushed", "jumped"):
        if size in facts:
            facts[size] = Sentence(facts[size])
    return Sentence(SENTENCES[event["kind"]], **facts)


def words(state: Position) -> list[Sentence]:
    """Returns sentences on the squares of all pieces and, while the match goes on, on the seat to act."""
    sentences = []
    for side, seat in enumerate(state.seats):
        squares = {
            NAMES[code]: ", ".join(_squares(state.board, state.cells, code + BLACK * side)) or "–"
            for code in (*ROBOTS, BALL)
        }
        if set(squares.values()) == {"–"}:
            sentences.append(Sentence("{by} has nothing on the board yet.", by=seat))
        elif squares["ball"] == "–":
            template = "{by}: big robots on {big}; medium ones on {medium}; small ones on {small}."
            sentences.append(Sentence(template, by=seat, **squares))
        else:
            template = (
                "{by}: the ball on {ball}; big robots on {big}; medium ones on {medium}; "
                "small ones on {small}."
            )
            sentences.append(Sentence(template, by=seat, **squares))
    sentences += [Sentence("It’s {by}’s turn.", by=seat) for seat in sorted(state.to_act())]
    return sentences


def _squares(board: Board, cells: bytes, code: int) -> list[str]:
    return [board.names[square] for square, found in enumerate(cells) if found == code]


PIECES = {
    BIG: "{by}’s big robot",
    MEDIUM: "{by}’s medium robot",
    SMALL: "{by}’s small robot",
    BALL: "{by}’s ball",
}


def squares(state: Position) -> dict[str, Sentence]:
    return {
        name: Sentence(PIECES[kind(code)], by=state.seats[owner(code)])
        for name, code in zip(state.board.names, state.cells, strict=True)
        if code != EMPTY
    }


def bounds(board: Board) -> list[tuple[Sentence, tuple[str, ...]]]:
    lines = [edge for here, there in board.lines for edge in ((here, there), (there, here))]
    ways = {"red line to {to}": lines, "arrow to {to}": [*board.arrows]}
    ways["arrow from {to}"] = [(there, here) for here, there in board.arrows]
    names = board.names
    return [
        (Sentence(says, to="{to}"), tuple(sorted(f"{names[here]}-{names[there]}" for here, there in edges)))
        for says, edges in ways.items()
    ]


def reaches(state: Position) -> list[Sentence]:
    """Returns sentences on where one action can take each robot, while the match goes on."""
    names, found = state.board.names, dict[int, list[str]]()
    if state.stage < PLAYING or state.ended:
        return []
    for side in range(len(state.seats)):
        for action in actions(state.board, state.cells, side):
            found.setdefault(action.start, []).append(names[action.end])
    template = "The {size} robot on {at} can go to {squares}."
    return [
        Sentence(template, size=Sentence(NAMES[kind(state.cells[at])]), at=names[at], squares=", ".join(ends))
        for at, ends in sorted(found.items())
    ]


GROUND = {
    "lines": "Red lines, which no robot passes: {edges}.",
    "arrows": "Arrows, which robots pass one way: {edges}.",
    "fixed_arrows": "Fixed arrows, which robots pass one way: {edges}.",
}


def ground_words(board: Board) -> list[Sentence]:
    sentences = []
    for name in ("lines", "arrows", "fixed_arrows"):
        edges, between = getattr(board.spec, name), "–" if name == "lines" else "→"
        if edges:
            pairs = (f"{board.names[here]}{between}{board.names[there]}" for here, there in edges)
            sentences.append(Sentence(GROUND[name], edges=", ".join(pairs)))
    return sentences


ACTION_NAMES = {
    MOVE: "move {at} to {to}",
    PUSH: "push {over} to {on}",
    JUMP: "jump over {over} to {on}",
    SWITCH: "switch the robot on {at} with the ball on {to}",
}


def action_name(board: Board, action: Action) -> Sentence:
    """The name of an action; that of a push or jump has the other robot's square and the one behind."""
    names = board.names
    facts = {"at": names[action.start], "to": names[action.end]}
    for direction in range(4):
        near = board.next(action.start, direction)
        far = board.next(near, direction) if near >= 0 else -1
        if far >= 0 and action.end == (far if action.sign == JUMP else near):
            facts |= {"over": names[near], "on": names[far]}
            break
    return Sentence(ACTION_NAMES[action.sign], **facts)


def icon(sign: str) -> str:
    return f"act-{VERBS[sign]}"


SECOND_PERSON = {
    ("{by}’s big robot", "by"): "your big robot",
    ("{by}’s medium robot", "by"): "your medium robot",
    ("{by}’s small robot", "by"): "your small robot",
    ("{by}’s ball", "by"): "your ball",
    ("{by} lines up: big robots on {big}; medium ones on {medium}; small ones on {small}.", "by"): (
        "You line up: big robots on {big}; medium ones on {medium}; small ones on {small}."
    ),
    ("{by} puts the ball on {at}.", "by"): "You put the ball on {at}.",
    ("{by} moves the {size} robot from {from} to {to}.", "by"): (
        "You move the {size} robot from {from} to {to}."
    ),
    ("{by} takes the {size} robot from {from} to {to} and pushes a {pushed} one to {on}.", "by"): (
        "You take the {size} robot from {from} to {to} and push a {pushed} one to {on}."
    ),
    ("{by} jumps with the {size} robot from {from} over the {jumped} one on {over} to {to}.", "by"): (
        "You jump with the {size} robot from {from} over the {jumped} one on {over} to {to}."
    ),
    ("{by} switches: the {size} robot goes from {from} to {to}, the ball from {to} to {from}.", "by"): (
        "You switch: the {size} robot goes from {from} to {to}, the ball from {to} to {from}."
    ),
    ("Goal! {by} has the ball on {at}.", "by"): "Goal! You have the ball on {at}.",
    ("{by} has no legal turn left and loses.", "by"): "You have no legal turn left and lose.",
    ("{by} has nothing on the board yet.", "by"): "You have nothing on the board yet.",
    ("{by}: big robots on {big}; medium ones on {medium}; small ones on {small}.", "by"): (
        "You: big robots on {big}; medium ones on {medium}; small ones on {small}."
    ),
    (
        "{by}: the ball on {ball}; big robots on {big}; medium ones on {medium}; small ones on {small}.",
        "by",
    ): ("You: the ball on {ball}; big robots on {big}; medium ones on {medium}; small ones on {small}."),
    ("It’s {by}’s turn.", "by"): "It’s your turn.",
}
"""The sentences of this module as the player concerned reads them (`Game.second_person`)."""
