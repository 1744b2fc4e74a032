"""The admin's pages. Only the accounts of staff can be edited, and only by superusers."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.utils.html import format_html

from robosite.leagues import flow as leagues
from robosite.leagues.models import League, Place
from robosite.matches import flow
from robosite.matches.models import Match, Program, Seat, TakenBack
from robosite.moderation import confirming, desk, watched  # noqa: F401 - the desk registers its pages
from robosite.moderation.data_requests import AnswersDataRequests
from robosite.moderation.models import Measure, SecondFactor
from robosite.moderation.watched import Acting, HowLong, OfGame, Programs, ReadOnly, Watched, takes
from robosite.notices.models import Channel, Parcel
from robosite.people.models import Guest
from robosite.trail.entries import note, subject_of
from robosite.trail.models import Entry
from robosite.web.written_names import Name

Kind = Measure.Kind


class SeatInline(ReadOnly, admin.TabularInline):
    model = Seat
    fields = (
        "letter",
        "name",
        "kind",
        "host",
        "taken_at",
        "resigned_turn",
        "timed_out",
        "draw_turn",
        "wish_turn",
        "wish_declined",
    )
    extra = 0


@admin.register(Match)
class MatchAdmin(Acting):
    list_display = ("key", "game_slug", "players", "status", "turn", "created_at", "changed_at")
    list_filter = ("status", OfGame, "listed", "created_at")
    search_fields = ("key", "seats__name")
    search_help_text = "The key of a match, or the whole name of a player"
    found_by = staticmethod(watched.found_matches)
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
        "reserve_hours",
        "reveal_at",
        "late",
        "weekends_off",
        "zone",
        "deadline",
        "due",
        "paused",
        "outcome_json",
        "created_at",
        "changed_at",
    )
    inlines = (SeatInline,)
    actions = ("close", "unlist")
    unlist = takes(Kind.UNLIST, "Take off the open tables")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        return super().get_queryset(request).prefetch_related("seats")

    @admin.display(description="players")
    def players(self, match: Match) -> str:
        return ", ".join(str(Name(seat.name)) for seat in match.seats.all() if seat.taken)

    @admin.display(description="public page")
    def page(self, match: Match) -> str:
        return format_html('<a href="{}">what a spectator sees</a>', match.get_absolute_url())

    def has_close_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("matches.change_match")

    @admin.action(description="Close the matches: cancelled, no one wins", permissions=["close"])
    def close(self, request: HttpRequest, matches: QuerySet[Match]) -> HttpResponse | None:
        page = confirming.ask_for_measure(self, request, Kind.CLOSE, matches, back=request.get_full_path())
        if page is not None:
            return page
        closed = 0
        for match in matches:
            try:
                with transaction.atomic():
                    flow.close(match)
                    note(request.user, "close", subject_of(match))
            except flow.Refused as refusal:
                self.message_user(request, f"{match.key}: {refusal}", messages.WARNING)
            else:
                closed += 1
        if closed:
            self.message_user(request, f"Closed: {closed}.", messages.SUCCESS)
        return None


@admin.register(Seat)
class SeatAdmin(Acting):
    actions = ("rename", "revoke")
    rename = takes(Kind.RENAME, "Give this player another name")
    revoke = takes(Kind.REVOKE, "Revoke the links: browsers in these seats are signed out")
    list_display = ("name", "letter", "match", "kind", "host", "taken_at")
    ordering = ("-pk",)
    list_filter = ("kind", "host")
    list_select_related = ("match",)
    search_fields = ("name", "match__key")
    search_help_text = "The whole name of a player, or the key of a match"
    found_by = staticmethod(watched.found_seats)
    fields = ("match", *SeatInline.fields)


class _OfSeat(Watched):
    list_select_related = ("seat__match",)
    search_fields = ("seat__match__key", "seat__name")
    search_help_text = "The key of a match, or the whole name of a player"
    found_by = staticmethod(watched.found_by_seat)

    @admin.display(description="match", ordering="seat__match")
    def match(self, row: Program | TakenBack) -> str:
        return row.seat.match.key


@admin.register(Program)
class ProgramAdmin(_OfSeat):
    """Players' orders (one row for each seat in each turn), with the fields that everybody may see."""

    list_display = ("__str__", "match", "seal", "sealed_at", "order", "by")
    fields = ("seat", "turn", "seal", "sealed_at", "order", "nonce", "by")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Program]:
        programs: QuerySet[Program] = super().get_queryset(request)
        return programs.exclude(seal="", order="")


