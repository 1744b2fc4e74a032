from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "robosite.api"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from robosite.api import challenges, problems, programs
        from robosite.people import cost
        from robosite.people.personal_data import register
        from robosite.play import opponents

        cost.register(problems.too_costly)
        register("program", programs.PART)
        opponents.register(challenges.any_accepting)
