from django.db import migrations, models

BITS = {
    16: ("pigs", "turn 0"),
    32: ("roboxing", "turn 0"),
    64: ("roboxing", "turn 1"),
    128: ("roboxing", "turn 2"),
    256: ("robosoccer", "news 0"),
    512: ("robosoccer", "news 1"),
    2048: ("robosoccer", "turn 0"),
    4096: ("robble", "turn 0"),
    8192: ("robosoccer", "news 2"),
    16384: ("robosoccer", "news 3"),
}
"""The meaning of the bits of `Guest.flags` in releases up to 2026.11.28."""


def read_bits(apps, editor):
    guests = apps.get_model("people", "Guest").objects
    for guest in guests.annotate(set=models.F("flags").bitand(sum(BITS))).filter(set__gt=0).iterator():
        seen = {}
        for bit, (slug, name) in BITS.items():
            if guest.flags & bit:
                seen.setdefault(slug, []).append(name)
        if guest.flags & 16384:
            seen["robosoccer"].append("news 4")
        guests.filter(pk=guest.pk).update(seen=seen)


class Migration(migrations.Migration):
    dependencies = [
        ("people", "0013_codes_of_letters"),
    ]

    operations = [
        migrations.AddField(
            model_name="guest",
            name="seen",
            field=models.JSONField(db_default={}, default=dict, verbose_name="explanations read, by game"),
        ),
        migrations.RunPython(read_bits, migrations.RunPython.noop, elidable=True),
    ]
