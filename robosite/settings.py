"""Django's settings. The host can set some of them in the environment or in the file .env (see .env.example).

If the host sets none, the site runs on one machine, and keeps its keys and its SQLite file in DATA_DIR. With
PRODUCTION=1, the site refuses to start without SECRET_KEY, SEAL_KEYS, ALLOWED_HOSTS and PUBLIC_URL, and sends
cookies over HTTPS only.
"""

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import available_timezones

import dj_email_url
from django.core.exceptions import ImproperlyConfigured
from django.http.request import split_domain_port, validate_host
from environs import Env, EnvError

from robosite.engine import is_on
from robosite.web import bounds
from robosite.web.setting_checks import (
    check_blanks,
    check_keys,
    check_networks,
    check_push_key,
    check_url,
    check_webhooks,
    keys_for,
    misspelt,
    read_env_file,
    unreadable,
)

BASE_DIR = Path(__file__).resolve().parent.parent

_FILE = read_env_file(BASE_DIR / ".env")
for _name, _text in _FILE.items():
    os.environ.setdefault(_name, _text or "")
check_blanks(os.environ)
MISSPELT = misspelt(_FILE, os.environ)  # reported at the start of a process, and by manage.py check
for _name in [name for name, text in os.environ.items() if not text.strip()]:
    del os.environ[_name]  # an empty setting counts as missing
env = Env()

PRODUCTION = env.bool("PRODUCTION", False)
DEBUG = env.bool("DEBUG", False)
DATA_DIR = env.path("DATA_DIR", BASE_DIR / "data").resolve()

if PRODUCTION and DEBUG:
    raise ImproperlyConfigured("PRODUCTION=1 and DEBUG=1 do not go together: set only one of them.")

SECRET_KEY, *SECRET_KEY_FALLBACKS = keys_for("SECRET_KEY", env.list("SECRET_KEY", []), DATA_DIR, PRODUCTION)
SEAL_KEYS = keys_for("SEAL_KEYS", env.list("SEAL_KEYS", []), DATA_DIR, PRODUCTION)
if PRODUCTION:
    check_keys([SECRET_KEY], SEAL_KEYS)
# The key that signs pushes to browsers. A public site without a key of its own sends no pushes.
_VAPID = [check_push_key(env.str("VAPID_KEY", ""))]
VAPID_KEY = "" if PRODUCTION and not _VAPID[0] else keys_for("VAPID_KEY", _VAPID, DATA_DIR, PRODUCTION)[0]

PUBLIC_URL = check_url("PUBLIC_URL", env.str("PUBLIC_URL", "").rstrip("/"))
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", [])
if not ALLOWED_HOSTS:
    if PRODUCTION:
        raise ImproperlyConfigured("With PRODUCTION=1, set ALLOWED_HOSTS to the names of this site.")
    ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]  # manage.py serve adds the reachable names
_PUBLIC = urlsplit(PUBLIC_URL)
_IS_ORIGIN = (
    _PUBLIC.hostname and "@" not in PUBLIC_URL and f"{_PUBLIC.scheme}://{_PUBLIC.netloc}" == PUBLIC_URL
)
if PUBLIC_URL and not (_IS_ORIGIN and _PUBLIC.scheme in ("http", "https")):
    raise ImproperlyConfigured(
        "PUBLIC_URL is a scheme and a host, without a path: PUBLIC_URL=https://robots.example.org"
    )
if PRODUCTION and not PUBLIC_URL:
    raise ImproperlyConfigured(
        "With PRODUCTION=1, set PUBLIC_URL to the address of this site, such as https://robots.example.org: "
        "all links that leave it begin with that."
    )
if PRODUCTION and _PUBLIC.scheme != "https":
    raise ImproperlyConfigured(
        f"With PRODUCTION=1, browsers send cookies over https alone: PUBLIC_URL=https://{_PUBLIC.netloc}"
    )
FORCE_SCRIPT_NAME = ""  # the site stands at the root of its host, whatever a client says (robosite/asgi.py)
if PRODUCTION and not validate_host(split_domain_port(_PUBLIC.netloc)[0], ALLOWED_HOSTS):
    raise ImproperlyConfigured(
        f"PUBLIC_URL leads to {_PUBLIC.hostname}, which is not among ALLOWED_HOSTS, so every visitor would "
        "be refused. Add it there."
    )
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if PUBLIC_URL else []

