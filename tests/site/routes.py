"""Every address of the site: a request or more to each, and who may."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from string import Template
from typing import Any, NamedTuple

from django.apps import apps
from django.urls import URLPattern, URLResolver, get_resolver

from robosite.matches.models import Program
from tests.games.cases import size

HTMX = {"HX-Request": "true"}
IN_PLACE = {"htmx": HTMX, "talk-new": {**HTMX, "HX-Target": "talk-new"}}
MATCHES = ("playing", "open", "over")
PEOPLE = {"anyone": 0, "watcher": 1, "Alice": 2, "Bob": 3, "elsewhere": 4, "staff": 5}
"""Alice and Bob sit on A and B; `elsewhere` sits in another match; a watcher has been here before.

The rights of staff are those of the admin, none to a seat. Programs show the token of a seat or of a league;
where `program` is asked of, Alice shows the token of a program that she has written.
"""
NEW_CHANNEL = {"kind": "ntfy", "url": "https://ntfy.example/robots"}
RECORD = {
    "format": "robosite/1",
    "game": "robble",
    "seats": ["A", "B"],
    "turns": [{"A": "d4"}, {"B": "swap"}],
    "names": {"A": "Yan"},
}
DATA: dict[str, Any] = {
    "@channel": NEW_CHANNEL,
    "@record": RECORD,
    "@import": {"record": json.dumps(RECORD)},
    "@nameless": {"name": "", "title": "Ours", "plays": "pigs/standard", "pace": "24", "ends": "60"},
}

TABLE = """
home first-lesson puzzles new import programs my-games me back you-link mail-link holidays GET : 200
healthz readyz robots privacy manifest offline speculation-rules site-card game-card rules paper GET : 200
things notices service-worker verify new-league league league-feed league-channel league-calendar GET : 200
report-league league-invite place-link organiser-link api-leagues api-league api-league-table GET : 200
api-league-matches invite seat-link match-card version match-channel report record api-games GET : 200
api-game api-programs api-openapi.json api-docs api-root api-root-plain GET : 200
first-lesson POST {"choose": "F"} : 302
learn GET /learn/pigs/2/?order=TR+F+F+F+F&played : 200
learn GET none /learn/pigs/99/ : 404
learn POST /learn/pigs/2/?order=TR {"choose": "F"} : 302
next-lesson GET bumps /learn/pigs/bumps/ : 200
next-lesson GET none /learn/pigs/none/ : 404
next-lesson POST /learn/pigs/bumps/ {"choose": "F"} : 302
learn-more GET /learn/pigs/bumps/6/?order=%5E+H+H+H+H&played : 200
learn-more GET none /learn/pigs/bumps/99/ : 404
learn-more POST /learn/pigs/bumps/2/?order=TR {"choose": "F"} : 302
puzzle GET /puzzles/robble/1/?order=$answer&played : 200
puzzle GET none /puzzles/robble/999/ : 404
puzzle POST /puzzles/pigs/1/?order=F {"choose": "F"} : 302
make POST {"game": "pigs", "seats": "2", "name": "Zoe"} : 302
make POST nameless {"game": "pigs", "seats": "2", "name": ""} : 422
play POST {"game": "pigs", "name": "Zoe"} : 302
make POST here {"game": "robble", "name": "Zoe", "with": "here", "here": "Yan"} : 302
new GET roboxing /new/roboxing/ : 200
draw-board POST robosoccer /new/robosoccer/board/ {"board-own": "1", "board-tap": "at c3"} : 200
draw-board POST pigs {"board-own": "1"} : 404
import POST @import : 302
import POST faulty {"record": "{}"} : 422
waiting GET ?list : 200
tables GET ?game=pigs&pace=day : 200
next GET : 302
rename POST {"name": "Zoe"} : 302
rename POST nameless {"name": ""} : 302/422/422/422/422/302
device phrase POST : 302/200/200/200/200/302
others-out leave-here you-take presence take-place take-organiser take-seat POST : 302
my-mail POST {"email": "zoe@example.org"} : 302
my-mail POST remove {"remove": "1"} : 302
my-mail POST wrong {"email": "zoe"} : 302/422/422/422/422/302
export forget-me GET : 302/200/200/200/200/302
forget-me POST {"sure": "1"} : 302
back-by-phrase POST {"phrase": "$phrase"} : 302
back-by-phrase POST wrong {"phrase": "one two"} : 422
back-by-mail POST {"email": "zoe@example.org"} : 200
back-by-mail POST wrong {"email": "zoe"} : 422
back-by-link POST {"link": "http://x/s/you/$device"} : 302
back-by-link POST wrong {"link": "1234 5678"} : 422
you-take POST bring {"bring": "1"} : 302
you-take POST wrong /s/you/none/take/ : 404
mail-link GET wrong /s/mail/$device/ : 404
mail-confirm POST : 200
mail-confirm POST wrong /s/mail/$device/confirm/ : 404
keep POST {"name": "theme", "value": "dark"} : 204
keep POST unknown {"name": "sessionid", "value": "x"} : 400
offline-boards POST {"kept": "1"} : 302/204/204/204/204/302
presence POST shown {"shown": "1"} : 302
holidays POST {"first": "2026-12-24", "last": "2100-01-01"} : 302/422/422/422/422/302
holidays POST end {"end": "1"} : 302
language POST {"language": "de", "next": "/"} : 302
security metrics table GET : 404
report-received GET $receipt : 200
report-received GET none /report/received/100000000000/ : 404
measure GET $warning : 404/404/404/200
measure GET none /measure/100000000000/ : 404
measure POST read $warning {"read": "1", "next": "/"} : 404/404/404/302
measure POST object $warning {"words": "It was not me"} : 404/404/404/302
measure POST wordless $warning : 404/404/404/422
rules-of-all results GET : 301
rules GET /rules/pigs/?from=$key : 200
example GET /rules/pigs/examples/three-rounds/?at=7 : 200
example GET none /rules/pigs/examples/none/ : 404
paper GET letter /rules/robble/paper/?sheet=letter : 200
things GET kids /rules/pigs/things/?damage_moves=False : 200
figures GET robble /rules/robble/figures/ : 200
notation GET robble /rules/robble/notation/ : 200
wishes POST {"steps-shown": "1", "steps": "3"} : 302
add-channel POST atom {"kind": "atom"} : 302
add-channel POST push {"kind": "push"} : 302/422/422/422/422/302
channel POST save $channel {"do": "save"} : 302/404/302/404/404/302
channel POST test $channel {"do": "test"} : 302/404/302/404/404/302
channel POST remove $channel {"do": "remove"} : 302/404/302/404/404/302
feed GET $feed : 200
take-over POST none /s/handover/none/take/ {"name": "Zoe"} : 404
api-handover POST none {"link": "none", "name": "Zoe"} : 422
calendar GET $calendar : 200
calendar GET feed /s/calendar/$feeds/ : 404
unsubscribe GET $unsubscribe : 200
unsubscribe POST $unsubscribe {"List-Unsubscribe": "One-Click"} : 200
finished-leagues GET ?page=2 : 200
new-league POST {"name": "Zoe", "title": "Ours", "plays": "pigs/standard", "pace": "24", "ends": "60"} : 302
new-league POST nameless @nameless : 422
league GET none /l/abcdefghjkmn/ : 404
league-of GET none /l/of/$playing/ : 404
start-league next-season POST : 404/409
leave-league new-place-link hand-over-place POST : 404/302/302
add-league-bot POST {"bot": "quick"} : 404/302
new-league-invite new-organiser-link POST : 404/302
stay-in-season POST : 404
league-terms GET : 404/200
league-terms POST {"pace": "24", "ends_days": "60", "legs": "1"} : 404/302
play-once POST {"once": "1"} : 404/302/302
league-moment league-tonight GET none : 404
league-table-picture GET none /l/$league/table-1.svg : 404
league-channel POST @channel : 404/422
league-channel POST end {"do": "end"} : 404/302
league-talk GET : 403/200/200
league-talk POST {"text": "Hello"} : 403/302/302
report-league POST {"about": "league", "reason": "spam"} : 302
offer-place POST {"place": "2"} : 404/409
hand-on-organising POST none {"place": "99"} : 404/409
choose-organiser POST {"place": "2"} : 404/404/409
nudge-place POST {"place": "2"} : 404/409/409
league-record api-league-record GET : 409
join-league POST {"name": "Zoe"} : 302/409/409
take-offer POST none /s/offer/none/take/ : 404
api-leagues POST {"name": "Ours", "game": "pigs", "organiser": "Zoe"} : 201
api-league GET none /api/v1/leagues/abcdefghjkmn : 404
api-league-places POST {"name": "Zoe", "invite": "$league_invite"} : 201
api-league-places-place DELETE league /api/v1/leagues/$league/places/2 : 401/204/204
api-league-start api-league-next POST league : 401/409/403
api-league-organiser POST league {"place": 1} : 401/200/403
api-league-handover POST league : 401/401/201
api-league-handover DELETE league : 401/401/204
api-league-channel POST league @channel : 401/422/403
api-league-channel GET league : 404
api-league-channel DELETE league : 401/204/403
api-me-leagues GET league : 401/401/200
accept POST {"name": "Zoe"} : 409 302 409
opened POST : 204
sit POST {"name": "Zoe"} : 409
match GET ?public ?public&at=1.2 ?public&at=2.0 +htmx : 200
match GET bare ?at=1.2 : 200/302/302
step-picture GET 1.2.svg /m/$key/1.2.svg : 200 404 404
step-picture GET 1.5.png /m/$key/1.5.png : 200 404 404
step-picture GET 2.0.svg /m/$key/2.0.svg : 404
turn-picture GET /m/$key/1.svg : 200 404 200
comic review again embed comic-strip comic-reel GET : 404 404 200
again POST {"turn": "1", "seat": "A", "player": "random"} : 404 404 302
oembed GET ?url=http://testserver/m/$key/ : 404 404 200
results GET with-A ?with=$key&seat=A : 404 404 404/404/200
results GET with-B ?with=$key&seat=B : 404 404 404/200
results GET with-H ?with=$key&seat=H : 404
results GET with ?with=$key : 301
friend GET /mine/friends/$key/A/ : 301
watchers-talk GET +htmx +talk-new : 200/403/403 200/403/403 200
watchers-talk GET ?before=1795262400000000 : 200/403/403 200/403/403 200
watchers-talk POST {"text": "Hm.", "name": "Zoe"} : 302/403/403 302/403/403 302
watchers-talk POST empty {"text": " ", "name": "Zoe"} : 422/403/403 422/403/403 422
match-menu GET +htmx : 200
report POST {"about": "match", "reason": "other"} : 302
report POST wrong {"about": "all", "reason": "other"} : 422
ask GET /m/$key/B/ask/ : 200/200/302
ask POST /m/$key/B/ask/ : 302
ask POST invite /m/$key/B/ask/ {"invite": "$invite"} : 302
seat seat-menu GET +htmx : 403/200
qr GET invite /m/$key/$letter/qr/invite.svg : 403/200
qr GET seat /m/$key/$letter/qr/seat.svg : 403/200
plan POST {"turn": $turn, "typed": "$first", "seal": "1"} : 403/302 403/302 403/422
plan POST draft {"turn": $turn, "typed": "F", "use": "1"} : 403/302 403/302 403/422
plan POST wrong {"turn": $turn, "typed": "F", "seal": "1"} : 403/422
plan POST htmx ~htmx {"turn": $turn, "choose": "F"} : 403/200
here bubbles new-link POST : 403/302
react GET ?turn=1&step=1 : 403/302
react POST {"turn": "1", "step": "1", "sign": "wow"} : 403/302 403/409 403/302
replies GET : 403/302
replies POST {"turn": $turn, "drop": "1"} : 403/302
start leave new-invite POST : 403/409 403/302 403/409
reopen POST {"turn": $turn} : 403/302 403/302 403/409
resign hand-over POST : 403/302 403/302 403/409
draw call-off POST {"offer": "1"} : 403/302 403/409 403/409
draw POST no {"offer": "no"} : 403/409
take-back POST ask {"turn": $turn, "do": "ask"} : 403/409
take-back POST withdraw {"turn": $turn, "do": "withdraw"} : 403/302 403/409 403/409
take-back POST accept {"turn": $turn, "do": "accept"} : 403/409
take-back POST decline {"turn": $turn, "do": "decline"} : 403/409
talk GET +htmx +talk-new : 403/200
talk GET ?before=1795262400000000 : 403/200
talk POST {"text": "Hm.", "phrase": "wow", "once": "e1f2"} : 403/302
talk POST alone {"text": "Psst.", "to": "C"} : 403/302 403/422 403/422
talk POST undo ?to=all ~htmx {"undo": "1795262400000000"} : 403/200
talk POST empty ~htmx {"text": ""} : 403/200
notes GET ? ?word +htmx : 403/200
notes POST word {"turn": $turn, "word": "Ha!"} : 403/302 403/302 403/422
notes POST note {"turn": $turn, "note": "Hm."} : 403/302
claim put-out POST {"seat": "B"} : 403/409
asked POST yes {"asking": $asking, "say": "yes"} : 403/302 403/409 403/409
asked POST no {"asking": $asking, "say": "no"} : 403/302 403/409 403/409
asked POST here {"asking": $asking, "say": "here"} : 403/409
seat-channel time hand-over invite-program GET : 403/200
seat-channel POST @channel : 403/422
seat-channel POST end {"do": "end"} : 403/302
pause POST 1 {"offer": "1"} : 403/409
pause POST 0 {"offer": "0"} : 403/302 403/409 403/409
nudge POST : 403/409
leave POST all {"all": "1"} : 403/409 403/302 403/409
stay-listed POST {"list": "0"} : 403/409 403/302 403/409
seat-bot POST {"seat": "C", "player": "random"} : 403/409 403/302 403/409
rematch POST : 403/409 403/409 403/302
invite-program POST {"program": $program} : 403/409 403/302 403/409
invite-program POST none {"program": "999999"} : 403/404
results-here GET : 403/301
api-match GET ? ?legal=1 ?since=1 : 200/200/200/403
api-match-record api-match-events GET : 200/200/200/403
api-match-seats POST {"name": "Zoe", "invite": "$invite"} : 409 201 409
api-match-seats POST wrong {"name": "Zoe", "invite": "none"} : 403
api-match-draft PUT {"turn": $turn, "order": "F"} : 401/204/409/403 401/204/409/403 401/409/409/403
api-match-order PUT {"turn": $turn, "order": "$first"} : 401/200/200/403 401/200/200/403 401/409/409/403
api-match-plan POST {"turn": $turn, "order": "F"} : 401/200/200/403 401/200/200/403 401/409/409/403
api-match-check POST {"turn": $turn, "order": "$first"} : 401/200/200/403 401/200/200/403 401/409/409/403
api-match-order DELETE ?turn=$turn : 401/204/204/403 401/204/204/403 401/409/409/403
api-match-resign POST : 401/200/200/403 401/200/200/403 401/409/409/403
api-match-draw POST {"offer": true} : 401/200/200/403 401/409/409/403 401/409/409/403
api-match-claim api-match-put-out POST {"seat": "B"} : 401/409/409/403
api-match-keep POST : 401/200/200/403
api-match-handover POST : 401/201/201/403 401/201/201/403 401/409/409/403
api-match-handover-bot POST : 401/204/204/403 401/409/409/403 401/409/409/403
api-match-talk DELETE ?at=2026-01-01T00:00:00Z : 401/204/204/403
api-match-handover api-match-replies api-match-channel DELETE : 401/204/204/403
api-match-replies api-match-talk GET : 401/200/200/403
api-match-reactions GET : 200/200/200/403
api-match-reactions PUT {"turn":0,"step":1,"sign":"wow"} : 401/204/204/403 401/409/409/403 401/204/204/403
api-match-replies PUT {"turn": $turn, "lines": [["c4", "d5"]]} : 401/422/422/403
api-match-proposals POST {"kind": "draw", "do": "offer"} : 401/200/200/403 401/409/409/403 401/409/409/403
api-match-rematch POST : 401/409/409/403 401/409/409/403 401/200/200/403
api-match-nudge POST : 401/409/200/403 401/409/409/403 401/409/409/403
api-match-channel POST @channel : 401/422/403/403
api-match-channel GET : 404/404/404/403
api-match-talk POST {"text": "Hm."} : 401/403/403/403
api-matches GET ?open=1 : 200
api-records POST @record : 201
api-matches POST {"game": "pigs", "name": "Zoe"} : 201
api-programs POST {"name": "Clockwork"} : 201
api-programs POST taken {"name": "Hal"} : 422
api-programs-token POST program : 401/200
api-me api-me-export api-me-matches api-me-challenges api-me-events api-me-webhook GET program : 401/200
api-me api-me-webhook DELETE program : 401/204
api-me PUT program {"about": "Plays well", "takes": ["robble"]} : 401/200
api-me-challenge DELETE program open /api/v1/me/challenges/$open : 401/204
api-me-challenge DELETE program playing /api/v1/me/challenges/$playing : 401/404
api-me-webhook PUT program {"url": "https://example.org/hook"} : 401/422
api-nothing GET /api/v1/nothing/here : 404
"""
"""A row: addresses, method, what is asked of, path or query, headers, what is sent: who may.

