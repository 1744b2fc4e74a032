"""Leagues in the admin: moderators can close them and take away their names, but change no results."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html

from robosite.leagues import flow
from robosite.leagues.models import League, Place
from robosite.moderation import confirming, large_lists
from robosite.moderation.watched import ReadOnly, Watched
from robosite.trail.entries import note, subject_of

NAMELESS = "League"


def found_leagues(words: str) -> Q:
    """Returns a condition for leagues whose key or name is `words`, or that have a player named `words`."""
    return Q(key=words) | Q(name__iexact=words) | Q(places__name__iexact=words)


class PlaceInline(ReadOnly, admin.TabularInline):
    model = Place
    fields = ("number", "name", "kind", "taken_at", "gone", "left_at", "once", "came_division", "came_row")
    extra = 0


@admin.register(League)
class LeagueAdmin(Watched):
    list_display = ("key", "name", "format", "game_slug", "status", "created_at", "started_at", "ends")
    list_filter = ("status", "format", large_lists.OfGame)
    search_fields = ("key", "name")
    search_help_text = "The key or the whole name of a league, or the whole name of a player"
    found_by = staticmethod(found_leagues)
    fields = (
        "key",
        "format",
        "page",
        "name",
        "season",
        "previous",
        "game_slug",
        "rules",
        "given_options",
        "status",
        "most_places",
        "table_seats",
        "scoring",
        "legs",
        "every_days",
        "deadline_hours",
        "reserve_hours",
        "reveal_at",
        "late",
        "listed",
        "for_programs",
        "created_at",
        "started_at",
        "ends",
        "over_at",
        "closed",
    )
    inlines = (PlaceInline,)
    actions = ("close", "rename")

    @admin.display(description="public page")
    def page(self, league: League) -> str:
        return format_html('<a href="{}">what everybody sees</a>', league.get_absolute_url())

    def has_act_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("leagues.change_league")

    @admin.action(description="Close the leagues: what goes on is called off", permissions=["act"])
    def close(self, request: HttpRequest, leagues: QuerySet[League]) -> HttpResponse | None:
        page = confirming.ask(
            self,
            request,
            about=f"close {' '.join(leagues.values_list('key', flat=True))}",
            question="Close these leagues?",
            button="Close them",
            consequences=["Their matches that go on are called off and count for nobody. This stays."],
            back=request.get_full_path(),
        )
        if page is not None:
            return page
        for league in leagues:
            with transaction.atomic():
                flow.close(league)
                note(request.user, "close", subject_of(league))
        self.message_user(request, "Closed.", messages.SUCCESS)
        return None

    @admin.action(description=f"Take the name away: “{NAMELESS}”", permissions=["act"])
    def rename(self, request: HttpRequest, leagues: QuerySet[League]) -> None:
        for league in leagues:
            with transaction.atomic():
                flow.rename(league, NAMELESS)
                note(request.user, "rename", subject_of(league))
        self.message_user(request, "The name was taken away.", messages.SUCCESS)
