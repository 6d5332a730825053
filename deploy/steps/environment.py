"""Passwords, and the environment files: each process gets only the passwords that it needs."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from deploy.steps.folders import SiteFolders, write_secret
from deploy.steps.ports import LOOPBACK

DEFAULT_LOCALES = "enUS,deDE"
VHOST = "mobmap"

#: Environment file → role in PostgreSQL, user of RabbitMQ.
ROLES = {
    "env": ("mobmap_owner", "mobmap_ingest"),
    "env.web": ("mobmap_web", "mobmap_web"),
    "env.ingest": ("mobmap_ingest", "mobmap_ingest"),
}
#: An administrator's own settings; appended to each file, never written here.
LOCAL = "env.local"


def passwords(folders: SiteFolders) -> dict[str, str]:
    """Return the site's secrets by name; generate them at the first call."""
    path = folders.var / "passwords.json"
    names = ["secret_key", "cookie", "mobmap_owner", "mobmap_web", "mobmap_ingest", "mobmap_test"]
    known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    if not known.keys() >= set(names):
        known = {name: known.get(name) or secrets.token_hex(24) for name in names}
        write_secret(path, json.dumps(known, indent=1) + "\n")
    return known


def local_settings(folders: SiteFolders) -> dict[str, str]:
    """Return the settings of `var/env.local`, if there is one."""
    path = folders.var / LOCAL
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    pairs = (line.partition("=") for line in lines if line.strip() and not line.lstrip().startswith("#"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def locales(folders: SiteFolders, environ: Mapping[str, str]) -> list[str]:
    """Return the locales to host: from the environment, `var/env.local`, or the default."""
    chosen = environ.get("MOBMAP_LOCALES") or local_settings(folders).get("MOBMAP_LOCALES") or DEFAULT_LOCALES
    return [locale.strip() for locale in chosen.split(",") if locale.strip()]


def database_url(folders: SiteFolders, name: str) -> str:
    """Return the URL of a database on the site's own socket, without role and password."""
    return f"postgres://{quote(str(folders.sockets), safe='')}/{name}"


def broker_url(user: str, password: str, port: int) -> str:
    return f"amqp://{user}:{password}@{LOOPBACK}:{port}/{VHOST}"


def write_files(
    folders: SiteFolders,
    hosted: list[str],
    amqp_port: int,
    hot_tablespace: str,
    files: Mapping[str, tuple[str, str]] = ROLES,
) -> None:
    """Write the environment files, each readable by its owner alone."""
    secret = passwords(folders)
    local = "".join(f"{name}={value}\n" for name, value in local_settings(folders).items())
    for file_name, (role, broker_user) in files.items():
        text = (
            "# Written by deploy/run at every start. Settings of your own go into env.local beside it.\n"
            f"MOBMAP_SECRET_KEY={secret['secret_key']}\n"
            f"MOBMAP_DATABASE_URL={database_url(folders, 'mobmap_portal')}\n"
            f"MOBMAP_LOCALE_DATABASE_URL={database_url(folders, 'mobmap_{locale}')}\n"
            f"MOBMAP_DATABASE_USER={role}\n"
            f"MOBMAP_DATABASE_PASSWORD={secret[role]}\n"
            f"MOBMAP_BROKER_URL={broker_url(broker_user, secret[broker_user], amqp_port)}\n"
            f"MOBMAP_LOCALES={','.join(hosted)}\n"
            f"MOBMAP_HOT_TABLESPACE={hot_tablespace}\n"
            f"{local}"
        )
        write_secret(folders.var / file_name, text)


def for_process(folders: SiteFolders, environ: Mapping[str, str], file_name: str = "env") -> dict[str, str]:
    """Return the environment of a process of the site: `environ` and where to find its settings."""
    return {**environ, "MOBMAP_VAR": str(folders.var), "MOBMAP_ENV_FILE": str(Path(folders.var / file_name))}
