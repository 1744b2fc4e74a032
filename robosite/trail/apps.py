from django.apps import AppConfig


class TrailConfig(AppConfig):
    name = "robosite.trail"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from robosite.trail import tally
        from robosite.web import metrics

        metrics.after(tally.count_answer)
