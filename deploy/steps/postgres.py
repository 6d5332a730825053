"""The private PostgreSQL cluster. It listens on a Unix socket only, never on the network."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

from deploy.steps import environment
from deploy.steps.folders import CHECKOUT, RAM_DISK, SiteFolders, claim_state, discard_state, give_to_database_user
from deploy.steps.progress import Failure, run, say, step, wait_until

BIN = Path("/usr/lib/postgresql/15/bin")
EXTENSIONS = ("postgis", "pg_trgm", "unaccent")
SUPERUSER = "postgres"
TABLESPACE = "mobmap_hot"
#: Containers often have a RAM disk of 64 MiB, which is not enough for a batch.
LEAST_RAM_DISK = 512 * 1024**2

#: Small on purpose: the whole idle site fits into 1 GB. docs/deployment.md says what to raise first.
SETTINGS = """\
# Written by deploy/run at every start; settings of your own go into own.conf beside it.
listen_addresses = ''
unix_socket_directories = '{sockets}'
max_connections = 60
shared_buffers = 96MB
work_mem = 8MB
maintenance_work_mem = 64MB
effective_cache_size = 512MB
# A fold of a gigabyte of uploads writes some hundreds of megabytes of write-ahead log. After each checkpoint in the
# middle of it PostgreSQL would write whole pages to the log once more.
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

#: The site's roles log in by password, the superuser by the system user of the connecting process.
ACCESS = """\
local all postgres peer map=mobmap
local all all scram-sha-256
"""
#: Lines of map name, system user, role.
IDENTITIES = "mobmap {user} postgres\nmobmap root postgres\n"


def prepare(folders: SiteFolders, token: str, *, throwaway: bool = False) -> bool:
    """Create the cluster if there is none, and write its settings. Return True if the cluster is new."""
    give_to_database_user(folders, folders.sockets, 0o755 if folders.is_root else 0o700)
    if not claim_state(folders, token):
        with step(f"Discarding the database of a deleted checkout ({folders.state})"):
            end_orphan(folders)
            discard_state(folders)
            claim_state(folders, token)
    fresh = not (folders.cluster / "complete").exists()
    if fresh:
        # A start that was interrupted here left an incomplete cluster without data.
        shutil.rmtree(folders.cluster, ignore_errors=True)
        with step("Creating a private PostgreSQL cluster"):
            give_to_database_user(folders, folders.cluster)
            run(
                [
                    *(*_become(folders), BIN / "initdb", "--pgdata", folders.cluster, "--username", SUPERUSER),
                    *("--encoding", "UTF8", "--locale", "C.UTF-8", "--auth-local", "peer", "--no-instructions"),
                    *(["--no-sync"] if throwaway else []),
                ],
                doing="Creating the PostgreSQL cluster (initdb)",
                cwd=Path("/"),
            )
    more = UNSAFE_BUT_FAST if throwaway else ""
    settings = SETTINGS.format(sockets=folders.sockets, more=more)
    _write(folders, "mobmap.conf", settings)
    _write(folders, "pg_hba.conf", ACCESS)
    _write(folders, "pg_ident.conf", IDENTITIES.format(user=folders.database_user))
    if fresh:
        with (folders.cluster / "postgresql.conf").open("a") as file:
            file.write("\ninclude = 'mobmap.conf'\n")
        _write(folders, "complete", "")
    return fresh


def command(folders: SiteFolders) -> list[str | Path]:
    """Return the command that the supervisor runs."""
    return [CHECKOUT / "deploy" / "postgres-guard", folders.database_user, folders.cluster]


def wait(folders: SiteFolders) -> None:
    """Wait until the cluster answers; after a crash it recovers first."""
    wait_until(
        lambda: (
            subprocess.run(
                [BIN / "pg_isready", "--quiet", "--host", folders.sockets], check=False, stdout=subprocess.DEVNULL
            ).returncode
            == 0
        ),
        seconds=120,
        doing="Starting PostgreSQL",
        advice=f"Its log is {folders.logs / 'postgres.log'}.",
    )


def psql(folders: SiteFolders, database: str, *arguments: str | Path, sql: str | None = None) -> str:
    """Run SQL as the cluster's superuser; return the rows without headers or alignment."""
    return run(
        [
            *(BIN / "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align"),
            *("--set", "ON_ERROR_STOP=1", "--host", folders.sockets, "--username", SUPERUSER),
            *("--dbname", database, *arguments),
        ],
        doing=f"Working on the database {database} (psql)",
        env={**os.environ, "PGOPTIONS": "-c client_min_messages=warning"},
        stdin=sql,
    ).strip()


