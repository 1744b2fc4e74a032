from django.apps import AppConfig


class MatchesConfig(AppConfig):
    name = "robosite.matches"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from robosite.matches import figures, guests, holidays
        from robosite.people import parts

        figures.register()
        parts.register("matches", guests.PART)
        parts.register("holidays", holidays.PART)
