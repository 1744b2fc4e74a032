"""Settings, all from the environment (.env.example lists them).

Without any, the site runs on one machine: its keys and its SQLite file lie in DATA_DIR. With PRODUCTION=1 it
refuses to start without keys of its own and sends cookies over HTTPS only.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from environs import Env

from robosite.keys import keys_for

BASE_DIR = Path(__file__).resolve().parent.parent

env = Env()
env.read_env(BASE_DIR / ".env", recurse=False)

PRODUCTION = env.bool("PRODUCTION", False)
DEBUG = env.bool("DEBUG", False)
DATA_DIR = env.path("DATA_DIR", BASE_DIR / "data").resolve()

if PRODUCTION and DEBUG:
    raise ImproperlyConfigured("PRODUCTION=1 and DEBUG=1 do not go together: set only one of them.")

SECRET_KEY = keys_for("SECRET_KEY", env.list("SECRET_KEY", []), DATA_DIR, PRODUCTION)[0]
SEAL_KEYS = keys_for("SEAL_KEYS", env.list("SEAL_KEYS", []), DATA_DIR, PRODUCTION)

PUBLIC_URL = env.str("PUBLIC_URL", "").rstrip("/")
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", [])
if not ALLOWED_HOSTS:
    if PRODUCTION:
        raise ImproperlyConfigured("With PRODUCTION=1, set ALLOWED_HOSTS to the names of this site.")
    ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]  # manage.py serve adds what HOST= makes reachable
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if PUBLIC_URL else []

INSTALLED_APPS = [
    "daphne",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "csp",
    "django_htmx",
    "robosite",
    "robosite.people",
    "robosite.matches",
    "robosite.bots",
    "robosite.moderation",
    "robosite.api",
]

MIDDLEWARE = [
    "csp.middleware.CSPMiddleware",  # outermost: on every answer, errors too
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "robosite.middleware.answer_headers",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "robosite.middleware.Busy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",  # for the admin
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",  # for browsers without frame-ancestors
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "robosite.urls"
ASGI_APPLICATION = "robosite.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "robosite.matches.making.waiting",
            ],
            "builtins": ["robosite.templatetags.say"],
        },
    }
]

_DATABASE_URL = env.str("DATABASE_URL", "") or f"sqlite:///{DATA_DIR / 'robosite.sqlite3'}"
DATABASES = {"default": {**env.dj_db_url("DATABASE_URL", _DATABASE_URL)}}
DATABASES["default"]["CONN_MAX_AGE"] = None  # one long-lived thread a process (robosite/asgi.py)
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # The IMMEDIATE transaction is the lock of a match; FULL, since nothing acknowledged may be lost.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 5,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=5000;",
    }
else:
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.str("REDIS_URL", "")
CACHES: dict[str, dict[str, Any]]
if REDIS_URL:
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [REDIS_URL]},
        }
    }
    _REDIS = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
    CACHES = {"default": _REDIS, "pictures": {**_REDIS, "KEY_PREFIX": "pictures"}}
else:
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
            "OPTIONS": {"MAX_ENTRIES": 20_000},  # limits are buckets in here: one an address and kind of call
        },
        "pictures": {  # some tens of kB each
            "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
            "LOCATION": DATA_DIR / "pictures",
            "OPTIONS": {"MAX_ENTRIES": 2_000},
        },
    }

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_ALLOW_ALL_ORIGINS = False  # nobody else's page needs our files
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("es", "Español"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_AGE = 366 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True

# A browser knows its seats for a year after it was last used for one.
SESSION_COOKIE_AGE = 366 * 24 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "robosite.views.csrf_failure"

SECURE_REFERRER_POLICY = "same-origin"  # no-referrer would break every native form
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
if PRODUCTION:
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = True
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-session", "__Host-csrf"
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 366 * 24 * 3600
    SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = True

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "font-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
        "object-src": ["'none'"],
        "manifest-src": ["'self'"],
        "worker-src": ["'self'"],
    }
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 100
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]

TRUSTED_PROXIES: list[str] = env.list("TRUSTED_PROXIES", [])
LIMITS = env.str("LIMITS", "on")
if LIMITS == "off" and not DEBUG:
    raise ImproperlyConfigured("LIMITS=off is for tests: it needs DEBUG=1.")
MIN_DEADLINE_HOURS = env.float("MIN_DEADLINE_HOURS", 1.0)
CLOCK_SECONDS = env.float("CLOCK_SECONDS", 15.0)
BOT_PROCESSES = env.int("BOT_PROCESSES", min(4, max(1, (os.cpu_count() or 1) - 1)))

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"no_secrets": {"()": "robosite.logs.NoSecrets"}},
    "formatters": {"plain": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "plain", "filters": ["no_secrets"]},
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": ["console"], "level": "WARNING", "propagate": False},
        "robosite": {"handlers": ["console"], "level": "INFO", "propagate": False},
    },
}
