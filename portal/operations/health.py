"""Whether the parts of the site work: databases, broker, workers, spool. Serves `/healthz` and `/readyz`.

Reasons are public: what failed and the kind of error, never addresses or credentials. The whole error goes to the log.
"""

from __future__ import annotations

import logging
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from django.conf import settings
from django.core.files.storage import FileSystemStorage
from django.db import DEFAULT_DB_ALIAS, DatabaseError
from django.db.utils import ProgrammingError
from django.http import HttpRequest, HttpResponse
from django.utils.connection import ConnectionDoesNotExist
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from kombu.exceptions import KombuError

from core import locales
from core.problems import answers_problems, json_response
from ingest.intake import spool as documents
from ingest.merge import hot_tables
from ingest.models import Upload
from ingest.wake import Queue, look
from maps.models import StaleSpawns
from portal.celery import DEAD_LETTERS, MAINTENANCE, app, queue_name
from portal.operations.status import cached

logger = logging.getLogger(__name__)

T = TypeVar("T")

#: A broker that takes longer counts as dead, so that no page or probe hangs on it. It is tried twice.
BROKER_TIMEOUT_S = 1
WORKER_REPLY_S = 1.0
#: An object store that takes longer counts as down.
STORE_TIMEOUT_S = 2
BROKER_CACHED_S = STORE_CACHED_S = 5

#: Workers may take this long to start after the web server: 3 s on an idle machine, 20 s on a busy one.
WORKERS_START_S = 30
#: When the web server started, on the system's monotonic clock; `deploy/gunicorn.conf.py` passes it to its processes,
#: which are replaced from time to time. None under another server.
server_started_s = float(os.environ["WEB_SERVER_STARTED_S"]) if "WEB_SERVER_STARTED_S" in os.environ else None


@dataclass(frozen=True)
class Part:
    """One part of the site and whether it works; uploads can't be accepted while a `needed` part fails."""

    name: str
    needed: bool
    reason: str = ""
    #: A remark on a part that works.
    note: str = ""

    @property
    def ok(self) -> bool:
        return not self.reason


@dataclass(frozen=True)
class Broker:
    """The state of the broker; `queues` has None for a queue that does not exist (yet)."""

    reason: str = ""
    queues: dict[str, Queue | None] = field(default_factory=dict)
    workers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Spool:
    """Whether documents can be stored, and the free space of the disk: None in an object store."""

    reason: str = ""
    free_bytes: int | None = None


def _cached(key: str, ask: Callable[[], T], at_least_s: int = 1) -> T:
    """Return `ask()`, cached for each language: reasons are sentences for people."""
    return cached(f"{key}:{get_language()}", ask, at_least_s)


def starting_for_s() -> float | None:
    """Return the uptime of the site while workers may still be starting, then None."""
    if server_started_s is None:
        return None
    up_s = time.monotonic() - server_started_s
    return up_s if up_s < WORKERS_START_S else None


# --- databases -----------------------------------------------------------------------------------
def _database(name: str, needed: bool, ask: Callable[[], object]) -> Part:
    """Return the state of a database; `ask` reads one row, which proves the connection, the tables and the role."""
    try:
        ask()
    except ProgrammingError:
        logger.exception("readiness: %s answers, but its tables can't be read", name)
        return Part(name, needed, _("Its tables are missing or may not be read: run ./manage.py migrate, check roles."))
    except (DatabaseError, ConnectionDoesNotExist) as error:
        logger.warning("readiness: %s does not answer: %s", name, error)
        return Part(name, needed, _("It does not answer (%(error)s).") % {"error": type(error).__name__})
    return Part(name, needed)


def databases() -> list[Part]:
    """Return the state of the portal's database and of each locale's.

    A locale's database is not needed for accepting uploads: they wait in the spool until it answers again.
    """
    parts = [_database("database portal", True, Upload.objects.using(DEFAULT_DB_ALIAS).order_by().exists)]
    for locale, alias in locales.aliases().items():
        parts.append(_database(f"database {locale}", False, StaleSpawns.objects.using(alias).order_by().exists))
    return parts


# --- hot tables ----------------------------------------------------------------------------------
def ram_stage() -> Part:
    """Return whether the hot tables are in RAM, or on disk by choice; it fails if they should be in RAM and are not."""
    if not settings.HOT_TABLESPACE:
        return Part("RAM stage", False, note=_("No RAM tablespace is set: uploads are staged on disk."))
    on_disk = []
    for locale, alias in locales.aliases().items():
        try:
            if hot_tables.in_ram(alias) is False:
                on_disk.append(locale)
        except (DatabaseError, ConnectionDoesNotExist):
            continue  # the part of that database reports it
    if on_disk:
        reason = _("The RAM tablespace can't be used: %(locales)s are staged on disk. Restart PostgreSQL.")
        return Part("RAM stage", False, reason % {"locales": ", ".join(on_disk)})
    return Part("RAM stage", False)


