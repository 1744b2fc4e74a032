from django.apps import AppConfig

from robosite.web import trusted_time

trusted_time.install()  # before any model takes `timezone.now` for a default


class MatchesConfig(AppConfig):
    name = "robosite.matches"

    def ready(self) -> None:
        from robosite.matches import gauges, key_check, personal_data
        from robosite.matches.flow import pauses
        from robosite.matches.site_models import ProcessHeartbeat
        from robosite.people.personal_data import parts
        from robosite.web import health

        gauges.register()
        health.needed.append(key_check.fault)
        health.watched += [ProcessHeartbeat.fault, trusted_time.fault]
        parts["matches"] = personal_data.PART
        parts["holidays"] = pauses.PART