A path is the pattern's own, with the world's values (`World.values`), if the row has none. Addresses of a
match are asked of in all three, those of a seat for A and B; `+htmx` asks both for a page and in place,
`~htmx` only in place. Statuses: of everybody; or of the others, Alice, Bob, the one elsewhere; or of all six.
Three of them are for the three matches. At B only Bob may what Alice may at A (`test_every_address.py`).
Added by rule: 404 for a game that there is not (`chess`), and for a secret that nobody has (`none`).
"""


class Ask(NamedTuple):
    """A request: to which address, in which match, with what, and which statuses PEOPLE get."""

    name: str
    method: str
    where: str
    path: str
    data: Any = None
    headers: dict[str, str] = {}
    may: tuple[int, ...] = ()

    @property
    def said(self) -> str:
        return f"{self.method} {self.path} {self.data} {self.headers}"

    @property
    def table(self) -> str:
        """Which of the three matches it is about, or "none"."""
        first = self.where.split(" ", maxsplit=1)[0]
        return first if first in MATCHES else "none"


def routes() -> dict[str, str]:
    """The names of all addresses (with their namespace), and their patterns."""
    return dict(_routes(get_resolver().url_patterns, "", ""))


def _routes(patterns: list[URLPattern | URLResolver], space: str, before: str) -> Iterator[tuple[str, str]]:
    for one in patterns:
        at = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from _routes(one.url_patterns, f"{one.namespace}:" if one.namespace else space, at)
        else:
            yield f"{space}{one.name or at}", at


def some(asked: list[Ask], table: str = "playing") -> list[Ask]:
    """In the long form all of these requests; in the short form one to each address, of that table if it has
    one."""
    first: dict[tuple[str, str], Ask] = {}
    for ask in sorted(asked, key=lambda ask: ask.table != table):
        first.setdefault((ask.method, ask.name), ask)
    return size([one for one in asked if one in first.values()], asked)


SECRETS = {
    "invite": "invite", "seat": "seat", "league": "league_invite", "place": "place", "organiser": "organiser",
    "you": "device", "mail": "confirm",
}  # fmt: skip
"""Which value of the world stands for the secret of a link, by the link's kind."""


