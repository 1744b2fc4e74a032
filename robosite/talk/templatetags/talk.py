"""For the staff's pages, which are Django's templates: what was said by a ready phrase."""

from __future__ import annotations

from django import template

from robosite.talk.template_functions import stock_phrase

register = template.Library()
register.filter(stock_phrase)
