from django.apps import AppConfig


class TrailConfig(AppConfig):
    name = "robosite.trail"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from robosite import metrics
        from robosite.trail import tally

        metrics.after(tally.answered)
