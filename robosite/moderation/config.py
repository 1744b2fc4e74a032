"""Django's admin with our site as its default: `admin.site` is ours everywhere."""

from django.contrib.admin.apps import AdminConfig


class StaffConfig(AdminConfig):
    default_site = "robosite.moderation.site.StaffSite"
    default = False
