from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html

from robosite.matches import flow
from robosite.matches.models import Match, Program, Seat, TakenBack
from robosite.people.models import Guest

admin.site.site_header = admin.site.site_title = "Robosite"
admin.site.index_title = "Moderation"


class ReadOnly(admin.options.BaseModelAdmin):
    """Facts are looked at, never made, changed or deleted by hand."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class SeatInline(ReadOnly, admin.TabularInline):
    model = Seat
    fields = (
        "letter",
        "name",
        "kind",
        "host",
        "taken_at",
        "resigned_turn",
        "draw_turn",
        "wish_turn",
        "wish_declined",
    )
    extra = 0


@admin.register(Match)
class MatchAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("key", "game_slug", "players", "status", "turn", "created_at", "changed_at")
    list_filter = ("status", "game_slug", "listed", "created_at")
    search_fields = ("key", "seats__name")
    date_hierarchy = "created_at"
    fields = (
        "key",
        "page",
        "game_slug",
        "rules",
        "given_options",
        "setup",
        "status",
        "turn",
        "taken_back",
        "version",
        "listed",
        "watched",
        "deadline_hours",
        "late",
        "deadline",
        "outcome_json",
        "created_at",
        "changed_at",
    )
    inlines = (SeatInline,)
    actions = ("close",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        return super().get_queryset(request).prefetch_related("seats")

    @admin.display(description="players")
    def players(self, match: Match) -> str:
        return ", ".join(seat.name for seat in match.seats.all() if seat.taken)

    @admin.display(description="public page")
    def page(self, match: Match) -> str:
        return format_html('<a href="{}">what a watcher sees</a>', match.get_absolute_url())

    def has_close_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("matches.change_match")

    @admin.action(description="Close the matches: called off, nobody wins", permissions=["close"])
    def close(self, request: HttpRequest, matches: QuerySet[Match]) -> None:
        closed = 0
        for match in matches:
            try:
                flow.close(match)
            except flow.Refused as refusal:
                self.message_user(request, f"{match.key}: {refusal}", messages.WARNING)
            else:
                closed += 1
        if closed:
            self.message_user(request, f"Closed: {closed}.", messages.SUCCESS)


@admin.register(Seat)
class SeatAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("name", "letter", "match", "kind", "host", "taken_at")
    list_filter = ("kind", "host")
    list_select_related = ("match",)
    search_fields = ("name", "match__key")
    fields = (
        "match",
        "letter",
        "name",
        "kind",
        "host",
        "taken_at",
        "resigned_turn",
        "draw_turn",
        "wish_turn",
        "wish_declined",
    )


@admin.register(Program)
class ProgramAdmin(ReadOnly, admin.ModelAdmin):
    """Programs as everybody may see them: of a sealed one only the seal, of a draft nothing."""

    list_display = ("__str__", "match", "seal", "sealed_at", "order", "by")
    list_select_related = ("seat__match",)
    search_fields = ("seat__match__key", "seat__name", "seal")
    fields = ("seat", "turn", "seal", "sealed_at", "order", "nonce", "by")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Program]:
        programs = super().get_queryset(request)
        return programs.exclude(seal="", order="")

    @admin.display(description="match", ordering="seat__match")
    def match(self, program: Program) -> str:
        return program.seat.match.key


@admin.register(TakenBack)
class TakenBackAdmin(ReadOnly, admin.ModelAdmin):
    """Turns that were taken back by consent: played, seen by all, and no part of the match any more."""

    list_display = ("__str__", "match", "number", "order", "seal", "sealed_at", "taken_back_at")
    list_select_related = ("seat__match",)
    search_fields = ("seat__match__key", "seat__name", "seal")
    fields = ("seat", "number", "turn", "order", "nonce", "seal", "sealed_at", "taken_back_at")

    @admin.display(description="match", ordering="seat__match")
    def match(self, turn: TakenBack) -> str:
        return turn.seat.match.key


@admin.register(Guest)
class GuestAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("name", "created_at")
    search_fields = ("name",)
    fields = ("name", "created_at")
