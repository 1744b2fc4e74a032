from django.apps import AppConfig


class NoticesConfig(AppConfig):
    name = "robosite.notices"

    def ready(self) -> None:
        from robosite.api import league_views, match_views, table_views  # noqa: F401  (before the channels’)
        from robosite.notices import (  # noqa: F401
            channel_calls,
            facts,
            parcels,
            personal_data,
            subscriptions,
            webhooks,
        )
        from robosite.people.personal_data import parts

        parts["notices"] = personal_data.PART
        _register_gauges()


def _register_gauges() -> None:
    from robosite.notices import outbox, parcels
    from robosite.web.metrics import gauge

    gauge("robosite_notices", "Notices that are to be sent: due already, and later.", outbox.waiting, "when")
    gauge(
        "robosite_oldest_due_notice_seconds",
        "How long the notice that is due for longest has waited.",
        outbox.oldest_due,
    )
    gauge(
        "robosite_notices_given_up",
        "Notices of the last day that could not be delivered.",
        outbox.given_up,
        "channel",
    )
    gauge(
        "robosite_oldest_letter_seconds",
        "How long the oldest mail that somebody asked for has waited to be sent.",
        parcels.oldest_letter,
    )
