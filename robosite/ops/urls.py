from django.urls import path

from robosite.ops import views

urlpatterns = [
    path("privacy/", views.privacy, name="privacy"),
]
