"""Django's admin, with our site as the stock one: `admin.site` is it everywhere."""

from django.contrib.admin.apps import AdminConfig


class StaffConfig(AdminConfig):
    default_site = "robosite.moderation.site.StaffSite"
    default = False
