from django.apps import AppConfig


class TalkConfig(AppConfig):
    name = "robosite.talk"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from robosite.matches import flow
        from robosite.people import parts
        from robosite.talk import guests

        parts.register("talk", guests.PART)
        flow.passed.connect(guests.pass_on, dispatch_uid="talk")
