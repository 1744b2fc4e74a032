"""Makes the site's own subclass of AdminSite the default `admin.site`."""

from django.contrib.admin.apps import AdminConfig


class StaffConfig(AdminConfig):
    default_site = "robosite.moderation.site.StaffSite"
    default = False
