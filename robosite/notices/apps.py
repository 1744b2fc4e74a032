from django.apps import AppConfig


class NoticesConfig(AppConfig):
    name = "robosite.notices"

    def ready(self) -> None:
        from robosite.api import challenges, league_views  # noqa: F401  (its calls stand before the channels’)
        from robosite.leagues import flow as leagues
        from robosite.leagues import league_talk, next_season
        from robosite.matches import flow
        from robosite.notices import (  # noqa: F401
            channel_calls,
            facts,
            parcels,
            personal_data,
            subscriptions,
            webhooks,
        )
        from robosite.people import current_guest, mail
        from robosite.people.personal_data import register
        from robosite.talk import messages, undo

        flow.happened.connect(facts.listen, dispatch_uid="notices")
        league_talk.heard.connect(facts.listen_league_heard, dispatch_uid="notices")
        leagues.begun.connect(facts.listen_begun, dispatch_uid="notices")
        next_season.announced.connect(facts.listen_announced, dispatch_uid="notices")
        flow.passed.connect(facts.listen_passed, dispatch_uid="notices")
        challenges.invited.connect(webhooks.listen_invited, dispatch_uid="notices")
        messages.said.connect(facts.listen_talk, dispatch_uid="notices")
        undo.taken_back.connect(facts.listen_taken_back, dispatch_uid="notices")
        mail.confirmed.connect(parcels.listen_confirmed, dispatch_uid="notices")
        current_guest.session_moved.connect(subscriptions.note_moved, dispatch_uid="notices")
        current_guest.session_ended.connect(subscriptions.drop_pushes, dispatch_uid="notices")
        current_guest.others_signed_out.connect(subscriptions.shut_others_out, dispatch_uid="notices")
        register("notices", personal_data.PART)
        _register_gauges()


def _register_gauges() -> None:
    from robosite.notices import letter_sending, outbox
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
        letter_sending.oldest,
    )