def _path(pattern: str) -> str:
    """A pattern as a template of a path."""
    kind = pattern.split("/")[1] if pattern.startswith("s/") else ""
    of_league = pattern.startswith(("l/", "report/league/"))
    path = pattern.replace("<key:key>", "$league" if of_league else "$key").replace("<str:key>", "$key")
    path = re.sub(r"<str:(secret|token)>", f"${SECRETS.get(kind, 'none')}", path)
    path = re.sub(r"<\w+:slug>", "pigs", path)
    return "/" + path.replace("<str:league>", "$league").replace("<letter:letter>", "$letter")


def _statuses(cell: str) -> tuple[int, ...]:
    given = [int(status) for status in cell.split("/")]
    if len(given) == len(PEOPLE):
        return tuple(given)
    others, *named = given
    alice, bob, elsewhere = [*named, others, others, others][:3]
    return others, others, alice, bob, elsewhere, others


def _rows() -> Iterator[tuple[str, str, str, str, list[dict[str, str]], str, list[tuple[int, ...]]]]:
    """Name, method, what it is asked of, path, headers, data as text, and statuses in the three matches."""
    patterns = routes()
    for line in filter(None, TABLE.splitlines()):
        asked, _, cells = line.rpartition(" : ")
        names, method, rest = re.split(r" (GET|POST|PUT|DELETE)\b", asked, maxsplit=1)
        rest, data = re.fullmatch(r"(.*?)((?: [{@].*)?)", rest).groups()
        words = rest.split()
        paths = [word for word in words if word[0] in "/?$"] or [""]
        plain: list[dict[str, str]] = [] if "~" in rest else [{}]
        headers = plain + [IN_PLACE[word[1:]] for word in words if word[0] in "+~"]
        where = " ".join(word for word in words if word[0] not in "/?$+~")
        may = [_statuses(cell) for cell in cells.split()]
        for name in names.split():
            own = _path(patterns[name])
            for path in paths:
                full = path if path.startswith(("/", "$")) else own + path.removesuffix("?")
                yield name, method, where, full, headers, data.strip(), may
    for name, pattern in patterns.items():
        if re.findall(r"<\w+:(\w+)>", pattern) == ["slug"] and not name.startswith("draw-"):
            yield name, "GET", "chess", _path(pattern).replace("pigs", "chess"), [{}], "", [(404,) * 6]
        elif re.fullmatch(r"s/\w+/<\w+:\w+>/", pattern):
            yield name, "GET", "none", re.sub("<.*>", "none", "/" + pattern), [{}], "", [(404,) * 6]


