"""Start and stop the site: the steps of ./deploy/run and ./deploy/stop, in order."""

from __future__ import annotations

import fcntl
import hashlib
import http.client
import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from deploy.steps import demo, environment, postgres, rabbitmq, supervisor, watch
from deploy.steps.folders import CHECKOUT, SiteFolders, prepare, write_secret
from deploy.steps.install import compiled, venv
from deploy.steps.ports import LOOPBACK, check_free
from deploy.steps.progress import Failure, run, say, step, wait_until
from deploy.steps.supervisor import Program

ADMIN = "admin"
APPS = ("portal", "ingest", "maps")
APPLICATION = ("worker", "scheduler", "web")


def start(folders: SiteFolders, *, port: int, detach: bool, with_demo: bool) -> None:
    """Start the site; without `detach` watch it until it is stopped."""
    token = prepare(folders)
    with lock(folders, "start"):
        answering = supervisor.identity(folders)
        if answering == token and _web_is_up(folders):
            say("MobMap is running already.")
            _say_where(folders)
            return
        if answering is not None:
            # An interrupted start, or the site of a checkout that was deleted while it ran.
            with step("Stopping what an earlier start left running"):
                supervisor.stop(folders)
        check_free(port)
        watched = None
        try:
            watched = _bring_up(folders, token, port, stay=detach, with_demo=with_demo)
        finally:
            if watched is None:
                supervisor.stop(folders)
    if detach:
        say("Stop it with ./deploy/stop; logs are in " + str(folders.logs))
    else:
        say("Ctrl-C stops it; problems appear here, full logs are in " + str(folders.logs))
        watch.until_stopped(folders, watched)


def stop(folders: SiteFolders) -> None:
    """Stop the site, in order. It is no error if nothing runs."""
    if supervisor.identity(folders) is None:
        postgres.end_orphan(folders)
        say("MobMap is not running.")
        return
    with step("Stopping web server, workers, RabbitMQ and PostgreSQL"):
        supervisor.stop(folders)


