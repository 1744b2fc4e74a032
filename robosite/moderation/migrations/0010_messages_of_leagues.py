from django.db import migrations

from robosite.talk.moved_messages import move_messages


class Migration(migrations.Migration):
    """Moves the messages of leagues among the others. The columns stay for older releases."""

    dependencies = [
        ("moderation", "0009_reports_of_leagues"),
        ("talk", "0004_talk_of_leagues"),
    ]

    operations = [
        migrations.RunPython(
            lambda apps, editor: move_messages(editor.connection), migrations.RunPython.noop, elidable=True
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField("report", "league_message"),
                migrations.RemoveField("measure", "league_message"),
            ]
        ),
    ]
