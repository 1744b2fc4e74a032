from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from django.core.management.base import BaseCommand

from robosite.notices.webpush import base


class Command(BaseCommand):
    help = (
        "Makes a key for web push; put the line that it prints into .env. A new key ends all subscriptions."
    )
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
        self.stdout.write(f"VAPID_KEY={base(number.to_bytes(32, 'big'))}")
