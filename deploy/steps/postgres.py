"""The private PostgreSQL cluster: reached by a Unix socket alone, never by the network."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

from deploy.steps import environment
from deploy.steps.place import CHECKOUT, RAM_DISK, Place, claim_state, discard_state, give_to_database_user
from deploy.steps.progress import Failure, run, say, step, wait_until

BIN = Path("/usr/lib/postgresql/15/bin")
EXTENSIONS = ("postgis", "pg_trgm", "unaccent")
SUPERUSER = "postgres"
TABLESPACE = "mobmap_hot"
#: Containers often have 64 MiB: not enough for a batch.
LEAST_RAM_DISK = 512 * 1024**2

#: Small on purpose: the whole idle site fits 1 GB. docs/deployment.md says what to raise first.
SETTINGS = """\
# Written by deploy/run at every start; settings of your own go into own.conf beside it.
listen_addresses = ''
unix_socket_directories = '{sockets}'
max_connections = 60
shared_buffers = 96MB
work_mem = 8MB
maintenance_work_mem = 64MB
effective_cache_size = 512MB
# A fold of a gigabyte of uploads writes some hundreds of megabytes of log. Checkpoints in the middle of it would have
# whole pages written once more after each of them.
max_wal_size = 2GB
min_wal_size = 256MB
wal_buffers = 16MB
wal_compression = lz4
max_worker_processes = 4
max_parallel_workers_per_gather = 1
autovacuum_max_workers = 2
jit = off
password_encryption = scram-sha-256
timezone = UTC
log_timezone = UTC
log_checkpoints = off
log_line_prefix = '%m [%p] %u@%d '
{more}include_if_exists = 'own.conf'
"""
#: The tests' data need not survive anything.
UNSAFE_BUT_FAST = "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n"

#: Passwords for the site's roles; for the superuser, the system says who is asking.
ACCESS = """\
local all postgres peer map=mobmap
local all all scram-sha-256
"""
#: (user of the system, superuser of the cluster)
IDENTITIES = "mobmap {user} postgres\nmobmap root postgres\n"


def prepare(place: Place, token: str, *, throwaway: bool = False) -> bool:
    """Make the cluster if there is none, and write its settings. Return True if it is a new one."""
    give_to_database_user(place, place.sockets, 0o755 if place.is_root else 0o700)
    if not claim_state(place, token):
        with step(f"Discarding the database of a deleted checkout ({place.state})"):
            end_orphan(place)
            discard_state(place)
            claim_state(place, token)
    fresh = not (place.cluster / "complete").exists()
    if fresh:
        # A start that was interrupted here has left half a cluster and no data.
        shutil.rmtree(place.cluster, ignore_errors=True)
        with step("Creating a private PostgreSQL cluster"):
            give_to_database_user(place, place.cluster)
            run(
                [
                    *(*_become(place), BIN / "initdb", "--pgdata", place.cluster, "--username", SUPERUSER),
                    *("--encoding", "UTF8", "--locale", "C.UTF-8", "--auth-local", "peer", "--no-instructions"),
                    *(["--no-sync"] if throwaway else []),
                ],
                doing="Creating the PostgreSQL cluster (initdb)",
                cwd=Path("/"),
            )
    more = UNSAFE_BUT_FAST if throwaway else ""
    settings = SETTINGS.format(sockets=place.sockets, more=more)
    _write(place, "mobmap.conf", settings)
    _write(place, "pg_hba.conf", ACCESS)
    _write(place, "pg_ident.conf", IDENTITIES.format(user=place.database_user))
    if fresh:
        with (place.cluster / "postgresql.conf").open("a") as file:
            file.write("\ninclude = 'mobmap.conf'\n")
        _write(place, "complete", "")
    return fresh


def command(place: Place) -> list[str | Path]:
    """Return the command that the supervisor runs."""
    return [CHECKOUT / "deploy" / "postgres-guard", place.database_user, place.cluster]


def wait(place: Place) -> None:
    """Wait until the cluster answers; after a crash it may have to recover first."""
    wait_until(
        lambda: (
            subprocess.run(
                [BIN / "pg_isready", "--quiet", "--host", place.sockets], check=False, stdout=subprocess.DEVNULL
            ).returncode
            == 0
        ),
        seconds=120,
        doing="Starting PostgreSQL",
        advice=f"Its log is {place.logs / 'postgres.log'}.",
    )


def psql(place: Place, database: str, *arguments: str | Path, sql: str | None = None) -> str:
    """Run SQL as the cluster's superuser and return what it prints, unadorned."""
    return run(
        [
            *(BIN / "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align"),
            *("--set", "ON_ERROR_STOP=1", "--host", place.sockets, "--username", SUPERUSER),
            *("--dbname", database, *arguments),
        ],
        doing=f"Working on the database {database} (psql)",
        env={**os.environ, "PGOPTIONS": "-c client_min_messages=warning"},
        stdin=sql,
    ).strip()


