from django.apps import AppConfig

from robosite.web import trusted_time

trusted_time.install()  # before any model takes `timezone.now` for a default


class MatchesConfig(AppConfig):
    name = "robosite.matches"

    def ready(self) -> None:
        from robosite.matches import gauges, key_check, personal_data
        from robosite.matches.flow import holidays
        from robosite.matches.time import process_heartbeats
        from robosite.people.personal_data import register
        from robosite.web import health

        gauges.register()
        health.add_check(key_check.fault, needed=True)
        health.add_check(process_heartbeats.fault, needed=False)
        health.add_check(trusted_time.fault, needed=False)
        register("matches", personal_data.PART)
        register("holidays", holidays.PART)
