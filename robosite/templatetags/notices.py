"""Notices in templates of matches: whether to offer them, and whether the page may be heard."""

from __future__ import annotations

from django import template
from django.template import Context

from robosite.notices.models import Wishes
from robosite.people.here import guest_here

register = template.Library()


@register.simple_tag(takes_context=True)
def offers_notices(context: Context) -> bool:
    """Whether who is here has not said yet how he wants to be told."""
    guest = guest_here(context["request"])
    return guest is not None and not Wishes.objects.filter(guest=guest).exists()


@register.simple_tag(takes_context=True)
def wants_sound(context: Context) -> bool:
    guest = guest_here(context["request"])
    return guest is not None and Wishes.objects.filter(guest=guest, sound=True).exists()
