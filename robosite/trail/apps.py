from django.apps import AppConfig


class TrailConfig(AppConfig):
    name = "robosite.trail"

    def ready(self) -> None:
        from robosite.trail import tally
        from robosite.web import metrics

        metrics.after(tally.count_answer)
