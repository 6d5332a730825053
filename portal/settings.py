"""All settings. Those that differ between machines are read from the environment (`portal.env`)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from portal import env
from portal.env import BASE_DIR, VAR_DIR

# --- the site ------------------------------------------------------------------------------------
#: Keys sessions, and the hashes of anonymous senders; there is no default that others could know.
SECRET_KEY = env.text("MOBMAP_SECRET_KEY")
#: Off, because error pages with tracebacks are for development only.
DEBUG = env.boolean("MOBMAP_DEBUG", False)
#: Loopback names, so that a new site answers on its own machine only.
ALLOWED_HOSTS = env.names("MOBMAP_ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
#: Empty, because only a site behind a proxy with HTTPS needs origins here.
CSRF_TRUSTED_ORIGINS = env.names("MOBMAP_TRUSTED_ORIGINS", "")
#: Off, because without a proxy that sets X-Forwarded-For and X-Forwarded-Proto itself senders could forge both.
TRUST_PROXY = env.boolean("MOBMAP_TRUST_PROXY", False)

INSTALLED_APPS = [
    # Before the admin, because its templates override the admin's.
    "portal",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.contrib.gis",
    "csp",
    "ingest",
    "maps",
]

#: The order matters: uploads bypass all others, headers of security are set on every other response.
MIDDLEWARE = [
    "portal.api.middleware.bypass_for_uploads",
    "csp.middleware.CSPMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.middleware.http.ConditionalGetMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "maps.pages.database_unavailable.DatabaseUnavailableMiddleware",
]

ROOT_URLCONF = "portal.urls"
WSGI_APPLICATION = "portal.wsgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "maps.pages.context.site",
            ],
        },
    },
]

# --- languages of the interface, and locales of the data -----------------------------------------
#: The language of the sources, which visitors get whose language is not among LANGUAGES.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("de", _("German"))]
LOCALE_PATHS = [BASE_DIR / "portal" / "locale"]
USE_I18N = True
#: Times are stored and shown in UTC, because servers, databases and players are in different time zones.
USE_TZ = True
TIME_ZONE = "UTC"

#: Hosted locales as the game writes them, because each needs a database and a queue.
MOBMAP_LOCALES = env.names("MOBMAP_LOCALES", "enUS,deDE")

# --- databases -----------------------------------------------------------------------------------
#: Each kind of process may connect with its own role, which has fewer rights than the owner (deploy/roles.sql).
_role = {
    key: value
    for key, value in {
        "USER": env.text("MOBMAP_DATABASE_USER", ""),
        "PASSWORD": env.text("MOBMAP_DATABASE_PASSWORD", ""),
    }.items()
    if value
}


#: A connection over TCP whose other end is gone ends after this time, as configured, on both ends. On the server's end
#: that frees the locks of a machine that was cut off, such as a fold's. A Unix socket ignores these settings.
DEAD_PEER_S = 25
_KEEPALIVES = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
_CLIENT_END = {"keepalives": 1, **_KEEPALIVES, "tcp_user_timeout": DEAD_PEER_S * 1000}
_SERVER_END = [
    *(f"-c tcp_{name}={value}" for name, value in _KEEPALIVES.items()),
    f"-c tcp_user_timeout={DEAD_PEER_S * 1000}",
    "-c client_connection_check_interval=10000",  # otherwise the server notices only when a query has ended
]


def _database(url: str) -> dict[str, Any]:
    """Return a database's configuration; connections are kept for a minute, as opening one takes some milliseconds."""
    config: dict[str, Any] = dict(
        dj_database_url.parse(
            url, engine="django.contrib.gis.db.backends.postgis", conn_max_age=60, conn_health_checks=True
        )
    )
    config.update(_role)
    own = config.get("OPTIONS", {})
    server_end = " ".join([*_SERVER_END, own.get("options", "")]).strip()
    config["OPTIONS"] = {**_CLIENT_END, **own, "options": server_end, "connect_timeout": 5}
    return config


def _locale_url(locale: str) -> str:
    own = env.text(f"MOBMAP_DATABASE_URL_{locale.upper()}", "")
    return own or env.text("MOBMAP_LOCALE_DATABASE_URL").replace("{locale}", locale.lower())


def _hot_budget_bytes() -> int:
    """Return a quarter of the RAM disk, at most 2 GiB, or 128 MiB where it can't be seen from here.

    The hot tables are on the databases' machines. 128 MiB is a quarter of the smallest RAM disk that `deploy/run` uses.
    """
    hosts = {config["HOST"] for alias, config in DATABASES.items() if alias != "default"}
    here = all(host.startswith("/") or host in {"", "localhost", "127.0.0.1", "::1"} for host in hosts)
    return env.quarter_of_ram_disk(2 * 1024**3) if here else 128 * 1024**2


