"""The template filter `stock_phrase` for the staff's pages, which are Django templates."""

from django import template

from robosite.talk.template_functions import stock_phrase

register = template.Library()
register.filter(stock_phrase)
