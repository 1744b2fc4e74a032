from django.apps import AppConfig


class TalkConfig(AppConfig):
    name = "robosite.talk"

    def ready(self) -> None:
        from robosite.people.personal_data import parts
        from robosite.talk import personal_data

        parts["talk"] = personal_data.PART
