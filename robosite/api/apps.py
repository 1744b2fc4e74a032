from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "robosite.api"

    def ready(self) -> None:
        from robosite.api import challenges, problems, programs
        from robosite.api.models import KeptAnswer
        from robosite.matches.time import heartbeat
        from robosite.people import cost, sent_forms
        from robosite.people.personal_data import parts
        from robosite.play import opponents

        heartbeat.moved_rows.append(heartbeat.Moved(KeptAnswer.objects.all, "made_at", sent_forms.KEPT_FOR))
        cost.register(problems.too_costly)
        parts["program"] = programs.PART
        opponents.program_checks.append(lambda game: challenges.accepting(game).exists())
