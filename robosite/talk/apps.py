from django.apps import AppConfig


class TalkConfig(AppConfig):
    name = "robosite.talk"

    def ready(self) -> None:
        from robosite.matches import flow
        from robosite.people.personal_data import register
        from robosite.talk import messages, personal_data

        register("talk", personal_data.PART)
        flow.passed.connect(personal_data.pass_on, dispatch_uid="talk")
        flow.passed.connect(messages.tell_handover, dispatch_uid="told in talk")
