"""The command line behind ./deploy/run, ./deploy/stop and ./deploy/test. The shell scripts print the help."""

from __future__ import annotations

import argparse
import os
import signal
import sys

from deploy.steps import site, testing
from deploy.steps.folders import from_environment
from deploy.steps.progress import Failure, say


def main(arguments: list[str]) -> int:
    """Run a command and return its exit status."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    command, *rest = arguments
    try:
        if command == "test":
            return testing.check(from_environment(os.environ, "test"), rest)
        options = _parser(command).parse_args(rest)
        folders = from_environment(os.environ)
        if command == "stop":
            site.stop(folders)
        else:
            port = site.port_from(options.port or os.environ.get("PORT") or "8000")
            site.start(folders, port=port, detach=options.detach, with_demo=not options.no_demo)
    except Failure as failure:
        print(f"\n{failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        say("\nInterrupted; everything that was started has been stopped.")
        return 130
    return 0


def _parser(command: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"./deploy/{command}", allow_abbrev=False)
    if command == "run":
        parser.add_argument("--detach", action="store_true")
        parser.add_argument("--no-demo", action="store_true")
        parser.add_argument("--port")
    return parser


def _interrupt(number: int, _frame: object) -> None:
    """Treat SIGHUP and SIGTERM like Ctrl-C. Further ones are ignored, so that they do not interrupt the stopping."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
