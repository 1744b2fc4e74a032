from django.apps import AppConfig


class ModerationConfig(AppConfig):
    name = "robosite.moderation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from robosite.moderation import guests, measures, traces
        from robosite.people import bars, parts

        bars.register(measures.bar, traces.note_trace)
        parts.register("moderation", guests.PART)
