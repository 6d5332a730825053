"""Starting and stopping the site: what ./deploy/run and ./deploy/stop do, in order."""

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

from deploy.steps import compiled, demo, environment, postgres, rabbitmq, supervisor, venv, watch
from deploy.steps.place import CHECKOUT, Place, prepare, write_secret
from deploy.steps.ports import LOOPBACK, check_free
from deploy.steps.progress import Failure, run, say, step, wait_until
from deploy.steps.supervisor import Program

ADMIN = "admin"
APPS = ("portal", "ingest", "maps")
APPLICATION = ("worker", "scheduler", "web")


def start(place: Place, *, port: int, detach: bool, with_demo: bool) -> None:
    """Bring the site up; without `detach` stay and watch it until it is stopped."""
    token = prepare(place)
    with lock(place, "start"):
        answering = supervisor.identity(place)
        if answering == token and _web_is_up(place):
            say("MobMap is running already.")
            _say_where(place)
            return
        if answering is not None:
            # A start that was cut short, or the site of a checkout deleted while it ran.
            with step("Stopping what an earlier start has left running"):
                supervisor.stop(place)
        check_free(port)
        watched = None
        try:
            watched = _bring_up(place, token, port, stay=detach, with_demo=with_demo)
        finally:
            if watched is None:
                supervisor.stop(place)
    if detach:
        say("Stop it with ./deploy/stop; logs are in " + str(place.logs))
    else:
        say("Ctrl-C stops it; problems appear here, full logs are in " + str(place.logs))
        watch.until_stopped(place, watched)


def stop(place: Place) -> None:
    """Stop the site, in order; nothing running is fine."""
    if supervisor.identity(place) is None:
        postgres.end_orphan(place)
        say("MobMap is not running.")
        return
    with step("Stopping web server, workers, RabbitMQ and PostgreSQL"):
        supervisor.stop(place)