def create_databases(place: Place, hosted: list[str]) -> None:
    """Make the roles, and each missing database with the extensions that only a superuser may add."""
    secret = environment.passwords(place)
    # By standard input: arguments of a process can be read by everybody on the machine.
    passwords = "".join(f"\\set {role}_password {secret['mobmap_' + role]}\n" for role in ("owner", "web", "ingest"))
    psql(place, "postgres", sql=passwords + (CHECKOUT / "deploy" / "roles.sql").read_text())
    create_tablespace(place)
    existing = psql(place, "postgres", sql="SELECT datname FROM pg_database").splitlines()
    for name in database_names(hosted):
        if name not in existing:
            say(f"  creating database {name}")
            psql(place, "postgres", sql=f'CREATE DATABASE "{name}" OWNER mobmap_owner')
        # GeoDjango's backend wants PostGIS in the portal's database too, although no table there uses it.
        extensions = "".join(f"CREATE EXTENSION IF NOT EXISTS {extension};\n" for extension in EXTENSIONS)
        psql(place, name, sql=extensions)


def database_names(hosted: list[str]) -> list[str]:
    return ["mobmap_portal", *(f"mobmap_{locale.lower()}" for locale in hosted)]


def ram_tablespace(place: Place) -> str:
    """Return the name of the tablespace in RAM, or "" where the machine has no RAM disk to speak of."""
    try:
        size = shutil.disk_usage(RAM_DISK).total
    except OSError:
        return ""
    return TABLESPACE if size >= LEAST_RAM_DISK else ""


def create_tablespace(place: Place) -> None:
    """Make the tablespace for the hot tables. From the next start on, deploy/postgres-guard keeps its folder."""
    if not ram_tablespace(place):
        say("  no RAM disk: the hot tables lie on the ordinary one")
        return
    if psql(place, "postgres", sql="SELECT spcname FROM pg_tablespace").splitlines().count(TABLESPACE) == 0:
        shutil.rmtree(place.ram, ignore_errors=True)
        give_to_database_user(place, place.ram)
        psql(place, "postgres", sql=f"CREATE TABLESPACE {TABLESPACE} LOCATION '{place.ram}'")
    psql(place, "postgres", sql=f"GRANT CREATE ON TABLESPACE {TABLESPACE} TO mobmap_ingest")


def grant(place: Place, hosted: list[str]) -> None:
    """Give the roles what they may do with the tables there are now."""
    for name in database_names(hosted):
        kind = "portal" if name == "mobmap_portal" else "locale"
        psql(place, name, "--file", CHECKOUT / "deploy" / f"grants-{kind}.sql")


def create_test_role(place: Place) -> None:
    """Make the role that tests use: it creates databases and extensions, so it is a superuser."""
    password = environment.passwords(place)["mobmap_test"]
    psql(
        place,
        "postgres",
        sql=f"\\set password {password}\n"
        "SELECT 'CREATE ROLE mobmap_test' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'mobmap_test')\n"
        "\\gexec\n"
        "ALTER ROLE mobmap_test LOGIN SUPERUSER PASSWORD :'password';",
    )


def end_orphan(place: Place) -> None:
    """End a PostgreSQL that still runs on our cluster although nothing supervises it."""
    try:
        pid = int((place.cluster / "postmaster.pid").read_text().splitlines()[0])
        if Path(f"/proc/{pid}/cwd").readlink() != place.cluster:
            return
        os.kill(pid, signal.SIGINT)
    except (OSError, ValueError, IndexError):
        return
    wait_until(
        lambda: not Path(f"/proc/{pid}").exists(),
        seconds=60,
        doing=f"Ending the PostgreSQL left behind (process {pid})",
        advice="End it by hand and start again.",
    )


def _become(place: Place) -> list[str | Path]:
    user = place.database_user
    return ["setpriv", "--reuid", user, "--regid", user, "--init-groups"] if place.is_root else []


def _write(place: Place, name: str, text: str) -> None:
    """Write a file of the cluster, owned like the cluster."""
    path = place.cluster / name
    if path.exists() and path.read_text() == text:
        return
    path.write_text(text)
    path.chmod(0o600)
    owner = place.cluster.stat()
    try:
        os.chown(path, owner.st_uid, owner.st_gid)
    except PermissionError as error:
        raise Failure(f"{path} could not be given to {place.database_user}: {error}") from None
