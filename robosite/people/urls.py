from django.urls import URLPattern, path

from robosite.people import kept, views

urlpatterns: list[URLPattern] = [
    path("me/", views.me, name="me"),
    path("me/name/", views.rename, name="rename"),
    path("me/device/", views.device, name="device"),
    path("me/phrase/", views.phrase, name="phrase"),
    path("me/others/", views.others_out, name="others-out"),
    path("me/mail/", views.my_mail, name="my-mail"),
    path("me/export/", views.export, name="export"),
    path("me/offline/", views.offline_boards, name="offline-boards"),
    path("me/kept/", kept.keep, name="keep"),
    path("me/leave/", views.leave, name="leave-here"),
    path("me/forget/", views.forget_me, name="forget-me"),
    path("back/", views.back, name="back"),
    path("back/phrase/", views.back_by_phrase, name="back-by-phrase"),
    path("back/mail/", views.back_by_mail, name="back-by-mail"),
    path("back/link/", views.back_by_link, name="back-by-link"),
    path("s/you/<str:secret>/", views.you_link, name="you-link"),
    path("s/you/<str:secret>/take/", views.you_take, name="you-take"),
    path("s/mail/<str:secret>/", views.mail_link, name="mail-link"),
    path("s/mail/<str:secret>/confirm/", views.mail_confirm, name="mail-confirm"),
    path("language/", views.language, name="language"),
]