DATABASES = {"default": _database(env.text("MOBMAP_DATABASE_URL"))}
DATABASES.update({f"map_{locale}": _database(_locale_url(locale)) for locale in MOBMAP_LOCALES})
#: Keeps merged data in the locales' databases and everything else out of them.
DATABASE_ROUTERS = ["core.router.LocaleRouter"]
#: 64 bits, because ids of refusals are never reused.
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- uploads: limits -----------------------------------------------------------------------------
#: More bytes could contain more locations than `ingest.batch.columns` has numbers for.
LARGEST_BATCH_BYTES = 48 * 1024**2
#: Size of the XML after unwrapping: the addon stops at 180,000 characters, but files made from saved data are larger.
MAX_DOCUMENT_BYTES = env.integer("MOBMAP_MAX_DOCUMENT_BYTES", 32 * 1024**2, at_least=1024, at_most=LARGEST_BATCH_BYTES)
#: Size of a body as sent: Base64 with line breaks takes up to 1.4 times the size of its document.
MAX_BODY_BYTES = env.integer("MOBMAP_MAX_BODY_BYTES", 46 * 1024**2, at_least=1024)
#: Size of a form, enough for several files of the largest size.
MAX_REQUEST_BYTES = env.integer("MOBMAP_MAX_REQUEST_BYTES", 256 * 1024**2, at_least=1024)
#: Files of a form, which are all read within one request and so within the proxy's time limit.
MAX_FILES_PER_REQUEST = env.integer("MOBMAP_MAX_FILES_PER_REQUEST", 100, at_least=1)
#: On, because players should be able to send without an account.
ANONYMOUS_UPLOADS = env.boolean("MOBMAP_ANONYMOUS_UPLOADS", True)
#: Uploads per hour from one network (/24, /48), where many players may share an address.
ANONYMOUS_UPLOADS_PER_HOUR = env.integer("MOBMAP_ANONYMOUS_UPLOADS_PER_HOUR", 6_000)
#: Uploads per hour from one player, more than anonymous ones, because a player can be deactivated.
PLAYER_UPLOADS_PER_HOUR = env.integer("MOBMAP_PLAYER_UPLOADS_PER_HOUR", 60_000)
#: Below this much free space on the spool's disk uploads get 503, because merging and other programs need space, too.
SPOOL_MIN_FREE_BYTES = env.integer("MOBMAP_SPOOL_MIN_FREE_BYTES", 512 * 1024**2)
#: Above this many bytes of waiting documents, in all locales, uploads get 503, so that the queue stays bounded.
SPOOL_MAX_WAITING_BYTES = env.integer("MOBMAP_SPOOL_MAX_WAITING_BYTES", 20 * 1024**3)
#: Days after which documents are deleted from the archive; 0 is never, because deleting can't be undone.
ARCHIVE_DAYS = env.integer("MOBMAP_ARCHIVE_DAYS", 0)
#: Refusals kept for the admins, so that the table stays bounded; the limits of senders also need the last hour's.
REFUSALS_KEPT = env.integer("MOBMAP_REFUSALS_KEPT", 10_000, at_least=1)

#: Text fields of forms, enough for a full export window; bodies of uploads are read as streams.
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024**2
#: Larger files of forms go to the disk, because a process reads up to MAX_FILES_PER_REQUEST of them at once.
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024**2
DATA_UPLOAD_MAX_NUMBER_FILES = MAX_FILES_PER_REQUEST
#: Not /tmp, which may be in memory and too small for the largest forms.
FILE_UPLOAD_TEMP_DIR = str(env.path("MOBMAP_TEMP_DIR", VAR_DIR / "tmp"))

#: Accepted documents until they are merged; durable, because a row is only committed once its document is here.
SPOOL_DIR = env.path("MOBMAP_SPOOL_DIR", VAR_DIR / "spool")
#: Documents after merging, on the same disk as the spool by default, because moving is then a rename.
ARCHIVE_DIR = env.path("MOBMAP_ARCHIVE_DIR", VAR_DIR / "archive")
#: A bucket in an S3-compatible store, instead of the two directories, because several machines can share it.
SPOOL_S3_BUCKET = env.text("MOBMAP_SPOOL_S3_BUCKET", "")
SPOOL_S3_PREFIX = env.text("MOBMAP_SPOOL_S3_PREFIX", "").strip("/")
SPOOL_S3 = {
    "endpoint_url": env.text("MOBMAP_SPOOL_S3_ENDPOINT", ""),
    "region_name": env.text("MOBMAP_SPOOL_S3_REGION", ""),
    #: Empty keys let boto use the machine's role, AWS_… or ~/.aws.
    "access_key": env.text("MOBMAP_SPOOL_S3_ACCESS_KEY", ""),
    "secret_key": env.text("MOBMAP_SPOOL_S3_SECRET_KEY", ""),
}


