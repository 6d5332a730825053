"""Real processes of the site against the test databases: a web server, workers with the scheduler."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from django.db import connections

from core import locales
from portal.env import BASE_DIR
from tests.own_address import listens, own_host, own_port

#: Tests say what happens, `bench/run` how soon: a busy machine must not make a test fail.
PATIENCE_S = 120


def _address(alias: str) -> str:
    """Return a test database's address as the environment names one."""
    config = connections[alias].settings_dict
    user = quote(config["USER"]) + (f":{quote(config['PASSWORD'])}" if config["PASSWORD"] else "")
    port = f":{config['PORT']}" if config["PORT"] else ""
    return f"postgres://{user + '@' if user else ''}{quote(config['HOST'], safe='')}{port}/{config['NAME']}"


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return the environment of a process that works on the test databases and on this test's spool."""
    databases = {
        f"MOBMAP_DATABASE_URL_{locale.upper()}": _address(alias) for locale, alias in locales.aliases().items()
    }
    return {
        **os.environ,
        **databases,
        "MOBMAP_DATABASE_URL": _address("default"),
        "MOBMAP_SPOOL_DIR": str(folder / "spool"),
        "MOBMAP_ARCHIVE_DIR": str(folder / "archive"),
        **more,
    }


@contextmanager
def running(command: list[str], env: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program in a process group of its own; end all of it afterwards."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=BASE_DIR,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with its children, as a power failure would."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def children(process: subprocess.Popen[bytes]) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


def wait_for(condition: Callable[[], bool], doing: str, log: Path | None = None) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            end = f"\n{log.read_text(errors='replace')[-4000:]}" if log else ""
            raise AssertionError(f"{doing}: not within {PATIENCE_S} s.{end}")
        time.sleep(0.1)


@contextmanager
def web_server(folder: Path, **more: str) -> Iterator[tuple[str, int]]:
    """Run the web server as it is deployed, in one process; yield its address."""
    host, port = own_host(), own_port()
    own = {"MOBMAP_WEB_BIND": f"{host}:{port}", "MOBMAP_ALLOWED_HOSTS": host, "MOBMAP_WEB_WORKERS": "1"}
    env = environment(folder, **own, **more)
    log = folder / "web.log"
    command = ["gunicorn", "--config", "deploy/gunicorn.conf.py", "portal.wsgi"]
    with running(command, env, log):
        wait_for(lambda: listens((host, port)), "Starting the web server", log)
        yield host, port


def worker(folder: Path) -> list[str]:
    """Return the command of workers and a scheduler in one process group."""
    return [
        *("celery", "--app", "portal.celery", "worker", "--concurrency", "2", "--pool", "prefork", "--beat"),
        *("--schedule", str(folder / "schedule"), "--without-gossip", "--without-mingle", "--loglevel", "INFO"),
    ]
