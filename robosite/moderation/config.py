"""The app configuration that makes StaffSite the default admin site (`admin.site`)."""

from django.contrib.admin.apps import AdminConfig


class StaffConfig(AdminConfig):
    default_site = "robosite.moderation.site.StaffSite"
    default = False
