from django.db import migrations

RIGHTS = {"moderator": ("view", "change"), "host": ("view",)}  # change: close it, take its name away


def make(apps, editor):
    """Gives moderators and hosts their permissions for leagues.

    Django creates permissions only after all migrations, so those that are needed are created here.
    """
    database = editor.connection.alias
    Group = apps.get_model("auth", "Group").objects.using(database)
    Permission = apps.get_model("auth", "Permission").objects.using(database)
    ContentType = apps.get_model("contenttypes", "ContentType").objects.using(database)
    kind, _ = ContentType.get_or_create(app_label="leagues", model="league")
    for name, verbs in RIGHTS.items():
        group, _ = Group.get_or_create(name=name)
        for verb in verbs:
            right, _ = Permission.get_or_create(
                content_type=kind, codename=f"{verb}_league", defaults={"name": f"Can {verb} league"}
            )
            group.permissions.add(right)


def remove(apps, editor):
    Permission = apps.get_model("auth", "Permission").objects.using(editor.connection.alias)
    for group in (
        apps.get_model("auth", "Group").objects.using(editor.connection.alias).filter(name__in=RIGHTS)
    ):
        group.permissions.remove(*Permission.filter(content_type__app_label="leagues"))


class Migration(migrations.Migration):
    dependencies = [
        ("moderation", "0007_hosts_answer_letters"),
        ("leagues", "0001_leagues"),
    ]

    operations = [migrations.RunPython(make, remove)]
