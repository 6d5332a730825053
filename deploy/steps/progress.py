"""Progress output, and running programs. The lines stay readable in a log, so there is no progress bar to draw."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class Failure(Exception):
    """A step failed; the message says what was tried, what went wrong and what to do next."""


def say(text: str) -> None:
    """Print a line without buffering, also into a pipe."""
    print(text, flush=True)


@contextmanager
def step(title: str) -> Iterator[None]:
    """Print the title of a step and, after it, how long it took."""
    say(f"· {title}")
    started = time.monotonic()
    yield
    say(f"  done in {time.monotonic() - started:.1f} s")


def run(
    command: list[str | Path],
    *,
    doing: str,
    advice: str = "",
    env: dict[str, str] | None = None,
    cwd: Path | None = None,
    stdin: str | None = None,
) -> str:
    """Run a program until it ends and return its output.

    Raises `Failure` with the last lines of what it printed, `doing` (what was tried) and `advice`.
    """
    done = subprocess.run(
        [str(part) for part in command],
        env=env,
        cwd=cwd,
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        tail = "\n".join(f"    {line}" for line in done.stdout.strip().splitlines()[-15:])
        raise Failure(f"{doing} failed (exit status {done.returncode}):\n{tail}\n{advice}".rstrip())
    return done.stdout


def wait_until(ready: Callable[[], bool], *, seconds: float, doing: str, advice: str, every: float = 0.1) -> None:
    """Call `ready()` until it returns True; raise `Failure` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise Failure(f"{doing} took longer than {seconds:.0f} s. {advice}")
        time.sleep(every)
