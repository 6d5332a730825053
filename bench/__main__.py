"""Run one benchmark by its name, in the virtual environment; `bench/run` calls this and prints the help."""

from __future__ import annotations

import importlib
import os
import signal
import sys

from deploy.steps.folders import CHECKOUT
from deploy.steps.install import compiled, venv
from deploy.steps.progress import Failure, say

COMMANDS = (
    *("ingest", "profile", "hot", "upload", "read", "concurrency", "requeue", "surge", "scaling"),
    *("crash", "spawns", "map", "all", "screenshots", "report"),
)


def main(arguments: list[str]) -> int:
    """Run one benchmark and return the exit status: 0 only if it was measured, is correct and meets its targets."""
    name, *rest = arguments
    if name not in COMMANDS:
        print(f"There is no benchmark {name!r}. Choose from: {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    if sys.prefix != str(venv.VENV):
        return _restart_in_environment(arguments)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return int(importlib.import_module(f"bench.{name}").main(rest))
    except Failure as failure:
        print(f"\n{failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        say("\nInterrupted; everything that was started has been stopped.")
        return 130


def _restart_in_environment(arguments: list[str]) -> int:
    """Replace this process by the same command in the virtual environment, which is made if necessary."""
    try:
        venv.prepare(venv.TESTS)
        if arguments[0] != "report":  # needs no Debian packages and no compiler
            compiled.prepare()
    except Failure as failure:
        print(f"\n{failure}", file=sys.stderr)
        return 1
    python = str(venv.VENV / "bin" / "python")
    os.chdir(CHECKOUT)
    return os.execv(python, [python, "-B", "-m", "bench", *arguments])


def _interrupt(number: int, _frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