INSTALLED_APPS = [
    "daphne",
    "robosite.ops",  # before Django's own: its createsuperuser writes to the trail
    "robosite.moderation.apps.StaffConfig",  # django.contrib.admin, with a site of our own
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "csp",
    "django_htmx",
    "django_otp",
    "robosite.trail",
    "robosite.people",
    "robosite.leagues",  # before matches: a forgotten guest leaves leagues first, then seats
    "robosite.matches",
    "robosite.bots",
    "robosite.play",
    "robosite.lobby",
    "robosite.learn",
    "robosite.standings",
    "robosite.share",
    "robosite.reviews",
    "robosite.talk",
    "robosite.notices",
    "robosite.moderation",
    "robosite.api",
]

MIDDLEWARE = [
    "robosite.web.middleware.waits",
    "robosite.web.logs.numbered",
    "robosite.web.metrics.timed",
    "robosite.people.cost.measured",
    "robosite.web.middleware.answer_headers",  # on every answer, errors too
    "django.middleware.security.SecurityMiddleware",
    "robosite.web.middleware.Compression",
    "robosite.web.minifying.StaticFiles",
    "robosite.web.first_sight.first_sight",
    "robosite.web.middleware.Busy",
    "robosite.people.sessions.Sessions",
    "robosite.web.middleware.Language",
    "robosite.people.zones.in_readers_zone",
    "robosite.people.offline.name_owner",
    "robosite.people.cost.bounded",
    "robosite.web.middleware.bounded",
    "robosite.web.middleware.refuse_nul",
    "robosite.web.middleware.Common",
    "django.middleware.csrf.CsrfViewMiddleware",
    "robosite.moderation.staff_sessions.StaffSessions",
    "robosite.moderation.staff_sessions.StaffDevices",
    "robosite.moderation.staff_sessions.StaffMessages",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",  # for browsers without frame-ancestors
    "django_htmx.middleware.HtmxMiddleware",
    "robosite.matches.missing_keys.LostKeys",
]

ROOT_URLCONF = "robosite.urls"
ASGI_APPLICATION = "robosite.asgi.application"

# Pages are Jinja2 templates. Extensions of the admin's pages are Django templates, in a folder of their own.
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "robosite.jinja.environment.Pages",
        "NAME": "jinja2",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "environment": "robosite.jinja.environment.environment",
            "context_processors": [
                "robosite.web.http.one_token",
                "robosite.play.waiting.waiting_games",
                "robosite.moderation.views.moderation_context",
            ],
        },
    },
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates" / "staff"],
        "APP_DIRS": True,
        "OPTIONS": {
            "libraries": {"talk": "robosite.talk.template_functions"},
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "robosite.play.waiting.waiting_games",
                "robosite.moderation.views.moderation_context",
            ],
        },
    },
]

_DATABASE_URL = env.str("DATABASE_URL", "") or f"sqlite:///{DATA_DIR / 'robosite.sqlite3'}"
check_url("DATABASE_URL", _DATABASE_URL)
try:
    DATABASES = {"default": {**env.dj_db_url("DATABASE_URL", _DATABASE_URL)}}
except EnvError:  # its traceback would show parts of the password
    raise unreadable("DATABASE_URL") from None
# One long-lived thread a process (robosite/engine/handler.py), or one for each request.
DATABASES["default"]["CONN_MAX_AGE"] = None if is_on("handler") else 0
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # The IMMEDIATE transaction is the lock of a match; FULL, since nothing acknowledged may be lost.
    # A waiting request holds up the process: it waits briefly, once more, then gets a 503 (sqlite/base.py).
    DATABASES["default"]["ENGINE"] = "robosite.engine.sqlite"
    DATABASES["default"]["TEST"] = {"NAME": ":memory:"}  # Django does so for its own engine only
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 2,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=2000;",
    }
