"""Base classes for the admin: rows are read-only, each use is in the trail, and actions take measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, wraps
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.core.paginator import Paginator
from django.db import OperationalError, connection, models, transaction
from django.db.models import Model, Q, QuerySet, Value
from django.db.models.functions import Upper
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import SimpleTemplateResponse, TemplateResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.text import slugify

from games import GAMES, newest
from robosite.matches.models import Hold, Match, Seat
from robosite.moderation import confirming, measures
from robosite.moderation.measures import PERIODS, ImpossibleMeasure, until
from robosite.moderation.models import Measure
from robosite.people.models import Guest
from robosite.people.sent_forms import sent_once
from robosite.trail.entries import note, subject_of
from robosite.web import limits

MOST_COUNTED = 10_000
"""The maximum number of rows that a list counts. Further rows are on no page of the list."""
MOST_NAMED = 1_000
"""The maximum number of rows with the same name that a search returns. The newest rows are returned."""
SECONDS = 5
"""The time limit, in seconds, for each SQL statement of a list on PostgreSQL."""


class CountsSome(Paginator):
    """A paginator that counts at most MOST_COUNTED rows, since counting more would take too long."""

    @cached_property
    def count(self) -> int:
        rows: QuerySet[Match] = self.object_list  # type: ignore[assignment]
        return rows.order_by()[:MOST_COUNTED].count()


class OfGame(admin.SimpleListFilter):
    """Filters by game, without reading all rows to find the games, as Django's own filter would do."""

    title, parameter_name = "game", "game_slug"

    def lookups(self, request: HttpRequest, page: object) -> list[tuple[str, str]]:
        return [(slug, str(newest(slug).name)) for slug in GAMES]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Match]) -> QuerySet[Match]:
        return queryset.filter(game_slug=self.value()) if self.value() else queryset


class Programs(admin.SimpleListFilter):
    """A filter for guests: if it is chosen, only named programs are listed."""

    title, parameter_name = "program", "program"

    def lookups(self, request: HttpRequest, page: object) -> list[tuple[str, str]]:
        return [("1", "Yes")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Guest]) -> QuerySet[Guest]:
        return queryset.filter(program__isnull=False) if self.value() else queryset


def found_matches(term: str) -> Q:
    """Returns a condition for the match with the key `term`, and for matches with a player named `term`."""
    return Q(pk__in=[*_with_key(term), *_named_seats(term).values_list("match", flat=True)])


def found_seats(term: str) -> Q:
    """A condition for seats with a player named `term`, and seats of the match with the key `term`."""
    named = list(_named_seats(term).values_list("pk", flat=True))
    return Q(pk__in=named) | Q(match__in=_with_key(term))


def found_by_seat(term: str) -> Q:
    """Returns a condition for rows whose field `seat` refers to a seat that `found_seats` finds."""
    return Q(seat__in=list(Seat.objects.filter(found_seats(term)).values_list("pk", flat=True)))


def found_guests(term: str) -> Q:
    """Returns a condition for the newest MOST_NAMED guests named `term`, ignoring case."""
    named = _named(Guest, term).order_by("-pk")
    return Q(pk__in=list(named.values_list("pk", flat=True)[:MOST_NAMED]))


def found_for_data_request(term: str) -> Q:
    """Returns a condition for guests by name, by e-mail address, or by a match in which they hold a seat."""
    sitting = Hold.objects.filter(seat__match__in=_with_key(term)).values("guest")
    at_address = Q(email=term.lower()) if "@" in term else Q(pk=None)
    return found_guests(term) | Q(pk__in=sitting) | at_address


def _named(model: type[Model], term: str) -> QuerySet[Any]:
    named: QuerySet[Any] = model._default_manager.alias(upper=Upper("name"))
    return named.filter(upper=Upper(Value(term)))


def _with_key(term: str) -> list[int]:
    return list(Match.objects.filter(key=term).values_list("pk", flat=True))


def _named_seats(term: str) -> QuerySet[Seat]:
    return _named(Seat, term).order_by("-pk")[:MOST_NAMED]