@contextmanager
def lock(folders: SiteFolders, purpose: str) -> Iterator[None]:
    """Hold an exclusive lock on this site for one purpose; other programs wait for it."""
    with (folders.var / f"{purpose}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"Waiting for another {purpose} in {folders.var} to finish …")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def servers(folders: SiteFolders, ports: dict[str, int]) -> list[Program]:
    """Return PostgreSQL and RabbitMQ with its port mapper, for a site or for tests."""
    erlang = rabbitmq.process_environment(folders, ports)
    home = folders.var / "rabbitmq"
    return [
        Program("epmd", [rabbitmq.EPMD], erlang, home),
        Program(
            *("postgres", postgres.command(folders)),
            folder=Path("/"),
            stop_signal="INT",
            stop_within_s=60,
            dies_with_supervisor=False,
        ),
        Program("rabbitmq", [rabbitmq.SERVER], erlang, home, stop_within_s=60),
    ]


def application(folders: SiteFolders, port: int) -> list[Program]:
    """Return worker, scheduler and web server."""
    programs = venv.VENV / "bin"
    celery: list[str | Path] = [programs / "celery", "--app", "portal.celery"]

    def settings(file_name: str) -> dict[str, str]:
        return environment.for_process(folders, {"MOBMAP_WEB_BIND": f"{LOOPBACK}:{port}"}, file_name)

    # The lowest priority: the web server gets up to 68 times the processor time of a worker, because players wait
    # for its answers.
    worker: list[str | Path] = [
        *("nice", "-n", "19", *celery, "worker", "--hostname", "worker@%h", "--concurrency", "2", "--pool", "prefork"),
        *("--without-gossip", "--without-mingle", "--loglevel", "INFO"),
    ]
    beat: list[str | Path] = [
        *celery,
        "beat",
        "--schedule",
        folders.var / "scheduler" / "schedule",
        "--pidfile=",
        "--loglevel",
        "INFO",
    ]
    web: list[str | Path] = [programs / "gunicorn", "--config", CHECKOUT / "deploy" / "gunicorn.conf.py", "portal.wsgi"]
    return [
        # There are as many worker processes as cores, so threads within them would only compete.
        Program(
            "worker",
            worker,
            settings("env.ingest") | {"POLARS_MAX_THREADS": "1"},
            starts_at_once=False,
            stop_within_s=60,
        ),
        Program("scheduler", beat, settings("env.ingest"), starts_at_once=False),
        Program("web", web, settings("env.web"), starts_at_once=False, stop_within_s=45),
    ]


def manage(folders: SiteFolders, *arguments: str | Path, more: dict[str, str] | None = None) -> str:
    """Run a management command with the owner's settings."""
    env = environment.for_process(folders, {**os.environ, **(more or {})})
    return run(
        [venv.VENV / "bin" / "python", "manage.py", *arguments],
        doing=f"./manage.py {arguments[0]}",
        env=env,
        cwd=CHECKOUT,
    )


def prepare_files(folders: SiteFolders) -> None:
    """Compile changed translations, and collect the static files if any has changed."""
    catalogues = [path for app in APPS for path in (CHECKOUT / app).glob("**/LC_MESSAGES/*.po")]
    if any(not _is_compiled(path) for path in catalogues):
        with step("Compiling translations"):
            manage(folders, "compilemessages", "--ignore", ".venv", "--ignore", "var")
    collected = folders.var / "static-collected"
    wanted = _static_state()
    if not collected.exists() or collected.read_text() != wanted:
        with step("Collecting and compressing static files"):
            manage(folders, "collectstatic", "--noinput", "--verbosity", "0")
        collected.write_text(wanted)


def migrate(folders: SiteFolders, hosted: list[str]) -> None:
    """Migrate all databases, two at a time."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        list(
            pool.map(
                lambda alias: manage(folders, "migrate", "--noinput", "--verbosity", "0", "--database", alias),
                ["default", *(f"map_{locale}" for locale in hosted)],
            )
        )


def _bring_up(folders: SiteFolders, token: str, port: int, *, stay: bool, with_demo: bool) -> subprocess.Popen[bytes]:
    hosted = environment.locales(folders, os.environ)
    venv.prepare(venv.SITE)
    compiled.prepare()
    postgres.end_orphan(folders)
    if postgres.prepare(folders, token):
        _admin_login(folders).unlink(missing_ok=True)
    ports = rabbitmq.prepare(folders)
    environment.write_files(folders, hosted, ports["amqp"], postgres.ram_tablespace(folders))
    with step("Starting PostgreSQL and RabbitMQ"):
        process = supervisor.start(folders, token, [*servers(folders, ports), *application(folders, port)], stay=stay)
        postgres.wait(folders)
    prepare_files(folders)
    with step(f"Migrating the databases of the portal and of {', '.join(hosted)}"):
        postgres.create_databases(folders, hosted)
        migrate(folders, hosted)
        postgres.grant(folders, hosted)
    with step("Starting workers, scheduler and web server"):
        rabbitmq.wait(folders, ports["amqp"])
        for name in APPLICATION:
            supervisor.call(folders, "startProcess", name, False)
        (folders.var / "address").write_text(f"http://{LOOPBACK}:{port}\n")
        _wait_for_web(folders)
    _create_admin(folders)
    if (
        with_demo
        and postgres.psql(folders, "mobmap_portal", sql="SELECT NOT EXISTS (SELECT FROM ingest_upload)") == "t"
    ):
        demo.feed(folders, address(folders), hosted, manage)
    _say_where(folders)
    return process


def _static_state() -> str:
    """Return a checksum of names, sizes and times of all static files and of the programs that collect them."""
    files = [
        venv.INSTALLED,
        CHECKOUT / "portal" / "staticfiles.py",
        Path(shutil.which("esbuild") or "/usr/bin/esbuild"),
    ]
    for folder in ("static", *(f"{app}/static" for app in APPS)):
        files += sorted(path for path in (CHECKOUT / folder).glob("**/*") if path.is_file())
    found = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return hashlib.sha256(repr(found).encode()).hexdigest()


def address(folders: SiteFolders) -> str:
    """Return the address at which the site was last started: `http://127.0.0.1:8000`."""
    return (folders.var / "address").read_text().strip()


def _wait_for_web(folders: SiteFolders) -> None:
    log = folders.logs / "web.log"
    wait_until(
        lambda: _answers(address(folders)),
        seconds=60,
        doing="Starting the web server",
        advice=f"{address(folders)}/readyz says what is missing; the log is {log}.",
        every=0.2,
    )


def _answers(site: str) -> bool:
    """Return whether the site is ready for uploads; asks it directly, never through a proxy."""
    connection = http.client.HTTPConnection(site.removeprefix("http://"), timeout=10)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _web_is_up(folders: SiteFolders) -> bool:
    return supervisor.processes(folders)["web"]["statename"] in {"STARTING", "RUNNING", "BACKOFF"}


def _admin_login(folders: SiteFolders) -> Path:
    return folders.var / "admin-login"


def _create_admin(folders: SiteFolders) -> None:
    """Create the first administrator, once per database."""
    if _admin_login(folders).exists():
        return
    password = secrets.token_urlsafe(12)
    known = postgres.psql(
        *(folders, "mobmap_portal"),
        sql=f"\\set name {ADMIN}\nSELECT EXISTS (SELECT FROM auth_user WHERE username = :'name')",
    )
    if known == "t":
        return  # somebody has deleted the file on purpose
    with step("Creating an administrator"):
        manage(
            *(folders, "createsuperuser", "--noinput", "--username", ADMIN, "--email", "admin@localhost.invalid"),
            more={"DJANGO_SUPERUSER_PASSWORD": password},
        )
        write_secret(_admin_login(folders), f"{ADMIN}\n{password}\n")


def _say_where(folders: SiteFolders) -> None:
    site = address(folders)
    login = _admin_login(folders)
    say(f"\nMobMap:  {site}/")
    if login.exists():
        name, password = login.read_text().split()
        say(f"Admin:   {site}/admin/   user {name}, password {password}  (first set; kept in {login})")
    say("")


def _is_compiled(catalogue: Path) -> bool:
    compiled = catalogue.with_suffix(".mo")
    return compiled.exists() and compiled.stat().st_mtime >= catalogue.stat().st_mtime


def port_from(text: str) -> int:
    """Return the port that a person typed; raises `Failure`."""
    try:
        return int(text)
    except ValueError:
        raise Failure(f"{text!r} is not a port. Choose one from 1024 to 65535: ./deploy/run --port 8080") from None
