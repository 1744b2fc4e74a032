from django.urls import URLPattern, path

from robosite.moderation import views

urlpatterns: list[URLPattern] = [
    path("report/league/<key:key>/", views.report_league, name="report-league"),
    path("report/<key:key>/", views.report, name="report"),
    path("report/received/<int:number>/", views.received, name="report-received"),
    path("measure/<int:number>/", views.measure, name="measure"),
]