else:
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    if DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
        # A process that hangs may hold the lock of a match: requests that wait for it are refused (503)
        # after a while, and a process that does nothing for longer loses its transaction: play goes on.
        DATABASES["default"]["OPTIONS"] = {
            "connect_timeout": 5,
            "options": "-c lock_timeout=4s -c idle_in_transaction_session_timeout=15s",
            **DATABASES["default"].get("OPTIONS", {}),
        }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = check_url("REDIS_URL", env.str("REDIS_URL", ""))
REDIS_PREFIX = env.str("REDIS_PREFIX", "") or "robosite"
CACHES: dict[str, dict[str, Any]]
if REDIS_URL:
    _SOON = {"socket_timeout": 2, "socket_connect_timeout": 2}  # a Redis that hangs must not stop play
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [{"address": REDIS_URL, **_SOON}], "prefix": REDIS_PREFIX},
        }
    }
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": REDIS_URL,
            "OPTIONS": _SOON,
            "KEY_PREFIX": REDIS_PREFIX,
        }
    }
else:
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

# Mails are printed on the console, or sent as EMAIL_URL says; a public site without it sends none.
_EMAIL_URL = check_url("EMAIL_URL", env.str("EMAIL_URL", ""))
MAIL = bool(_EMAIL_URL) or not PRODUCTION
try:
    _mail = dj_email_url.parse(_EMAIL_URL or ("dummy:" if PRODUCTION else "console:"))
except ValueError:
    raise unreadable("EMAIL_URL") from None
if "EMAIL_BACKEND" not in _mail:
    raise ImproperlyConfigured("EMAIL_URL begins with smtp:, submission:, file:, console: or dummy:.")
EMAIL_BACKEND: str = _mail["EMAIL_BACKEND"]
EMAIL_HOST: str = _mail["EMAIL_HOST"] or "localhost"
EMAIL_PORT: int = _mail["EMAIL_PORT"] or 25
EMAIL_HOST_USER: str = _mail["EMAIL_HOST_USER"] or ""
EMAIL_HOST_PASSWORD: str = _mail["EMAIL_HOST_PASSWORD"] or ""
EMAIL_USE_TLS: bool = _mail["EMAIL_USE_TLS"]
EMAIL_USE_SSL: bool = _mail["EMAIL_USE_SSL"]
EMAIL_FILE_PATH: str = _mail["EMAIL_FILE_PATH"]
EMAIL_TIMEOUT = 20
_HOST = _PUBLIC.hostname or "localhost"
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.str("MAIL_FROM", "") or f"Robosite <robosite@{_HOST}>"

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STYLES_IN_FIRST_PAGE = not DEBUG  # robosite/web/first_sight.py
WHITENOISE_ALLOW_ALL_ORIGINS = False  # no other site's page needs these files
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "robosite.web.minifying.MinifyingStorage"},
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
TIME_ZONE = env.str("TIME_ZONE", "") or "UTC"
if TIME_ZONE not in available_timezones():
    raise ImproperlyConfigured(f"TIME_ZONE={TIME_ZONE} is no time zone: name one like Europe/Berlin.")

PASSWORD_HASHERS = ["robosite.web.later.PBKDF2", "robosite.web.later.Scrypt"]
SESSION_ENGINE = "robosite.people.sessions"
# A browser keeps its seats for a year after it was last used (robosite/people/sessions.py).
SESSION_COOKIE_AGE = 366 * 24 * 3600
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "robosite.web.views.csrf_failure"

SECURE_REFERRER_POLICY = "same-origin"  # no-referrer would break every native form; secret links: middleware
HSTS = env.str("HSTS", "")
if HSTS not in ("", "subdomains", "preload"):
    raise ImproperlyConfigured("HSTS is empty (this host alone), subdomains or preload.")
if PRODUCTION:
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = True
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-session", "__Host-csrf"
    SECURE_SSL_REDIRECT, SECURE_SSL_HOST = True, _PUBLIC.netloc
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]  # requested from the machine itself
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 366 * 24 * 3600
    SECURE_HSTS_INCLUDE_SUBDOMAINS, SECURE_HSTS_PRELOAD = HSTS != "", HSTS == "preload"
    # This host alone, unless the host asks for more: other names of the domain may have no HTTPS.
    SILENCED_SYSTEM_CHECKS = {"": ["security.W005", "security.W021"], "subdomains": ["security.W021"]}.get(
        HSTS, []
    )

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

FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]

TRUSTED_PROXIES: list[str] = check_networks("TRUSTED_PROXIES", env.list("TRUSTED_PROXIES", []))
LIMITS = env.str("LIMITS", "") or "on"
if LIMITS == "off" and not DEBUG:
    raise ImproperlyConfigured("LIMITS=off is for tests: it needs DEBUG=1.")
try:
    BUCKETS, MOST = bounds.parse_limits(LIMITS)
except ValueError as wrong:
    raise ImproperlyConfigured(str(wrong)) from None
DATA_UPLOAD_MAX_MEMORY_SIZE, DATA_UPLOAD_MAX_NUMBER_FIELDS = MOST["body"], MOST["fields"]
DATA_UPLOAD_MAX_NUMBER_FILES = 0  # no form accepts files
# Days for which data that nobody needs any more is kept; 0: for good (robosite/ops/periods.py).
KEEP_OPEN_DAYS = env.float("KEEP_OPEN_DAYS", 60.0)
KEEP_GUESTS_DAYS = env.float("KEEP_GUESTS_DAYS", 90.0)
KEEP_REPORTS_DAYS = env.float("KEEP_REPORTS_DAYS", 180.0)
KEEP_IMPORTS_DAYS = env.float("KEEP_IMPORTS_DAYS", 90.0)
KEEP_MEASURES_DAYS = env.float("KEEP_MEASURES_DAYS", 365.0)
METRICS_FOR: list[str] = check_networks("METRICS_FOR", env.list("METRICS_FOR", []))
METRICS_TOKEN = env.str("METRICS_TOKEN", "")
AUDIT_MAIL: list[str] = env.list("AUDIT_MAIL", [])
if AUDIT_MAIL and not MAIL:
    raise ImproperlyConfigured("AUDIT_MAIL is for mails: it needs EMAIL_URL.")
STAFF_SECOND_FACTOR = env.str("STAFF_SECOND_FACTOR", "")
if STAFF_SECOND_FACTOR not in ("", "required"):
    raise ImproperlyConfigured("STAFF_SECOND_FACTOR is empty (whoever wants one) or required (all staff).")
SECURITY_CONTACT = env.str("SECURITY_CONTACT", "")
OPEN_TABLES = env.bool("OPEN_TABLES", True)
MIN_DEADLINE_HOURS = env.float("MIN_DEADLINE_HOURS", 1.0)
HOLIDAY_DAYS = env.int("HOLIDAY_DAYS", 21)
CLOCK_SECONDS = env.float("CLOCK_SECONDS", 15.0)
DRAIN_SECONDS = env.float("DRAIN_SECONDS", 1.0 if PRODUCTION else 0.0)
SENDER_SECONDS = env.float("SENDER_SECONDS", 2.0)
SENDER_LEASE = env.float("SENDER_LEASE", 120.0)
REACHABLE_NETWORKS: list[str] = check_networks("REACHABLE_NETWORKS", env.list("REACHABLE_NETWORKS", []))
WEBHOOKS: list[str] = check_webhooks(env.str("WEBHOOKS", ""), PUBLIC_URL)
BOT_PROCESSES = env.int("BOT_PROCESSES", min(4, max(1, (os.cpu_count() or 1) - 1)))

LOG_FORMAT = env.str("LOG_FORMAT", "plain")
if LOG_FORMAT not in ("plain", "json"):
    raise ImproperlyConfigured("LOG_FORMAT is plain or json.")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"no_secrets": {"()": "robosite.web.logs.NoSecrets"}},
    "formatters": {
        "plain": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {"()": "robosite.web.logs.AsJson"},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["no_secrets"]},
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": ["console"], "level": "WARNING", "propagate": False},
        "django.server": {"handlers": ["console"], "level": "INFO", "propagate": False},
        "robosite": {"handlers": ["console"], "level": "INFO", "propagate": False},
        "robosite.requests": {"level": "INFO" if LOG_FORMAT == "json" else "WARNING"},
    },
}
