from django.apps import AppConfig


class NoticesConfig(AppConfig):
    name = "robosite.notices"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from robosite.matches import flow
        from robosite.metrics import gauge
        from robosite.notices import facts, outbox, owner
        from robosite.people import parts
        from robosite.talk import messages

        flow.happened.connect(facts.listen, dispatch_uid="notices")
        messages.said.connect(facts.listen_talk, dispatch_uid="notices")
        parts.register("notices", owner.PART)
        gauge(
            "robosite_notices", "Notices that are to be sent: due already, and later.", outbox.waiting, "when"
        )
