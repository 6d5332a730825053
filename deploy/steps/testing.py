"""The steps of ./deploy/test: every check there is, on servers that only the tests use."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.steps import environment, postgres, rabbitmq, site, supervisor
from deploy.steps.folders import CHECKOUT, SiteFolders, prepare
from deploy.steps.install import compiled, node_tools, venv
from deploy.steps.progress import Failure, run, say, step

HOSTED = environment.DEFAULT_LOCALES.split(",")
#: One role for everything: tests create databases, extensions and queues.
ROLES = {"env": ("mobmap_test", "mobmap_ingest")}
#: Number of processes in which pytest runs tests, one more than CI has cores: many wait for a server or a browser.
PROCESSES = 3
#: Highest number for `-n`: each process has its own virtual host, which the broker makes at its start.
MOST_PROCESSES = 8
#: Arguments that select a few of the tests.
CHOOSING = ("--lf", "--last-failed", "--sw", "--stepwise", "--co", "--collect-only")


def check(folders: SiteFolders, pytest_arguments: list[str]) -> int:
    """Lint, type-check and test; return the exit status, 0 only if every part passed."""
    token = prepare(folders)
    with site.lock(folders, "test"):
        venv.prepare(venv.TESTS)
        compiled.prepare()
        node_tools.prepare()
        supervisor.stop(folders)  # a test run that was killed may have left one
        try:
            _start_servers(folders, token)
            with _samples() as samples:
                return _check_all(folders, pytest_arguments, samples)
        finally:
            supervisor.stop(folders)


def _start_servers(folders: SiteFolders, token: str) -> None:
    postgres.end_orphan(folders)
    postgres.prepare(folders, token, throwaway=True)
    ports = rabbitmq.prepare(folders, [environment.VHOST, *map(vhost, range(MOST_PROCESSES))])
    environment.write_files(folders, HOSTED, ports["amqp"], postgres.ram_tablespace(folders), ROLES)
    with step("Starting PostgreSQL and RabbitMQ for the tests"):
        supervisor.start(folders, token, site.servers(folders, ports), stay=False)
        postgres.wait(folders)
        postgres.create_databases(folders, HOSTED)
        postgres.create_test_role(folders)
        rabbitmq.wait(folders, ports["amqp"])
    site.prepare_files(folders)


def vhost(number: int) -> str:
    """Return the virtual host of one of several pytest processes. A single process uses `environment.VHOST`."""
    return f"{environment.VHOST}-{number}"


def xdist_options(pytest_arguments: list[str]) -> list[str]:
    """Return the options for pytest-xdist. The caller's arguments follow them and therefore take precedence.

    A few tests run in one process: they end before a second process has created its databases. Tests of a file stay
    in one process: they may share an expensive fixture, or something that a server has only once, such as a role.
    The files begin in the order of collection, which `tests/conftest.py` determines.
    """
    if any("no:xdist" in argument for argument in pytest_arguments):
        return []
    few = any(".py" in argument or argument.startswith("-k") or argument in CHOOSING for argument in pytest_arguments)
    processes = PROCESSES if (os.cpu_count() or 1) > 1 and not few else 0
    return ["-n", str(processes), "--dist", "loadfile", "--no-loadscope-reorder"]


def _check_all(folders: SiteFolders, pytest_arguments: list[str], samples: dict[str, str]) -> int:
    env = environment.for_process(folders, {**os.environ, **samples})
    programs = venv.VENV / "bin"
    parts: dict[str, list[str | Path]] = {
        "ruff check": [programs / "ruff", "check", "."],
        "ruff format": [programs / "ruff", "format", "--check", "."],
        "mypy": [programs / "mypy"],
        "biome check": node_tools.command(node_tools.BIOME, "check", "--error-on-warnings"),
        "tsc": node_tools.command(node_tools.TSC),
        "migrations": [programs / "python", "manage.py", "makemigrations", "--check", "--dry-run"],
        "pytest": [programs / "python", "-m", "pytest", *xdist_options(pytest_arguments), *pytest_arguments],
    }
    failed = []
    last_line = ""
    for name, command in parts.items():
        started = time.monotonic()
        say(f"· {name}")
        status, last_line = _show(command, env)
        say(f"  {'passed' if status == 0 else f'FAILED (exit status {status})'} in {time.monotonic() - started:.1f} s")
        if status:
            failed.append(name)
    if failed:
        say(f"Failed: {', '.join(failed)}")
    say(last_line)
    return 1 if failed else 0


def _show(command: list[str | Path], env: dict[str, str]) -> tuple[int, str]:
    """Run a program and print its output while it runs; return its exit status and its last line."""
    last_line = ""
    with subprocess.Popen(
        command,
        cwd=CHECKOUT,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None  # noqa: S101  (stdout=PIPE)
        for line in process.stdout:
            say(line.rstrip("\n"))
            last_line = line.strip() or last_line
    return process.returncode, last_line


@contextmanager
def _samples() -> Iterator[dict[str, str]]:
    """Unpack the sample uploads, if there are any, until the tests end; yield the environment that names them."""
    archive = os.environ.get("MOBMAP_SAMPLE_ARCHIVE")
    if not archive or os.environ.get("MOBMAP_SAMPLE_DIR"):
        yield {}
        return
    if not Path(archive).is_file():
        raise Failure(f"MOBMAP_SAMPLE_ARCHIVE names {archive}, and there is no such file.")
    with tempfile.TemporaryDirectory(prefix="mobmap-samples-") as folder:
        with step(f"Unpacking the sample uploads of {archive}"):
            run(
                ["tar", "--extract", "--no-same-owner", "--file", archive, "--directory", folder],
                doing=f"Unpacking {archive}",
            )
        inside = list(Path(folder).iterdir())
        root = inside[0] if len(inside) == 1 and inside[0].is_dir() else Path(folder)
        yield {"MOBMAP_SAMPLE_DIR": str(root)}
