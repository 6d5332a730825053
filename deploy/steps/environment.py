"""Passwords, and the environment files that give each process the ones it needs and no others."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from deploy.steps.place import Place, write_secret
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


def passwords(place: Place) -> dict[str, str]:
    """Return the site's generated secrets by name, making them at the first call."""
    path = place.var / "passwords.json"
    names = ["secret_key", "cookie", "mobmap_owner", "mobmap_web", "mobmap_ingest", "mobmap_test"]
    known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    if not known.keys() >= set(names):
        known = {name: known.get(name) or secrets.token_hex(24) for name in names}
        write_secret(path, json.dumps(known, indent=1) + "\n")
    return known


def local_settings(place: Place) -> dict[str, str]:
    """Return the settings of `var/env.local`, if there is one."""
    path = place.var / LOCAL
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    pairs = (line.partition("=") for line in lines if line.strip() and not line.lstrip().startswith("#"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def locales(place: Place, environ: Mapping[str, str]) -> list[str]:
    """Return the locales to host: from the environment, `var/env.local`, or the default."""
    chosen = environ.get("MOBMAP_LOCALES") or local_settings(place).get("MOBMAP_LOCALES") or DEFAULT_LOCALES
    return [locale.strip() for locale in chosen.split(",") if locale.strip()]


def database_url(place: Place, name: str) -> str:
    """Return the address of a database on the site's own socket, without role or password."""
    return f"postgres://{quote(str(place.sockets), safe='')}/{name}"


def broker_url(user: str, password: str, port: int) -> str:
    return f"amqp://{user}:{password}@{LOOPBACK}:{port}/{VHOST}"


def write_files(
    place: Place,
    hosted: list[str],
    amqp_port: int,
    hot_tablespace: str,
    files: Mapping[str, tuple[str, str]] = ROLES,
) -> None:
    """Write the environment files, each readable by its owner alone."""
    secret = passwords(place)
    own = "".join(f"{name}={value}\n" for name, value in local_settings(place).items())
    for file_name, (role, broker_user) in files.items():
        text = (
            "# Written by deploy/run at every start. Settings of your own go into env.local beside it.\n"
            f"MOBMAP_SECRET_KEY={secret['secret_key']}\n"
            f"MOBMAP_DATABASE_URL={database_url(place, 'mobmap_portal')}\n"
            f"MOBMAP_LOCALE_DATABASE_URL={database_url(place, 'mobmap_{locale}')}\n"
            f"MOBMAP_DATABASE_USER={role}\n"
            f"MOBMAP_DATABASE_PASSWORD={secret[role]}\n"
            f"MOBMAP_BROKER_URL={broker_url(broker_user, secret[broker_user], amqp_port)}\n"
            f"MOBMAP_LOCALES={','.join(hosted)}\n"
            f"MOBMAP_HOT_TABLESPACE={hot_tablespace}\n"
            f"{own}"
        )
        write_secret(place.var / file_name, text)


def for_process(place: Place, environ: Mapping[str, str], file_name: str = "env") -> dict[str, str]:
    """Return the environment of a process of the site: the caller's, and where its settings lie."""
    return {**environ, "MOBMAP_VAR": str(place.var), "MOBMAP_ENV_FILE": str(Path(place.var / file_name))}
