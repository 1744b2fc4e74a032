"""Base classes for lists in the admin whose actions take measures on the selected rows."""

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator

from robosite.moderation import confirming, measures
from robosite.moderation.measures import PERIODS, ImpossibleMeasure, until
from robosite.moderation.models import Measure
from robosite.people.sent_forms import sent_once
from robosite.web import limits

Kind = Measure.Kind

LONGEST = 1_000


class Why(ActionForm):
    """The form beside the menu of actions, with a field for a message to the people concerned."""

    why = forms.CharField(label="What they are told", max_length=LONGEST, required=False)


class HowLong(Why):
    """The form beside the menu of actions, with two more fields than `Why`, for mutes and bans."""

    days = forms.ChoiceField(label="Mutes and bans last", choices=PERIODS, initial="7", required=False)
    address_too = forms.BooleanField(label="Also ban the address they last used", required=False)


class Acting(admin.ModelAdmin):
    """Base class of admin pages with actions that take measures on the selected rows."""

    action_form: ClassVar[type[ActionForm]] = Why

    class Media:
        css: ClassVar = {"all": ["css/queue.css"]}

    def has_act_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("moderation.add_measure")

    @method_decorator(sent_once)
    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        return super().changelist_view(request, extra_context)

    def take(self, request: HttpRequest, kind: Kind, **about: Any) -> Measure | None:
        """Takes the posted measure, or says why not; `about` are more arguments of `measures.take`."""
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