@admin.register(TakenBack)
class TakenBackAdmin(_OfSeat):
    """Orders of turns that all players agreed to take back: everybody has seen them."""

    list_display = ("__str__", "match", "number", "order", "seal", "sealed_at", "taken_back_at")
    fields = ("seat", "number", "turn", "order", "nonce", "seal", "sealed_at", "taken_back_at")


@admin.register(Guest)
class GuestAdmin(AnswersDataRequests, Acting):
    action_form = HowLong
    actions = ("warn", "rename", "mute", "ban")
    warn = takes(Kind.WARN, "Warn")
    rename = takes(Kind.RENAME, "Give another name")
    mute = takes(Kind.MUTE, "Mute")
    ban = takes(Kind.BAN, "Ban")
    list_display = ("name", "is_program", "created_at")
    list_filter = (Programs,)
    list_select_related = ("program",)
    search_fields = ("name",)
    search_help_text = "The whole name of a guest"
    found_by = staticmethod(watched.found_guests)
    fields = ("name", "is_program", "about", "url", "created_at")

    @admin.display(description="program", boolean=True)
    def is_program(self, guest: Guest) -> bool:
        return hasattr(guest, "program")

    @admin.display(description="description")
    def about(self, guest: Guest) -> str:
        return guest.program.about if self.is_program(guest) else ""

    @admin.display(description="web page")
    def url(self, guest: Guest) -> str:
        return guest.program.url if self.is_program(guest) else ""


@admin.register(Channel)
class ChannelAdmin(Watched):
    """Guests' channels for notices, with their state and the first three characters of their labels."""

    list_display = ("kind", "guest", "where", "on", "succeeded_at", "failed_at", "fault")
    list_filter = ("kind", "on")
    list_select_related = ("guest",)
    fields = (
        "kind",
        "guest",
        "where",
        "tells",
        "when",
        "on",
        "succeeded_at",
        "failed_at",
        "fault",
        "failures",
    )

    @admin.display(description="where")
    def where(self, channel: Channel) -> str:
        return f"{channel.label[:3]}…" if channel.label else "…"


@admin.register(Parcel)
class ParcelAdmin(Watched):
    """The sending of notices, waiting or done, with its outcome; without the notices' content."""

    list_display = ("__str__", "match", "due_at", "state", "tries", "closed_at")
    list_filter = ("state", "what")
    list_select_related = ("channel", "match")
    fields = ("what", "match", "due_at", "state", "tries", "unclear", "claimed_until", "closed_at")


@admin.register(Entry)
class EntryAdmin(Watched):
    """The audit trail. Only `manage.py audit --verify` checks that it is complete and unchanged."""

    list_display = ("number", "at", "who", "action", "subject", "facts")
    list_filter = ("action",)
    search_fields = ("=subject", "who")
    search_help_text = "A subject, as match:k3v9qx7m2abc, or a name"
    ordering = ("-number",)
    fields = ("number", "at", "who", "action", "subject", "facts", "before", "hash")


admin.site.unregister((User, Group))