@contextmanager
def lock(place: Place, purpose: str) -> Iterator[None]:
    """Let one program at a time do this in this place; others wait."""
    with (place.var / f"{purpose}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"Waiting for another {purpose} in {place.var} to finish …")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def servers(place: Place, ports: dict[str, int]) -> list[Program]:
    """Return PostgreSQL and RabbitMQ, as site and tests both need them."""
    erlang = rabbitmq.process_environment(place, ports)
    home = place.var / "rabbitmq"
    return [
        Program("epmd", [rabbitmq.EPMD], erlang, home),
        Program(
            *("postgres", postgres.command(place)),
            folder=Path("/"),
            stop_signal="INT",
            stop_within_s=60,
            dies_with_supervisor=False,
        ),
        Program("rabbitmq", [rabbitmq.SERVER], erlang, home, stop_within_s=60),
    ]


def application(place: Place, port: int) -> list[Program]:
    """Return the site's own processes."""
    programs = venv.VENV / "bin"
    celery: list[str | Path] = [programs / "celery", "--app", "portal.celery"]

    def settings(file_name: str) -> dict[str, str]:
        return environment.for_process(place, {"MOBMAP_WEB_BIND": f"{LOOPBACK}:{port}"}, file_name)

    # As nice as can be: players who wait for an answer come before what can wait, and get up to 68 times its time.
    worker: list[str | Path] = [
        *("nice", "-n", "19", *celery, "worker", "--hostname", "worker@%h", "--concurrency", "2", "--pool", "prefork"),
        *("--without-gossip", "--without-mingle", "--loglevel", "INFO"),
    ]
    beat: list[str | Path] = [
        *celery,
        "beat",
        "--schedule",
        place.var / "scheduler" / "schedule",
        "--pidfile=",
        "--loglevel",
        "INFO",
    ]
    web: list[str | Path] = [programs / "gunicorn", "--config", CHECKOUT / "deploy" / "gunicorn.conf.py", "portal.wsgi"]
    return [
        # As many processes as cores: threads within them would only stand in each other's way.
        Program(
            "worker", worker, settings("env.ingest") | {"POLARS_MAX_THREADS": "1"}, at_once=False, stop_within_s=60
        ),
        Program("scheduler", beat, settings("env.ingest"), at_once=False),
        Program("web", web, settings("env.web"), at_once=False, stop_within_s=45),
    ]


def manage(place: Place, *arguments: str | Path, more: dict[str, str] | None = None) -> str:
    """Run a management command with the owner's settings."""
    env = environment.for_process(place, {**os.environ, **(more or {})})
    return run(
        [venv.VENV / "bin" / "python", "manage.py", *arguments],
        doing=f"./manage.py {arguments[0]}",
        env=env,
        cwd=CHECKOUT,
    )


def prepare_files(place: Place) -> None:
    """Compile the translations that changed, and collect the static files."""
    catalogues = [path for app in APPS for path in (CHECKOUT / app).glob("**/LC_MESSAGES/*.po")]
    if any(not _is_compiled(path) for path in catalogues):
        with step("Compiling translations"):
            manage(place, "compilemessages", "--ignore", ".venv", "--ignore", "var")
    mark = place.var / "static-collected"
    wanted = _static_state()
    if not mark.exists() or mark.read_text() != wanted:
        with step("Collecting and compressing static files"):
            manage(place, "collectstatic", "--noinput", "--verbosity", "0")
        mark.write_text(wanted)


def migrate(place: Place, hosted: list[str]) -> None:
    """Bring all databases to the tables the code expects; they don't wait for each other."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        list(
            pool.map(
                lambda alias: manage(place, "migrate", "--noinput", "--verbosity", "0", "--database", alias),
                ["default", *(f"map_{locale}" for locale in hosted)],
            )
        )


def _bring_up(place: Place, token: str, port: int, *, stay: bool, with_demo: bool) -> subprocess.Popen[bytes]:
    hosted = environment.locales(place, os.environ)
    venv.prepare(venv.SITE)
    compiled.prepare()
    postgres.end_orphan(place)
    if postgres.prepare(place, token):
        _admin_login(place).unlink(missing_ok=True)
    ports = rabbitmq.prepare(place)
    environment.write_files(place, hosted, ports["amqp"], postgres.ram_tablespace(place))
    with step("Starting PostgreSQL and RabbitMQ"):
        process = supervisor.start(place, token, [*servers(place, ports), *application(place, port)], stay=stay)
        postgres.wait(place)
    prepare_files(place)
    with step(f"Migrating the databases of the portal and of {', '.join(hosted)}"):
        postgres.create_databases(place, hosted)
        migrate(place, hosted)
        postgres.grant(place, hosted)
    with step("Starting workers, scheduler and web server"):
        rabbitmq.wait(place, ports["amqp"])
        for name in APPLICATION:
            supervisor.call(place, "startProcess", name, False)
        (place.var / "address").write_text(f"http://{LOOPBACK}:{port}\n")
        _wait_for_web(place)
    _create_admin(place)
    if with_demo and postgres.psql(place, "mobmap_portal", sql="SELECT NOT EXISTS (SELECT FROM ingest_upload)") == "t":
        demo.feed(place, address(place), hosted, manage)
    _say_where(place)
    return process


def _static_state() -> str:
    """Return a checksum over names, sizes and times of all static files and of what collects them."""
    files = [venv.MARK, CHECKOUT / "portal" / "staticfiles.py", Path(shutil.which("esbuild") or "/usr/bin/esbuild")]
    for folder in ("static", *(f"{app}/static" for app in APPS)):
        files += sorted(path for path in (CHECKOUT / folder).glob("**/*") if path.is_file())
    found = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return hashlib.sha256(repr(found).encode()).hexdigest()


def address(place: Place) -> str:
    """Return where the site was last started: `http://127.0.0.1:8000`."""
    return (place.var / "address").read_text().strip()


def _wait_for_web(place: Place) -> None:
    log = place.logs / "web.log"
    wait_until(
        lambda: _answers(address(place)),
        seconds=60,
        doing="Starting the web server",
        advice=f"Ask {address(place)}/readyz what is missing; its log is {log}.",
        every=0.2,
    )


def _answers(site: str) -> bool:
    """Say whether the site is ready for uploads (asked directly, never through a proxy)."""
    connection = http.client.HTTPConnection(site.removeprefix("http://"), timeout=10)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _web_is_up(place: Place) -> bool:
    return supervisor.processes(place)["web"]["statename"] in {"STARTING", "RUNNING", "BACKOFF"}


def _admin_login(place: Place) -> Path:
    return place.var / "admin-login"


def _create_admin(place: Place) -> None:
    """Create the first administrator, once per database."""
    if _admin_login(place).exists():
        return
    password = secrets.token_urlsafe(12)
    known = postgres.psql(
        *(place, "mobmap_portal"),
        sql=f"\\set name {ADMIN}\nSELECT EXISTS (SELECT FROM auth_user WHERE username = :'name')",
    )
    if known == "t":
        return  # the note was deleted on purpose
    with step("Creating an administrator"):
        manage(
            *(place, "createsuperuser", "--noinput", "--username", ADMIN, "--email", "admin@localhost.invalid"),
            more={"DJANGO_SUPERUSER_PASSWORD": password},
        )
        write_secret(_admin_login(place), f"{ADMIN}\n{password}\n")


def _say_where(place: Place) -> None:
    site = address(place)
    login = _admin_login(place)
    say(f"\nMobMap:  {site}/")
    if login.exists():
        name, password = login.read_text().split()
        say(f"Admin:   {site}/admin/   user {name}, password {password}  (first set; kept in {login})")
    say("")


def _is_compiled(catalogue: Path) -> bool:
    compiled = catalogue.with_suffix(".mo")
    return compiled.exists() and compiled.stat().st_mtime >= catalogue.stat().st_mtime


def port_from(text: str) -> int:
    """Return the port a person asked for."""
    try:
        return int(text)
    except ValueError:
        raise Failure(f"{text!r} is no port. Choose one from 1024 to 65535: ./deploy/run --port 8080") from None
