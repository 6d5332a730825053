"""System checks that find faults of the configuration before they cost an upload.

They run before every management command; `./manage.py check` runs them alone. Their ids never change.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.core.files.storage import FileSystemStorage, storages

from core import locales

#: 32 characters of `secrets.token_urlsafe` are 192 random bits; sessions and sender hashes depend on them.
SECRET_MIN_LENGTH = 32
LOOPBACK_HOSTS = {"127.0.0.1", "localhost", "[::1]", "::1"}
METRICS_TOKEN_MIN_LENGTH = 16
#: Base64 with a line break after every 76 characters takes 1.35 times the size; the rest is for multipart headers.
BODY_PER_DOCUMENT = 1.4


def unwritable(directory: Path) -> str:
    """Return why no file can be written into a directory, or ""; creates the directory if it is missing."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return ""
    except OSError as error:
        return error.strerror or type(error).__name__


@register(Tags.compatibility)
def check_locales(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """E001: every hosted locale is a locale of the game, is named once, and has its own map."""
    found: list[CheckMessage] = []
    hosted = settings.MOBMAP_LOCALES
    if not hosted:
        found.append(
            Error("MOBMAP_LOCALES names no locale.", hint="Name at least one, such as enUS,deDE.", id="portal.E001")
        )
    for locale in dict.fromkeys(hosted):
        if not locales.PATTERN.fullmatch(locale):
            problem, hint = "is no locale", "Write it as the game does: two small and two capital letters, enUS."
        elif locales.canonical(locale) != locale:
            problem = f"shares the map of {locales.canonical(locale)}"
            hint = f"Name {locales.canonical(locale)} instead; uploads in {locale} are merged there."
        elif hosted.count(locale) > 1:
            problem, hint = "is named more than once", "Name it once."
        else:
            continue
        found.append(Error(f"MOBMAP_LOCALES: {locale!r} {problem}.", hint=hint, id="portal.E001"))
    return found


@register(Tags.compatibility)
def check_databases(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """E002: no two of the portal and the locales share a database."""
    shared: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for alias, config in settings.DATABASES.items():
        shared[tuple(str(config.get(name) or "") for name in ("HOST", "PORT", "NAME"))].append(alias)
    return [
        Error(
            f"{' and '.join(sorted(aliases))} are set to the same database {address[2]!r}.",
            hint="Write {locale} into MOBMAP_LOCALE_DATABASE_URL, or set MOBMAP_DATABASE_URL_<LOCALE> for each.",
            id="portal.E002",
        )
        for address, aliases in shared.items()
        if len(aliases) > 1
    ]


@register(Tags.files)
def check_storages(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """E003: spool and archive are writable if they are directories."""
    found: list[CheckMessage] = []
    for name in ("spool", "archive"):
        storage = storages[name]
        if isinstance(storage, FileSystemStorage) and (reason := unwritable(Path(storage.location))):
            found.append(
                Error(
                    f"The {name}'s directory {storage.location} can't be written: {reason}.",
                    hint=f"Set MOBMAP_{name.upper()}_DIR to a directory writable by the web server and the workers.",
                    id="portal.E003",
                )
            )
    return found


@register(Tags.security)
def check_secret(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """E004: unless debugging, the secret key can't be guessed; W004 if only this machine can reach the site."""
    if settings.DEBUG or (len(settings.SECRET_KEY) >= SECRET_MIN_LENGTH and len(set(settings.SECRET_KEY)) > 4):
        return []
    reachable = set(settings.ALLOWED_HOSTS) - LOOPBACK_HOSTS
    return [
        (Error if reachable else Warning)(
            f"MOBMAP_SECRET_KEY is too easy to guess; it needs {SECRET_MIN_LENGTH} random characters.",
            hint="Make one by: python3 -c 'import secrets; print(secrets.token_urlsafe(48))'",
            id="portal.E004" if reachable else "portal.W004",
        )
    ]


@register(Tags.compatibility)
def check_limits(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """E005: a body may be as large as the largest document; W005: also in Base64."""
    body, largest = settings.MAX_BODY_BYTES, settings.MAX_DOCUMENT_BYTES
    hint = f"Set MOBMAP_MAX_BODY_BYTES to {int(largest * BODY_PER_DOCUMENT) + 1024**2} or more."
    if body < largest:
        return [
            Error(
                f"MOBMAP_MAX_BODY_BYTES ({body}) is below MOBMAP_MAX_DOCUMENT_BYTES ({largest}): "
                "allowed documents would be refused.",
                hint=hint,
                id="portal.E005",
            )
        ]
    if body < largest * BODY_PER_DOCUMENT:
        return [
            Warning(
                f"MOBMAP_MAX_BODY_BYTES ({body}) is too small for MOBMAP_MAX_DOCUMENT_BYTES ({largest}) in Base64.",
                hint=hint,
                id="portal.W005",
            )
        ]
    return []


@register(Tags.files)
def check_temporary_files(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """E006: the directory for temporary files is writable: large bodies go there."""
    reason = unwritable(Path(settings.FILE_UPLOAD_TEMP_DIR))
    if not reason:
        return []
    return [
        Error(
            f"The directory for temporary files {settings.FILE_UPLOAD_TEMP_DIR} can't be written: {reason}.",
            hint="Set MOBMAP_TEMP_DIR to a directory writable by the web server.",
            id="portal.E006",
        )
    ]


@register(Tags.security)
def check_metrics_token(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """E007: the token of the metrics, if there is one, can't be guessed."""
    if not settings.METRICS_TOKEN or len(settings.METRICS_TOKEN) >= METRICS_TOKEN_MIN_LENGTH:
        return []
    return [
        Error(
            f"MOBMAP_METRICS_TOKEN is too short; it needs {METRICS_TOKEN_MIN_LENGTH} random characters.",
            hint="Make one by: python3 -c 'import secrets; print(secrets.token_urlsafe(24))', or leave it empty.",
            id="portal.E007",
        )
    ]


@register(Tags.files)
def check_object_store(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """E008: the settings of an object store for spool and archive are complete, or all are empty."""
    store = settings.SPOOL_S3
    keys = [bool(store["access_key"]), bool(store["secret_key"])]
    endpoint = urlsplit(store["endpoint_url"])
    if not settings.SPOOL_S3_BUCKET:
        wrong = any(store.values()) or bool(settings.SPOOL_S3_PREFIX)
        problem = "Settings MOBMAP_SPOOL_S3_… are given without a bucket: documents would stay in directories."
        hint = "Set MOBMAP_SPOOL_S3_BUCKET, or remove the others."
    elif any(keys) and not all(keys):
        wrong = True
        problem = "MOBMAP_SPOOL_S3_ACCESS_KEY and MOBMAP_SPOOL_S3_SECRET_KEY belong together; only one is given."
        hint = "Set both, or neither to use the machine's own role."
    elif not store["endpoint_url"]:
        wrong = not store["region_name"]
        problem = "MOBMAP_SPOOL_S3_BUCKET is given without the address or region of its store."
        hint = "Set MOBMAP_SPOOL_S3_ENDPOINT, or MOBMAP_SPOOL_S3_REGION at Amazon."
    else:
        wrong = endpoint.scheme not in {"http", "https"} or not endpoint.netloc
        problem = "MOBMAP_SPOOL_S3_ENDPOINT is not a URL."
        hint = "Write it with its scheme, and without the bucket: https://s3.example.org"
    return [Error(problem, hint=hint, id="portal.E008")] if wrong else []
