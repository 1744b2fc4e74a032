from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "robosite.api"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from robosite.api import challenges, programs
        from robosite.lobby import opponents
        from robosite.people.personal_data import register

        register("program", programs.PART)
        opponents.register(challenges.are_taking)
