from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from robosite.people import letters


class Command(BaseCommand):
    help = "Sends one mail to an address, to see whether EMAIL_URL and MAIL_FROM are right."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address")

    def handle(self, *args: Any, address: str, **options: Any) -> None:
        if not settings.MAIL:
            raise CommandError("This site sends no mails: set EMAIL_URL.")
        text = f"{settings.PUBLIC_URL or 'This site'} can send mails.\n"
        try:
            letters.send_mail(address, "A mail from Robosite", text)
        except OSError as fault:  # smtplib's errors are such
            raise CommandError(
                f"The mail server {settings.EMAIL_HOST}:{settings.EMAIL_PORT} did not take it: {fault}"
            ) from None
        self.stdout.write(f"The mail server took the mail to {address}, from {settings.DEFAULT_FROM_EMAIL}.")