def _document_storage(name: str, directory: Path) -> dict[str, Any]:
    if SPOOL_S3_BUCKET:
        prefix = {"bucket_name": SPOOL_S3_BUCKET, "location": f"{SPOOL_S3_PREFIX}/{name}".lstrip("/")}
        return {"BACKEND": "ingest.intake.object_store.ObjectStorage", "OPTIONS": {**prefix, **SPOOL_S3}}
    return {"BACKEND": "ingest.intake.spool.DurableFileSystemStorage", "OPTIONS": {"location": directory}}


STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "portal.staticfiles.StaticFilesStorage"},
    "spool": _document_storage("spool", SPOOL_DIR),
    "archive": _document_storage("archive", ARCHIVE_DIR),
}

# --- queue and workers ---------------------------------------------------------------------------
#: RabbitMQ's default account, which works on its own machine only.
BROKER_URL = env.text("MOBMAP_BROKER_URL", "amqp://guest:guest@127.0.0.1:5672//")
#: How long a worker's claim on uploads lasts: longer than a batch takes, as others may claim them afterwards.
CLAIM_LEASE = timedelta(seconds=env.integer("MOBMAP_CLAIM_LEASE_S", 120, at_least=5))
#: Uploads of a batch: larger batches cost less per upload, but delay the first of them.
BATCH_MAX_UPLOADS = env.integer("MOBMAP_BATCH_MAX_UPLOADS", 256, at_least=1)
#: Bytes of a batch, because the memory of a worker grows with them.
BATCH_MAX_BYTES = env.integer("MOBMAP_BATCH_MAX_BYTES", 16 * 1024**2, at_least=1, at_most=LARGEST_BATCH_BYTES)
#: A tablespace on a RAM disk for the hot tables, which deploy/run creates; empty is the database server's disk.
HOT_TABLESPACE = env.text("MOBMAP_HOT_TABLESPACE", "")
#: Size limit of the hot tables of all locales together; 0 is a quarter of the RAM disk, which others use too.
HOT_BUDGET_BYTES = env.integer("MOBMAP_HOT_BUDGET_BYTES", 0) or _hot_budget_bytes()
#: Memory for each sort and hash of a fold, enough to keep those of a full batch off the disk.
FOLD_WORK_MEM_MB = env.integer("MOBMAP_FOLD_WORK_MEM_MB", 64, at_least=1)
#: How often the sweep looks for work whose wake-up was lost: seconds, because a player waits for the receipt.
SWEEP_EVERY = timedelta(seconds=env.integer("MOBMAP_SWEEP_EVERY_S", 3, at_least=1))

#: Token ("Authorization: Bearer …") to read /metrics from other machines; this machine needs none.
METRICS_TOKEN = env.text("MOBMAP_METRICS_TOKEN", "")

_IN_PROCESS = "django.core.cache.backends.locmem.LocMemCache"
CACHES = {
    "default": {"BACKEND": _IN_PROCESS},
    # Rendered parts of pages, per process, so that new code in a new process renders them again.
    "template_fragments": {"BACKEND": _IN_PROCESS, "LOCATION": "fragments", "OPTIONS": {"MAX_ENTRIES": 40}},
}

# --- static files and security -------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = env.path("MOBMAP_STATIC_ROOT", VAR_DIR / "static")
#: Tiles of zone images that an admin imported (`./manage.py import_zone_image`), served as files.
ZONE_IMAGE_DIR = env.path("MOBMAP_ZONE_IMAGE_DIR", VAR_DIR / "zone-images")
#: Workers publish files when data changes, so that the web server answers most requests without a query.
PUBLISH_FILES = env.boolean("MOBMAP_PUBLISH_FILES", True)
PUBLISHED_DIR = env.path("MOBMAP_PUBLISHED_DIR", VAR_DIR / "published")
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "portal.staticfiles.LeafletFinder",
]

#: Everything comes from the site itself, so that injected markup can load and send nothing.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
#: Off, because browsers drop secure cookies of a site without HTTPS.
SECURE_COOKIES = env.boolean("MOBMAP_HTTPS", False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_COOKIES
if TRUST_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
X_FRAME_OPTIONS = "DENY"
#: For staff accounts: length and a list of common passwords, because these two stop most guessing.
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# --- logging: to the process's standard error, which the supervisor writes to files ---------------
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.text("MOBMAP_LOG_LEVEL", "INFO")},
}

#: The check warns about untrusted spatial references with GDAL before 3.9; the site accepts none from input.
SILENCED_SYSTEM_CHECKS = ["gis.W001"]
