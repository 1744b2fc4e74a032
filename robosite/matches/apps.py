from django.apps import AppConfig

from robosite.web import trusted_time

trusted_time.install()  # before any model takes `timezone.now` for a default


class MatchesConfig(AppConfig):
    name = "robosite.matches"

    def ready(self) -> None:
        from django.core.signals import request_started
        from django.db.backends.signals import connection_created

        from robosite.matches import gauges, key_check, personal_data
        from robosite.matches.flow import holidays
        from robosite.matches.time import heartbeat, process_heartbeats
        from robosite.people.personal_data import register
        from robosite.web import health

        connection_created.connect(heartbeat.follow_at_first, dispatch_uid="time")
        request_started.connect(heartbeat.follow_in_doubt, dispatch_uid="time")
        gauges.register()
        health.add_check(key_check.fault, needed=True)
        health.add_check(process_heartbeats.fault, needed=False)
        health.add_check(trusted_time.fault, needed=False)
        register("matches", personal_data.PART)
        register("holidays", holidays.PART)