@contextmanager
def in_time() -> Iterator[None]:
    """Limits each SQL statement to SECONDS on PostgreSQL; a longer one raises OperationalError."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, false)", [f"{SECONDS}s"])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET statement_timeout")


MOST = 100
"""The maximum number of rows for one action. Before the action, each row gets an entry in the trail."""

Action = Callable[[Any, HttpRequest, models.QuerySet[Any]], HttpResponse | None]


class ReadOnly(admin.options.BaseModelAdmin):
    """An admin in which rows can be viewed, but not added, changed or deleted by hand."""

    view_on_site = False  # the site of staff has no such URL

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class Watched(ReadOnly, admin.ModelAdmin):
    """An admin that records each use in the trail, but no search words, which may be names."""

    show_full_result_count = False
    paginator = CountsSome
    found_by: Callable[[str], models.Q] | None = None
    """The condition for search words, in lists that are too long for Django's own search."""

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Returns True if this list declares a filter or date hierarchy that uses the lookup."""
        return lookup in _lookups(self)

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **given: Any) -> Any:
        if (obj := given.get("obj")) is not None:
            note(request.user, "look", subject_of(obj))
        return super().render_change_form(request, context, *args, **given)

    posted: Callable[[HttpRequest, Any], HttpResponse]
    """A method that handles the forms of a row's page; only pages with forms of their own have it."""

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if request.method != "POST" or not hasattr(self, "posted"):
            return super().change_view(request, object_id, form_url, extra_context)
        row = self.get_object(request, object_id)
        if row is None or not self.has_view_permission(request, row):
            raise Http404
        return self.posted(request, row)

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[Any, bool]:
        find = type(self).found_by
        if find is None or not search_term.strip():
            return super().get_search_results(request, queryset, search_term)
        return queryset.filter(find(search_term.strip())), False

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        try:
            with in_time():
                answer = super().changelist_view(request, extra_context)
                if isinstance(answer, SimpleTemplateResponse):
                    answer.render()
        except OperationalError as fault:
            if "statement timeout" not in str(fault):
                raise
            context = {**self.admin_site.each_context(request), "title": "This list takes too long"}
            return TemplateResponse(request, "moderation/too_long.html", context, status=503)
        if request.method != "POST" and answer.status_code == 200:
            given = request.GET.dict()
            searched = bool(given.pop("q", ""))
            note(request.user, "list", str(self.opts.model_name), searched=searched, given=sorted(given))
        return answer

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        """Redirects to the trail's entries about the row; users who may not see those get Django's page."""
        obj = self.get_object(request, object_id)
        if obj is not None and request.user.has_perm("trail.view_entry"):
            found = reverse("admin:trail_entry_changelist", query={"q": subject_of(obj)})
            return HttpResponseRedirect(found)
        return super().history_view(request, object_id, extra_context)

    def get_actions(self, request: HttpRequest) -> Any:
        actions: dict[str, Any] = super().get_actions(request)
        return {name: (_noted(name, act), name, says) for name, (act, _, says) in actions.items()}

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        note(request.user, "change", subject_of(obj), changed=message, **self.facts_of(obj))
        return super().log_change(request, obj, message)

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        note(request.user, "add", subject_of(obj))
        return super().log_addition(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: models.QuerySet[Any]) -> Any:
        for obj in queryset:
            note(request.user, "delete", subject_of(obj))
        return super().log_deletions(request, queryset)

    def facts_of(self, obj: Any) -> dict[str, Any]:
        """Returns values of a row to record in the audit trail after a change; {} by default."""
        return {}


FILTER_SUFFIXES = ("", "__exact", "__isnull", "__gte", "__lt", "__id__exact")
"""The suffixes that Django's filters append to a column's name to form a lookup."""
DATE_SUFFIXES = ("__year", "__month", "__day", "__gte", "__lt")
"""The suffixes that a list's date hierarchy appends to its column's name to form a lookup."""


def _lookups(page: admin.ModelAdmin[Any]) -> set[str]:
    found: set[str] = set()
    for one in page.list_filter:
        if isinstance(one, str):
            found |= {one + end for end in FILTER_SUFFIXES}
        elif isinstance(one, type) and issubclass(one, admin.SimpleListFilter):
            found.add(str(one.parameter_name))
    return found | {page.date_hierarchy + end for end in DATE_SUFFIXES if page.date_hierarchy}


def _noted(name: str, act: Action) -> Action:
    @wraps(act)
    def noted(page: Any, request: HttpRequest, rows: models.QuerySet[Any]) -> HttpResponse | None:
        asked = list(rows[: MOST + 1])
        if len(asked) > MOST:
            page.message_user(
                request, f"That is for at most {MOST} at once. Nothing was done.", messages.ERROR
            )
            return None
        sure = {"sure": True} if confirming.SURE in request.POST else {}
        with transaction.atomic():
            for row in asked:
                note(request.user, "asks", subject_of(row), action=slugify(name), **sure)
        return act(page, request, rows)

    return noted


Kind = Measure.Kind

LONGEST = 1_000


class Why(ActionForm):
    """The form beside the menu of actions, with a field for a message to the people concerned."""

    why = forms.CharField(label="What they are told", max_length=LONGEST, required=False)


class HowLong(Why):
    """The form beside the menu of actions, with two more fields than `Why`, for mutes and bans."""

    days = forms.ChoiceField(label="Mutes and bans last", choices=PERIODS, initial="7", required=False)
    address_too = forms.BooleanField(label="Also ban the address they last used", required=False)


class Acting(Watched):
    """Base class of admin pages with actions that take measures on the selected rows."""

    action_form: ClassVar[type[ActionForm]] = Why

    def has_act_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("moderation.add_measure")

    @method_decorator(sent_once)
    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        return super().changelist_view(request, extra_context)

    def take(self, request: HttpRequest, kind: Kind, **about: Any) -> Measure | None:
        """Takes the posted measure, or shows why not (None); `about` are arguments of `measures.take`."""
        post, user = request.POST, request.user
        days = post.get("days", "7")
        ends_at = until(days if days in dict(PERIODS) else "7")
        about |= {
            "why": post.get("why", "").strip()[:LONGEST],
            "name": post.get("name", "").strip(),
            "address_too": bool(post.get("address_too")),
            "own_address": limits.address(request),
        }
        try:
            return measures.take(kind, user if user.is_authenticated else None, ends_at=ends_at, **about)
        except ImpossibleMeasure as refusal:
            self.message_user(request, f"{kind.label}: {refusal}", messages.WARNING)
            return None

    def take_all(self, request: HttpRequest, kind: Kind, rows: QuerySet[Any]) -> HttpResponse | None:
        page = confirming.ask_for_measure(self, request, kind, rows, back=request.get_full_path())
        if page is not None:
            return page
        name = str(rows.model._meta.model_name)  # guest, seat or match
        done = sum(self.take(request, kind, **{name: row}) is not None for row in rows)
        if done:
            self.message_user(request, f"Done: {done}.", messages.SUCCESS)
        return None


def takes(kind: Kind, description: str) -> Any:
    """Returns an action that takes a measure of this kind on the selected rows (`Acting.take_all`)."""

    @admin.action(description=description, permissions=["act"])
    def act(page: Acting, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponse | None:
        return page.take_all(request, kind, rows)

    return act
