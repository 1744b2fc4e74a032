from django.apps import AppConfig


class MatchesConfig(AppConfig):
    name = "robosite.matches"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from robosite.matches import personal_data
        from robosite.matches.flow import holidays
        from robosite.matches.live import gauges
        from robosite.people.personal_data import register

        gauges.register()
        register("matches", personal_data.PART)
        register("holidays", holidays.PART)
