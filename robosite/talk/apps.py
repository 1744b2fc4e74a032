from django.apps import AppConfig


class TalkConfig(AppConfig):
    name = "robosite.talk"

    def ready(self) -> None:
        from robosite.people.personal_data import register
        from robosite.talk import personal_data

        register("talk", personal_data.PART)