class HasSecondFactor(admin.SimpleListFilter):
    title, parameter_name = "second factor", "factor"

    def lookups(self, request: HttpRequest, page: object) -> list[tuple[str, str]]:
        return [("1", "Yes"), ("0", "No")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> QuerySet[User]:
        having = SecondFactor.objects.filter(confirmed=True).values("user")
        if self.value() == "1":
            return queryset.filter(pk__in=having)
        return queryset.exclude(pk__in=having) if self.value() == "0" else queryset


@admin.register(User)
class StaffAdmin(Watched, UserAdmin):
    """Staff's accounts: superusers change them, `manage.py staff` creates them, nothing deletes them."""

    list_display = ("username", "rights", "has_second_factor", "is_active", "is_staff", "last_login")
    list_filter = ("groups", HasSecondFactor, "is_superuser", "is_staff", "is_active")
    fieldsets = (
        (None, {"fields": ("username", "password", "has_second_factor")}),
        ("Permissions", {"fields": ("is_active", "is_staff", "is_superuser", "groups")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    search_fields = ("username",)
    readonly_fields = ("username", "has_second_factor", "is_superuser", "last_login", "date_joined")
    filter_horizontal = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        factors = SecondFactor.objects.filter(user=OuterRef("pk"), confirmed=True)
        users: QuerySet[User] = super().get_queryset(request)
        return users.prefetch_related("groups").annotate(with_factor=Exists(factors))

    @admin.display(description="groups")
    def rights(self, user: User) -> str:
        names = sorted(group.name for group in user.groups.all()) + ["superuser"] * user.is_superuser
        return ", ".join(names) or "–"

    @admin.display(description="second factor", boolean=True)
    def has_second_factor(self, user: User) -> bool:
        return bool(getattr(user, "with_factor", False))

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_active and request.user.is_superuser

    has_change_permission = has_view_permission

    user_change_password = method_decorator(transaction.atomic)(UserAdmin.user_change_password)

    def facts_of(self, obj: User) -> dict[str, Any]:
        groups = sorted(obj.groups.values_list("name", flat=True))
        return {"active": obj.is_active, "staff": obj.is_staff, "groups": groups}


@admin.register(Group)
class RightsAdmin(Watched, GroupAdmin):
    """The groups of moderators and hosts. Only migrations set their permissions."""


NAMELESS = "League"


class PlaceInline(ReadOnly, admin.TabularInline):
    model = Place
    fields = ("number", "name", "kind", "taken_at", "gone", "left_at", "once", "came_division", "came_row")
    extra = 0


@admin.register(League)
class LeagueAdmin(Watched):
    list_display = ("key", "name", "format", "game_slug", "status", "created_at", "started_at", "ends")
    list_filter = ("status", "format", OfGame)
    search_fields = ("key", "name")
    search_help_text = "The key or the whole name of a league, or the whole name of a player"
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

    @staticmethod
    def found_by(words: str) -> Q:
        return Q(key=words) | Q(name__iexact=words) | Q(places__name__iexact=words)

    @admin.display(description="public page")
    def page(self, league: League) -> str:
        return format_html('<a href="{}">what everybody sees</a>', league.get_absolute_url())

    def has_act_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("leagues.change_league")

    @admin.action(description="Close the leagues: running matches are cancelled", permissions=["act"])
    def close(self, request: HttpRequest, rows: QuerySet[League]) -> HttpResponse | None:
        page = confirming.ask(
            self,
            request,
            about=f"close {' '.join(rows.values_list('key', flat=True))}",
            question="Close these leagues?",
            button="Close them",
            consequences=["Their matches that go on are called off and count for nobody. This stays."],
            back=request.get_full_path(),
        )
        if page is not None:
            return page
        for league in rows:
            with transaction.atomic():
                leagues.close(league)
                note(request.user, "close", subject_of(league))
        self.message_user(request, "Closed.", messages.SUCCESS)
        return None

    @admin.action(description=f"Take the name away: “{NAMELESS}”", permissions=["act"])
    def rename(self, request: HttpRequest, rows: QuerySet[League]) -> None:
        for league in rows:
            with transaction.atomic():
                leagues.rename(league, NAMELESS)
                note(request.user, "rename", subject_of(league))
        self.message_user(request, "The name was taken away.", messages.SUCCESS)
