"""TCP ports on this machine: which are free, and which process listens on a taken one."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

from deploy.steps.progress import Failure

LOOPBACK = "127.0.0.1"
_LISTENING = "0A"


def is_free(port: int, host: str = LOOPBACK) -> bool:
    """Return whether this process could listen on a port, of the loopback interface or another local address."""
    with socket.socket() as probe:
        # As all servers do: a port is free although its last connections are still in TIME_WAIT.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def remembered(path: Path, names: list[str]) -> dict[str, int]:
    """Return a free port per name: the one chosen before, unless another process has taken it.

    For example `{"amqp": 38411, "distribution": 40235}`; They are kept in the file `path`.
    """
    try:
        known = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        known = {}
    ports: dict[str, int] = {}
    for name in names:
        port = known.get(name)
        while not isinstance(port, int) or port in ports.values() or not is_free(port):
            port = _free_port()
        ports[name] = port
    path.write_text(json.dumps(ports) + "\n")
    return ports


def check_free(port: int) -> None:
    """Raise `Failure` if the site's port is taken; the message names the process where it can be known."""
    if not 1 <= port <= 65535:
        raise Failure(f"{port} is not a port. Choose one from 1024 to 65535: ./deploy/run --port 8080")
    if port < 1024 and os.geteuid() != 0:
        raise Failure(f"Only root may listen on port {port}. Choose another: ./deploy/run --port 8080")
    if not is_free(port):
        raise Failure(
            f"The site can't listen on {LOOPBACK}:{port}, because {_holder(port)} does. "
            f"Stop that, or choose another port: ./deploy/run --port {_suggestion(port)}"
        )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def _suggestion(port: int) -> int:
    return next((other for other in range(port + 80, min(port + 200, 65535)) if is_free(other)), 0) or _free_port()


def _holder(port: int) -> str:
    """Return the process that listens on a port, as far as this user may see it: `process 4711 (nginx …)`."""
    inodes = set()
    for table in ("tcp", "tcp6"):
        path = Path("/proc/net") / table
        for line in path.read_text().splitlines()[1:] if path.exists() else []:
            fields = line.split()
            if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                inodes.add(f"socket:[{fields[9]}]")
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(str(handle.readlink()) in inodes for handle in (process / "fd").iterdir()):
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                return f"process {process.name} ({command[:80]})"
        except OSError:
            continue  # the process has ended, or belongs to another user
    return "a process of another user"
