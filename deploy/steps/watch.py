"""Watch the running site from a terminal: print problems from the logs until it is stopped."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

from deploy.steps import supervisor
from deploy.steps.folders import SiteFolders
from deploy.steps.progress import Failure, say, step

#: Lines of the application's logs that are printed, and lines of the supervisor's log about processes that died.
PROBLEM = re.compile(r"\b(WARNING|ERROR|CRITICAL)\b|^Traceback|^\w+(\.\w+)*(Error|Exception)\b")
RESTART = re.compile(r"exited: .*not expected|terminated by|entered FATAL|spawnerr|exited: (?!.*exit status 0)")


def until_stopped(folders: SiteFolders, process: subprocess.Popen[bytes]) -> None:
    """Print problems when they are logged, until Ctrl-C, SIGTERM or `./deploy/stop`; then stop everything."""
    logs = [
        *(_Tail(folders.logs / f"{name}.log", name, PROBLEM) for name in ("web", "worker", "scheduler")),
        _Tail(folders.logs / "supervisor.log", "supervisor", RESTART),
    ]
    try:
        while process.poll() is None:
            for log in logs:
                for line in log.new_lines():
                    say(line)
            time.sleep(1)
    except KeyboardInterrupt:
        say("")
        with step("Stopping web server, workers, RabbitMQ and PostgreSQL"):
            supervisor.stop(folders)
        return
    finally:
        for log in logs:
            log.close()
    if process.returncode:
        raise Failure(
            f"The supervisor ended unexpectedly (status {process.returncode}), and the site with it. "
            f"Its log is {folders.logs / 'supervisor.log'}; start again with ./deploy/run."
        )
    say("MobMap was stopped.")


class _Tail:
    """Find the new lines of a log that match a pattern; goes on after the log is rotated."""

    def __init__(self, path: Path, name: str, wanted: re.Pattern[str]) -> None:
        self._path = path
        self._name = name
        self._wanted = wanted
        self._file = path.open(errors="replace") if path.exists() else None
        if self._file:
            self._file.seek(0, os.SEEK_END)

    def new_lines(self) -> list[str]:
        """Return the matching lines since the last call, at most 20."""
        if self._file is None:
            if not self._path.exists():
                return []
            self._file = self._path.open(errors="replace")
        lines = self._file.readlines()
        if self._was_rotated():
            self._file.close()
            self._file = None
        found = [f"{self._name}: {line.rstrip()[:300]}" for line in lines if self._wanted.search(line)]
        return found if len(found) <= 20 else [*found[:20], f"{self._name}: … and {len(found) - 20} more lines"]

    def close(self) -> None:
        if self._file:
            self._file.close()

    def _was_rotated(self) -> bool:
        assert self._file is not None  # noqa: S101  (called only while the file is open)
        try:
            return self._path.stat().st_ino != os.fstat(self._file.fileno()).st_ino
        except FileNotFoundError:
            return False
