"""Makes the site's database and tables of two in it: `python -m tests.faults.drills.tables COUNT`.

Prints them. On seat B sits a guest who wants mails of what happens.
"""

from __future__ import annotations

import json
import sys

import django


def main(count: int) -> list[dict[str, str]]:
    django.setup()

    from django.core.management import call_command

    from games import newest
    from robosite.matches import flow
    from robosite.notices.models import Channel
    from robosite.people.models import Guest

    call_command("migrate", verbosity=0)
    pigs, made = newest("pigs"), []
    for number in range(count):
        bob = Guest.objects.create(name="Bob", email=f"bob{number}@example.org")
        Channel.objects.create(guest=bob, kind="mail", tells=["turn", "over", "message"])
        match, alices, invite = flow.create(pigs, pigs.read_options({}), 2, "Alice")
        bobs = flow.join(match, "Bob", invite=invite, guest=bob)
        made.append({"key": match.key, "A": alices.secret, "B": bobs.secret})
    return made


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