# --- broker and workers --------------------------------------------------------------------------
def _workers(connection: Any) -> tuple[str, ...]:
    """Return the names of the workers that answer in time; always waits the whole time, as their number is unknown."""
    return tuple(sorted(app.control.inspect(timeout=WORKER_REPLY_S, connection=connection).ping() or {}))


def queue_names() -> list[str]:
    """Return the names of all queues: one per locale, maintenance, dead letters."""
    return [queue_name(locale) for locale in locales.hosted()] + [MAINTENANCE.name, DEAD_LETTERS]


def ask_broker() -> Broker:
    """Ask the broker for its queues, and the workers for an answer, over a new connection."""
    limits = {"read_timeout": BROKER_TIMEOUT_S, "write_timeout": BROKER_TIMEOUT_S}
    connection = app.connection_for_read(
        settings.BROKER_URL, connect_timeout=BROKER_TIMEOUT_S, transport_options=limits
    )
    try:
        with connection:
            connection.ensure_connection(max_retries=1, interval_start=0, interval_step=0)
            queues = {name: look(connection, name) for name in queue_names()}
            return Broker(queues=queues, workers=_workers(connection))
    except (KombuError, *connection.connection_errors, *connection.channel_errors) as error:
        logger.warning("The broker does not answer: %s", error)
        cause = error.__cause__ or error
        return Broker(reason=_("It does not answer (%(error)s).") % {"error": type(cause).__name__})


def broker() -> Broker:
    """Return `ask_broker()`, cached for some seconds."""
    return _cached("broker", ask_broker, BROKER_CACHED_S)


# --- spool ---------------------------------------------------------------------------------------
def _object_store(storage: Any) -> Spool:
    """List one folder of the store, which proves address, keys and bucket, but not the permission to write.

    A silent store takes up to half a minute to fail. The thread that asks it ends then; the answer comes earlier.
    """
    outcome: SimpleQueue[str] = SimpleQueue()

    def ask() -> None:
        try:
            storage.probe()
        except OSError as error:
            outcome.put(error.strerror or type(error).__name__)
        else:
            outcome.put("")

    Thread(target=ask, name="object store probe", daemon=True).start()
    try:
        problem = outcome.get(timeout=STORE_TIMEOUT_S)
    except Empty:
        problem = f"the object store did not answer within {STORE_TIMEOUT_S} s"
    if problem:
        logger.warning("readiness: the spool can't be written: %s", problem)
        return Spool(reason=_("It can't be written (%(error)s).") % {"error": problem})
    return Spool()


def spool() -> Spool:
    """Try to write into the spool's folder and return the free space of its disk, or ask its object store."""
    storage = documents.spool()
    if not isinstance(storage, FileSystemStorage):
        return _object_store(storage)
    try:
        Path(storage.location).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=storage.location) as file:
            file.write(b"1")
            file.flush()
        free_bytes = documents.free_bytes()
    except OSError as error:
        logger.warning("readiness: the spool can't be written: %s", error)
        return Spool(reason=_("It can't be written (%(error)s).") % {"error": error.strerror})
    if free_bytes is not None and free_bytes < settings.SPOOL_MIN_FREE_BYTES:
        return Spool(
            reason=_("Only %(free)d MiB are free, %(limit)d MiB must stay free.")
            % {"free": free_bytes // 1024**2, "limit": settings.SPOOL_MIN_FREE_BYTES // 1024**2},
            free_bytes=free_bytes,
        )
    return Spool(free_bytes=free_bytes)


def cached_spool() -> Spool:
    """Return `spool()`, cached for a moment; an object store is asked every few seconds."""
    on_disk = isinstance(documents.spool(), FileSystemStorage)
    return _cached("spool", spool, at_least_s=1 if on_disk else STORE_CACHED_S)


# --- the two endpoints ---------------------------------------------------------------------------
def parts() -> list[Part]:
    """Return every part with its state, cached for a second or more."""
    return [
        *_cached("databases", databases),
        Part("broker", False, broker().reason),
        _cached("ram-stage", ram_stage, at_least_s=BROKER_CACHED_S),
        Part("spool", True, cached_spool().reason),
    ]


@answers_problems("GET")
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer that this process runs; asks nothing else."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@answers_problems("GET")
def readyz(request: HttpRequest) -> HttpResponse:
    """Answer whether uploads can be accepted: `ready`, `degraded` (also 200) or `failed` (503).

    A dead broker or locale database delays uploads but loses none, so it only degrades.
    """
    found = parts()
    if any(part.needed and not part.ok for part in found):
        state = "failed"
    else:
        state = "ready" if all(part.ok for part in found) else "degraded"
    body = {
        "status": state,
        "parts": [{**asdict(part), "status": "ok" if part.ok else "failed"} for part in found],
    }
    response = json_response(body, 503 if state == "failed" else 200)
    response["Cache-Control"] = "no-store"
    return response
