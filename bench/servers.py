"""A private site for a benchmark: the same processes on servers of their own, empty before each run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xmlrpc.client import Fault

import psycopg

from bench.machine import check_disk
from deploy.steps import environment, postgres, rabbitmq, supervisor
from deploy.steps import site as steps
from deploy.steps.folders import CHECKOUT, SiteFolders, from_environment, prepare
from deploy.steps.install.venv import VENV
from deploy.steps.ports import LOOPBACK, is_free
from deploy.steps.progress import Failure, step, wait_until
from deploy.steps.supervisor import Program

LOCALES = environment.DEFAULT_LOCALES.split(",")
#: Suffix of the databases right after migrating; each run starts from copies of them.
CLEAN = "_clean"
#: A first port for the web server; the next free one is taken.
FIRST_PORT = 18000
#: A benchmark has few senders who send much: hourly limits would stop them.
SETTINGS = {"MOBMAP_ANONYMOUS_UPLOADS_PER_HOUR": "1000000000", "MOBMAP_PLAYER_UPLOADS_PER_HOUR": "1000000000"}
#: Statuses that workers will still change.
UNFINISHED = ("queued", "staged")


@dataclass(frozen=True)
class Site:
    """A benchmark's site: its folders, its port and its locales."""

    folders: SiteFolders
    port: int
    locales: list[str]

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def spool(self) -> Path:
        return self.folders.var / "spool"

    @property
    def archive(self) -> Path:
        return self.folders.var / "archive"

    @property
    def published(self) -> Path:
        return self.folders.var / "published"

    def environment(self, file_name: str = "env") -> dict[str, str]:
        """Return the environment of a process of this site."""
        return environment.for_process(self.folders, os.environ, file_name)

    def connect(self, database: str = "mobmap_portal") -> psycopg.Connection[Any]:
        """Open a connection as the cluster's superuser; every statement commits at once."""
        return psycopg.connect(
            host=str(self.folders.sockets), user=postgres.SUPERUSER, dbname=database, autocommit=True, connect_timeout=5
        )

    def one(self, sql: str, database: str = "mobmap_portal") -> Any:
        """Return the first value of a query's first row."""
        with self.connect(database) as connection:
            row = connection.execute(sql).fetchone()
        return row[0] if row else None

    def start(self, *names: str) -> None:
        """Start processes of the application and wait until they run."""
        for name in names:
            supervisor.call(self.folders, "startProcess", name, True)
        if "web" in names:
            wait_until(
                lambda: answers(self.address),
                seconds=90,
                doing="Starting the web server",
                advice=f"Its log is {self.folders.logs / 'web.log'}.",
            )

    def stop(self, *names: str) -> None:
        """Stop processes of the application, if they run."""
        for name in names:
            with suppress(Fault):
                supervisor.call(self.folders, "stopProcess", name, True)

    def empty(self) -> None:
        """Stop the application; restore databases, spool, archive and published files to their initial state."""
        self.stop(*reversed(steps.APPLICATION))
        with self.connect("postgres") as connection:
            for name in postgres.database_names(self.locales):
                connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
                connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{name}{CLEAN}" OWNER mobmap_owner')
        for name in postgres.database_names(self.locales):  # a copy lacks the rights on the database itself
            kind = "portal" if name == "mobmap_portal" else "locale"
            postgres.psql(self.folders, name, "--file", CHECKOUT / "deploy" / f"grants-{kind}.sql")
        for folder in (self.spool, self.archive, self.published):
            for entry in folder.glob("*"):
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()

    def pause_work(self) -> None:
        """Pause the workers until `resume_work`; uploads are still accepted."""
        with self.connect() as connection:
            connection.execute(
                "INSERT INTO ingest_localecontrol (locale, intake_paused, work_paused, note)"
                " SELECT unnest(%s::text[]), false, true, ''",
                [self.locales],
            )

    def resume_work(self) -> None:
        """Let the workers continue."""
        with self.connect() as connection:
            connection.execute("DELETE FROM ingest_localecontrol")

    def tokens(self, players: Iterable[str]) -> dict[str, str]:
        """Create players and return their tokens by name."""
        names, out = self.folders.var / "players.txt", self.folders.var / "tokens.json"
        names.write_text("".join(f"{name}\n" for name in dict.fromkeys(players)), encoding="utf-8")
        try:
            steps.manage(self.folders, "create_token", "--many", names, "--json", out)
            found: dict[str, str] = json.loads(out.read_text(encoding="utf-8"))
            return found
        finally:
            out.unlink(missing_ok=True)

    def unfinished(self) -> int:
        """Return the number of uploads that are queued or staged."""
        return int(self.one(f"SELECT count(*) FROM ingest_upload WHERE status IN {UNFINISHED!r}"))


def place() -> SiteFolders:
    """Return the folders of the benchmarks' site: `bench` in the folder of generated files."""
    return from_environment(os.environ, "bench")


