from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("talk", "0002_said_once")]

    operations = [
        migrations.RenameModel("Ear", "Recipient"),
        migrations.RenameModel("Scribble", "TurnNote"),
        migrations.AlterField(
            "recipient",
            "message",
            models.ForeignKey(on_delete=models.CASCADE, related_name="recipients", to="talk.message"),
        ),
        migrations.AlterField(
            "recipient",
            "seat",
            models.ForeignKey(on_delete=models.CASCADE, related_name="recipients", to="matches.seat"),
        ),
        migrations.AlterField(
            "turnnote",
            "seat",
            models.ForeignKey(on_delete=models.CASCADE, related_name="turn_notes", to="matches.seat"),
        ),
    ]
