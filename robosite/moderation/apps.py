from django.apps import AppConfig
from django.contrib.admin import apps as admin


class ModerationConfig(AppConfig):
    name = "robosite.moderation"

    def ready(self) -> None:
        from robosite.moderation import measures, personal_data, traces
        from robosite.people import names, restrictions
        from robosite.people.personal_data import parts

        restrictions.checks.append(measures.restriction_of)
        restrictions.listeners.append(traces.note_trace)
        names.taken_away_checks.append(measures.is_taken_away)
        parts["moderation"] = personal_data.PART


class StaffConfig(admin.AdminConfig):
    """Makes StaffSite the default admin site (`admin.site`)."""

    default_site = "robosite.moderation.site.StaffSite"
    default = False