def answers(address: str) -> bool:
    """Say whether a site is ready for uploads."""
    try:
        with urllib.request.urlopen(f"{address}/readyz", timeout=10) as response:
            return bool(response.status == 200)
    except OSError:
        return False


@contextmanager
def running(
    *,
    needs_bytes: int,
    settings: Mapping[str, str] | None = None,
    postgres_settings: str = "",
    process_environment: Mapping[str, Mapping[str, str]] | None = None,
) -> Iterator[Site]:
    """Run PostgreSQL and RabbitMQ with empty databases; the benchmark starts the application.

    `settings` are added to env.local, `postgres_settings` are lines of own.conf, and `process_environment` adds
    variables to single processes: `{"web": {"LD_PRELOAD": …}}`.
    """
    where = place()
    token = prepare(where)
    with steps.lock(where, "bench"):
        check_disk(where.var, needs_bytes)
        supervisor.stop(where)  # a killed benchmark may have left it running
        postgres.end_orphan(where)
        own = {**SETTINGS, **(settings or {})}
        (where.var / environment.LOCAL).write_text("".join(f"{name}={value}\n" for name, value in own.items()))
        postgres.prepare(where, token)
        _write_own_conf(where, postgres_settings)
        ports = rabbitmq.prepare(where)
        environment.write_files(where, LOCALES, ports["amqp"], postgres.ram_tablespace(where))
        port = next(port for port in range(FIRST_PORT, FIRST_PORT + 1000) if is_free(port))
        programs = [
            _with_environment(program, (process_environment or {}).get(program.name, {}))
            for program in [*steps.servers(where, ports), *steps.application(where, port)]
        ]
        site = Site(where, port, LOCALES)
        try:
            with step("Starting PostgreSQL and RabbitMQ for the benchmark"):
                supervisor.start(where, token, programs, stay=False)
                postgres.wait(where)
                rabbitmq.wait(where, ports["amqp"])
            steps.prepare_files(where)
            _make_clean_databases(site)
            yield site
        finally:
            supervisor.stop(where)


@contextmanager
def second_web(site: Site, application: str, **more: str) -> Iterator[int]:
    """Run a second web server with settings of its own; yield its port."""
    port = next(port for port in range(site.port + 1, site.port + 1000) if is_free(port))
    # A floor answers so often that recycling its processes would close connections in every run.
    own = {"MOBMAP_WEB_BIND": f"{LOOPBACK}:{port}", "MOBMAP_WEB_MAX_REQUESTS": "0"}
    env = {**site.environment("env.web"), **own, **more}
    with (site.folders.logs / f"{application}-{port}.log").open("wb") as log:
        process = subprocess.Popen(
            [VENV / "bin" / "gunicorn", "--config", CHECKOUT / "deploy" / "gunicorn.conf.py", application],
            cwd=CHECKOUT, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        wait_until(
            lambda: not is_free(port), seconds=60, doing="Starting a second web server", advice=f"See {log.name}."
        )
        yield port
    finally:
        process.terminate()
        process.wait()


def _with_environment(program: Program, more: Mapping[str, str]) -> Program:
    return replace(program, environment={**program.environment, **more})


def _write_own_conf(where: SiteFolders, lines: str) -> None:
    path = where.cluster / "own.conf"
    path.write_text(lines)
    owner = where.cluster.stat()
    os.chown(path, owner.st_uid, owner.st_gid)


def _make_clean_databases(site: Site) -> None:
    """Migrate new databases under another name; each run works on copies."""
    with step("Making empty databases"):
        with site.connect("postgres") as connection:
            for name in postgres.database_names(site.locales):
                for database in (name, name + CLEAN):
                    connection.execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')
        postgres.create_databases(site.folders, site.locales)
        steps.migrate(site.folders, site.locales)
        postgres.grant(site.folders, site.locales)
        with site.connect("postgres") as connection:
            for name in postgres.database_names(site.locales):
                connection.execute(f'ALTER DATABASE "{name}" RENAME TO "{name}{CLEAN}"')
                connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{name}{CLEAN}" OWNER mobmap_owner')
        postgres.grant(site.folders, site.locales)


def wait_for_merged(site: Site, seconds: float, doing: str, every: float = 0.2) -> None:
    """Wait until no upload is queued or staged; raise `Failure` with what is left and why."""
    try:
        wait_until(lambda: site.unfinished() == 0, seconds=seconds, doing=doing, advice="", every=every)
    except Failure as failure:
        with site.connect() as connection:
            left = connection.execute(
                "SELECT locale, status, count(*), max(attempts), max(left(reason, 200)) FROM ingest_upload"
                " WHERE status <> 'merged' GROUP BY 1, 2"
            ).fetchall()
        rows = "\n".join(
            f"    {n:,} of {locale} {status}, up to {tries} attempts. {why}" for locale, status, n, tries, why in left
        )
        raise Failure(
            f"{failure}Not merged:\n{rows}\nThe workers' log is {site.folders.logs / 'worker.log'}."
        ) from None
