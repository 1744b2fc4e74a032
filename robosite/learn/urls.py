from django.urls import path

from robosite.learn import examples, lessons, puzzles, things

urlpatterns = [
    path("learn/<slug:slug>/", lessons.learn, name="first-lesson"),
    path("learn/<slug:slug>/<int:at>/", lessons.learn, name="learn"),
    path("learn/<slug:slug>/<slug:key>/", lessons.learn, name="next-lesson"),
    path("learn/<slug:slug>/<slug:key>/<int:at>/", lessons.learn, name="learn-more"),
    path("puzzles/", puzzles.overview, name="puzzles"),
    path("puzzles/<slug:slug>/<int:at>/", puzzles.puzzle, name="puzzle"),
    path("rules/<slug:slug>/examples/<slug:key>/", examples.example, name="example"),
    path("rules/<slug:slug>/paper/", things.paper, name="paper"),
    path("rules/<slug:slug>/things/", things.show_things, name="things"),
]
