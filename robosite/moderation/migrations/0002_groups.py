from django.db import migrations

MODERATOR = (
    ("matches", "match", "match", ("view", "change")),  # change: close it
    ("matches", "seat", "seat", ("view",)),
    ("people", "guest", "guest", ("view",)),
    ("moderation", "report", "report", ("view", "change")),  # change: dismiss it
    ("moderation", "measure", "measure", ("view", "add", "change")),  # change: lift it
)
HOST = (
    ("matches", "match", "match", ("view",)),
    ("matches", "seat", "seat", ("view",)),
    ("matches", "program", "program", ("view",)),
    ("matches", "takenback", "turn taken back", ("view",)),
    ("notices", "channel", "channel", ("view",)),
    ("notices", "parcel", "parcel", ("view",)),
    ("trail", "entry", "entry", ("view",)),
)


def make(apps, editor):
    """Creates the groups, and gives them their permissions.

    Django creates permissions only after all migrations, so those that are needed are created here.
    """
    database = editor.connection.alias
    Group = apps.get_model("auth", "Group").objects.using(database)
    Permission = apps.get_model("auth", "Permission").objects.using(database)
    ContentType = apps.get_model("contenttypes", "ContentType").objects.using(database)
    for name, rights in (("moderator", MODERATOR), ("host", HOST)):
        group, _ = Group.get_or_create(name=name)
        for app, model, called, verbs in rights:
            kind, _ = ContentType.get_or_create(app_label=app, model=model)
            for verb in verbs:
                right, _ = Permission.get_or_create(
                    content_type=kind, codename=f"{verb}_{model}", defaults={"name": f"Can {verb} {called}"}
                )
                group.permissions.add(right)


def remove(apps, editor):
    groups = apps.get_model("auth", "Group").objects.using(editor.connection.alias)
    groups.filter(name__in=("moderator", "host")).delete()


class Migration(migrations.Migration):
    """Creates the groups of moderators and of hosts (who run the site); a user can be in both."""

    dependencies = [
        ("moderation", "0001_release_2026_11_25"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(make, remove)]
