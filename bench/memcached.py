"""Private memcached servers on Unix sockets, and filling them in bulk."""

from __future__ import annotations

import getpass
import socket
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.steps.progress import Failure, wait_until

MEMCACHED = "/usr/bin/memcached"
#: Overhead of an entry in memcached, beside key and value.
ENTRY_BYTES = 56
#: Growth factor of memcached's slab sizes: small, so that little memory is left unused.
_GROWTH = 1.06


@contextmanager
def running(path: Path, size_bytes: int) -> Iterator[Path]:
    """Run a server with `size_bytes` of memory for entries until the block ends; `path` is its socket."""
    process = subprocess.Popen(
        [
            *(MEMCACHED, "-s", path, "-a", "0600", "-u", getpass.getuser(), "-m", str(max(2, size_bytes >> 20))),
            *("-f", str(_GROWTH), "-t", "1", "-o", "no_lru_crawler,no_lru_maintainer,no_slab_reassign"),
        ],
        stdin=subprocess.DEVNULL,
    )
    try:
        wait_until(
            lambda: process.poll() is not None or path.exists(), seconds=10, doing="Starting memcached",
            advice="Its output is above.", every=0.05,
        )  # fmt: skip
        if process.poll() is not None:
            raise Failure(f"memcached did not start (exit status {process.returncode}); the reason is above.")
        yield path
    finally:
        process.terminate()
        process.wait()


def entry(key: bytes, value: bytes) -> bytes:
    """Return the command that stores an entry, without a reply."""
    return b"set %b 0 0 %d noreply\r\n%b\r\n" % (key, len(value), value)


def fill(path: Path, commands: Iterable[bytes]) -> None:
    """Send commands without replies, and wait until the server has processed all."""
    with socket.socket(socket.AF_UNIX) as connected:
        connected.connect(str(path))
        for command in commands:
            connected.sendall(command)
        connected.sendall(b"version\r\n")
        if not connected.recv(100).startswith(b"VERSION"):
            raise Failure("memcached refused an entry.")


def count(path: Path) -> int:
    """Return how many entries a server holds."""
    with socket.socket(socket.AF_UNIX) as connected, connected.makefile("rwb") as file:
        connected.connect(str(path))
        file.write(b"stats\r\n")
        file.flush()
        for line in file:
            if line.startswith(b"STAT curr_items "):
                return int(line.split()[2])
    raise Failure("memcached reported no number of entries.")
