#!/usr/bin/env python
"""Django's command line for this site: `manage.py help` lists the commands."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "robosite.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from environs import EnvError

    try:
        execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, EnvError) as fault:
        sys.exit(str(fault))  # a sentence for the host; a traceback would show what is secret
