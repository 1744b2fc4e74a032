"""Answers written requests for personal data: a host exports or erases a guest's data, without secrets."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import translation
from django.utils.html import format_html_join

from robosite.matches.models import Seat, held_by
from robosite.moderation import confirming, watched
from robosite.people import personal_data
from robosite.people.current_guest import begin_to_forget, forget_steps
from robosite.people.models import Guest
from robosite.trail.entries import note, subject_of

SHOWN = 50


class AnswersDataRequests(admin.ModelAdmin):
    """An admin of guests with buttons to export and to erase a guest's data."""

    change_form_template = "moderation/guest.html"

    def has_export_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("people.export_guest")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Guest], search_term: str
    ) -> tuple[QuerySet[Guest], bool]:
        if not self.has_export_permission(request) or not search_term.strip():
            return super().get_search_results(request, queryset, search_term)
        return queryset.filter(watched.found_for_data_request(search_term.strip())), False

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = [*super().get_fields(request, obj)]
        return [*fields, "has_address", "seats"] if self.has_export_permission(request) else fields

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [*super().get_readonly_fields(request, obj), "has_address", "seats"]

    @admin.display(description="confirmed address", boolean=True)
    def has_address(self, guest: Guest) -> bool:
        return bool(guest.email)

    @admin.display(description="sits at")
    def seats(self, guest: Guest) -> str:
        held = Seat.objects.filter(held_by(guest)).select_related("match").order_by("-pk")[:SHOWN]
        rows = ((seat.match.get_absolute_url(), seat.match, seat) for seat in held)
        return format_html_join("", '<div><a href="{}">{}</a>: seat {}</div>', rows) or "–"

    def posted(self, request: HttpRequest, guest: Guest) -> HttpResponse:
        """Exports or, once confirmed, erases the guest's data; 403 without the right, 404 once erased."""
        if guest.leaving_at:
            raise Http404
        does = {"export": self._export, "erase": self._erase}
        do = request.POST.get("do", "")
        if do not in does or not request.user.has_perm(f"people.{do}_guest"):
            raise PermissionDenied
        return does[do](request, guest)

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **given: Any) -> Any:
        present = given["obj"] is not None and not given["obj"].leaving_at
        context["may_export"] = present and self.has_export_permission(request)
        context["may_erase"] = present and request.user.has_perm("people.erase_guest")
        return super().render_change_form(request, context, *args, **given)

    def _export(self, request: HttpRequest, guest: Guest) -> HttpResponse:
        text = personal_data.export_for_host(guest.became or guest, request)
        note(request.user, "export-guest", subject_of(guest))
        response = HttpResponse(text, content_type="application/json")
        response["Content-Disposition"] = 'attachment; filename="robosite.json"'
        response["Cache-Control"] = "no-store, private"
        return response

    def _erase(self, request: HttpRequest, guest: Guest) -> HttpResponse:
        guest = guest.became or guest
        with translation.override("en"):
            sentences = [*personal_data.warnings(guest), *personal_data.what_stays()]
        page = confirming.ask(
            self,
            request,
            about=f"erase:{guest.pk}",
            question="Erase this guest for ever?",
            button=f"erase {guest}",
            consequences=[
                f"{guest}, first seen {guest.created_at:%Y-%m-%d}, is told this by their own page:",
                *sentences,
            ],
            back=reverse("admin:people_guest_change", args=[guest.pk]),
        )
        if page is not None:
            note(request.user, "asks", subject_of(guest), action="erase")
            return page
        with transaction.atomic():
            begun = begin_to_forget(guest)
            if begun:
                note(request.user, "erase-guest", subject_of(guest))
        if begun:
            forget_steps(guest)
            self.message_user(
                request, "Erased. Seats at many tables follow within minutes.", messages.SUCCESS
            )
        else:
            self.message_user(request, "This guest was erased already.", messages.WARNING)
        return HttpResponseRedirect(reverse("admin:people_guest_changelist"))