def create_databases(folders: SiteFolders, hosted: list[str]) -> None:
    """Create the roles, and each missing database with the extensions that only a superuser may create."""
    secret = environment.passwords(folders)
    # By standard input: every user of the machine can read the arguments of a process.
    passwords = "".join(f"\\set {role}_password {secret['mobmap_' + role]}\n" for role in ("owner", "web", "ingest"))
    psql(folders, "postgres", sql=passwords + (CHECKOUT / "deploy" / "roles.sql").read_text())
    create_tablespace(folders)
    existing = psql(folders, "postgres", sql="SELECT datname FROM pg_database").splitlines()
    for name in database_names(hosted):
        if name not in existing:
            say(f"  creating database {name}")
            psql(folders, "postgres", sql=f'CREATE DATABASE "{name}" OWNER mobmap_owner')
        # GeoDjango's backend requires PostGIS in the portal's database too, although no table there uses it.
        extensions = "".join(f"CREATE EXTENSION IF NOT EXISTS {extension};\n" for extension in EXTENSIONS)
        psql(folders, name, sql=extensions)


def database_names(hosted: list[str]) -> list[str]:
    return ["mobmap_portal", *(f"mobmap_{locale.lower()}" for locale in hosted)]


def ram_tablespace(folders: SiteFolders) -> str:
    """Return the name of the tablespace in RAM, or "" where the machine has no RAM disk or a small one."""
    try:
        size = shutil.disk_usage(RAM_DISK).total
    except OSError:
        return ""
    return TABLESPACE if size >= LEAST_RAM_DISK else ""


def create_tablespace(folders: SiteFolders) -> None:
    """Create the tablespace for the hot tables. At later starts deploy/postgres-guard makes its folder again."""
    if not ram_tablespace(folders):
        say("  no RAM disk: the hot tables are on the ordinary disk")
        return
    if psql(folders, "postgres", sql="SELECT spcname FROM pg_tablespace").splitlines().count(TABLESPACE) == 0:
        shutil.rmtree(folders.ram, ignore_errors=True)
        give_to_database_user(folders, folders.ram)
        psql(folders, "postgres", sql=f"CREATE TABLESPACE {TABLESPACE} LOCATION '{folders.ram}'")
    psql(folders, "postgres", sql=f"GRANT CREATE ON TABLESPACE {TABLESPACE} TO mobmap_ingest")


def grant(folders: SiteFolders, hosted: list[str]) -> None:
    """Grant the roles their privileges on the tables that exist now."""
    for name in database_names(hosted):
        kind = "portal" if name == "mobmap_portal" else "locale"
        psql(folders, name, "--file", CHECKOUT / "deploy" / f"grants-{kind}.sql")


def create_test_role(folders: SiteFolders) -> None:
    """Create the role that tests use: a superuser, because tests create databases and extensions."""
    password = environment.passwords(folders)["mobmap_test"]
    psql(
        folders,
        "postgres",
        sql=f"\\set password {password}\n"
        "SELECT 'CREATE ROLE mobmap_test' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'mobmap_test')\n"
        "\\gexec\n"
        "ALTER ROLE mobmap_test LOGIN SUPERUSER PASSWORD :'password';",
    )


def end_orphan(folders: SiteFolders) -> None:
    """Stop a PostgreSQL that still runs on this cluster although no supervisor does."""
    try:
        pid = int((folders.cluster / "postmaster.pid").read_text().splitlines()[0])
        if Path(f"/proc/{pid}/cwd").readlink() != folders.cluster:
            return
        os.kill(pid, signal.SIGINT)
    except (OSError, ValueError, IndexError):
        return
    wait_until(
        lambda: not Path(f"/proc/{pid}").exists(),
        seconds=60,
        doing=f"Stopping the PostgreSQL that an earlier start left running (process {pid})",
        advice="Stop it by hand and start again.",
    )


def _become(folders: SiteFolders) -> list[str | Path]:
    user = folders.database_user
    return ["setpriv", "--reuid", user, "--regid", user, "--init-groups"] if folders.is_root else []


def _write(folders: SiteFolders, name: str, text: str) -> None:
    """Write a file into the cluster, with the owner of the cluster."""
    path = folders.cluster / name
    if path.exists() and path.read_text() == text:
        return
    path.write_text(text)
    path.chmod(0o600)
    owner = folders.cluster.stat()
    try:
        os.chown(path, owner.st_uid, owner.st_gid)
    except PermissionError as error:
        raise Failure(f"{path} could not be given to {folders.database_user}: {error}") from None
