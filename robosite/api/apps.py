from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "robosite.api"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from robosite.api import programs
        from robosite.people.personal_data import register

        register("program", programs.PART)
