from django.apps import AppConfig


class TrailConfig(AppConfig):
    name = "robosite.trail"

    def ready(self) -> None:
        from robosite.trail import entries
        from robosite.web import metrics

        metrics.observers.append(entries.count_answer)