def asks(there: Any) -> list[Ask]:
    """A request or more to every address of the site, in this world."""
    given = []
    for name, method, where, path, headers, data, may in _rows():
        matches = MATCHES if re.search(r"\$(key|invite|seat)\b", path) else ("",)
        for match, statuses in zip(matches, may * 3, strict=False):
            for letter in "AB" if "$letter" in path else ("",):
                values = {**there.values(match), "letter": letter}
                at = " ".join(filter(None, (match, letter, where)))
                sent = DATA.get(data) or (json.loads(Template(data).substitute(values)) if data else None)
                given += [
                    Ask(name, method, at, Template(path).substitute(values), sent, more, statuses)
                    for more in headers
                ]
    admin = {name: at for name, at in routes().items() if name.startswith("admin:")}
    return given + [ask for name, at in admin.items() for ask in _admin(name, at)]


def _admin(name: str, at: str) -> list[Ask]:
    path = re.sub(r"<int:content_type_id>", "1", f"/{at}")
    path = re.sub(r"\^\(\?P<app_label>.*\)/\$", "auth/", path)
    path = re.sub(r"\(\?P<url>.*\)\$", "nowhere", path)
    return [Ask(name, "GET", "", re.sub(r"<(path:object_id|id)>", str(pk), path)) for pk in _newest(name)]


def _newest(name: str) -> list[int]:
    """The newest rows of the model that a page of the admin is about; of programs Bob's, if he has any."""
    app, _, model = name.removeprefix("admin:").rpartition("_")[0].partition("_")
    if app not in apps.app_configs or not name.endswith(
        ("_change", "_delete", "_history", "_password_change")
    ):
        return [1]
    kind = apps.get_model(app, model.removesuffix("_password"))
    if kind is Program:
        return [4, 5, 6]  # the fourth to sixth that were written
    return list(kind._default_manager.order_by("-pk").values_list("pk", flat=True)[:2]) or [1]
