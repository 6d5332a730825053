"""The supervisor that keeps the site's processes running, and how to talk to it."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import xmlrpc.client
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deploy.steps.place import CHECKOUT, Place
from deploy.steps.progress import Failure, wait_until
from deploy.steps.venv import VENV


@dataclass(frozen=True)
class Program:
    """A process to keep running. They start in the order given and stop in the reverse one."""

    name: str
    command: list[str | Path]
    environment: dict[str, str] = field(default_factory=dict)
    folder: Path = CHECKOUT
    #: False: started only once databases and broker are ready.
    at_once: bool = True
    stop_signal: str = "TERM"
    stop_within_s: int = 30
    #: Who ends on its own once the supervisor is gone; the guard of PostgreSQL sees to that itself.
    dies_with_supervisor: bool = True


def configuration(place: Place, token: str, programs: list[Program]) -> str:
    """Return the supervisor's configuration. Percent signs and quotes are its own syntax."""
    parts = [
        "[supervisord]",
        f"identifier={token}",
        f"logfile={_plain(place.logs / 'supervisor.log')}",
        "logfile_maxbytes=5MB",
        "logfile_backups=2",
        f"pidfile={_plain(place.var / 'supervisor.pid')}",
        f"childlogdir={_plain(place.logs)}",
        "umask=027",
        *(["user=root"] if place.is_root else []),
        "[unix_http_server]",
        f"file={_plain(socket_path(place))}",
        "chmod=0700",
        "[rpcinterface:supervisor]",
        "supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface",
    ]
    for position, program in enumerate(programs):
        command = [*(["setpriv", "--pdeathsig", "TERM"] if program.dies_with_supervisor else []), *program.command]
        parts += [
            f"[program:{program.name}]",
            "command=" + " ".join(f'"{_quoted(part)}"' for part in command),
            f"directory={_plain(program.folder)}",
            "environment=" + ",".join(f'{name}="{_quoted(text)}"' for name, text in program.environment.items()),
            f"priority={position + 1}",
            f"autostart={'true' if program.at_once else 'false'}",
            "autorestart=true",
            "startsecs=2",
            # Waiting one second longer after each failure; never giving up while the supervisor runs.
            "startretries=100000",
            f"stopsignal={program.stop_signal}",
            f"stopwaitsecs={program.stop_within_s}",
            "killasgroup=true",
            "redirect_stderr=true",
            f"stdout_logfile={_plain(place.logs / (program.name + '.log'))}",
            "stdout_logfile_maxbytes=10MB",
            "stdout_logfile_backups=3",
        ]
    return "\n".join(parts) + "\n"


def start(place: Place, token: str, programs: list[Program], *, stay: bool) -> subprocess.Popen[bytes]:
    """Start the supervisor; with `stay` it outlives this program, otherwise it ends with it."""
    path = place.var / "supervisor.conf"
    path.write_text(configuration(place, token, programs))
    together: list[str | Path] = [] if stay else ["setpriv", "--pdeathsig", "TERM"]
    with (place.logs / "supervisor-start.log").open("wb") as log:
        process = subprocess.Popen(
            [*together, VENV / "bin" / "supervisord", "--nodaemon", "--silent", "--configuration", path],
            cwd="/",
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for the one who watches, who then stops things in order
        )
    wait_until(
        lambda: identity(place) == token or process.poll() is not None,
        seconds=20,
        doing="Starting the supervisor",
        advice=f"Its log is {place.logs / 'supervisor.log'}.",
    )
    if process.poll() is not None:
        said = (place.logs / "supervisor-start.log").read_text(errors="replace").strip()
        raise Failure(f"The supervisor ended at its start:\n{said}\nIts log is {place.logs / 'supervisor.log'}.")
    return process


def socket_path(place: Place) -> Path:
    return place.runtime / "supervisor.sock"


def identity(place: Place) -> str | None:
    """Return the token of the site whose supervisor answers here, None if none does."""
    try:
        return str(call(place, "getIdentification"))
    except OSError:
        return None


def call(place: Place, method: str, *arguments: Any) -> Any:
    """Call a method of the supervisor: `call(place, "startProcess", "web", False)`."""
    transport = _UnixTransport(socket_path(place))
    with xmlrpc.client.ServerProxy("http://supervisor", transport=transport) as server:
        return getattr(server.supervisor, method)(*arguments)


def processes(place: Place) -> dict[str, dict[str, Any]]:
    """Return what the supervisor says of each process, by its name (`statename`, `pid`, …)."""
    return {info["name"]: info for info in call(place, "getAllProcessInfo")}


def stop(place: Place) -> bool:
    """Stop the supervisor and everything it runs; return False if there was none."""
    if identity(place) is None:
        return False
    pid = int(call(place, "getPID"))
    call(place, "shutdown")
    wait_until(
        lambda: is_dead(pid),
        seconds=180,
        doing="Stopping the site",
        advice=f"{place.logs / 'supervisor.log'} says which process does not end.",
    )
    return True


def is_dead(pid: int) -> bool:
    """Say whether a process has ended, even if its parent has not noticed yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _environment() -> dict[str, str]:
    """Return what all processes inherit: the caller's settings, without his Python's habits."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "RABBITMQ_", "ERL_"))}
    kept["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    # Threads of glibc's allocator would each keep an arena of their own: much memory for nothing.
    kept["MALLOC_ARENA_MAX"] = "2"
    return kept


def _plain(text: object) -> str:
    return str(text).replace("%", "%%")


def _quoted(text: object) -> str:
    return _plain(text).replace("\\", "\\\\").replace('"', '\\"')


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=60)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        try:
            self.sock.connect(str(self._path))
        except OSError:
            self.close()
            raise


class _UnixTransport(xmlrpc.client.Transport):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def make_connection(self, host: Any) -> _UnixConnection:
        # Kept where the base class looks for what it has to close.
        connection = _UnixConnection(self._path)
        self._connection = (host, connection)
        return connection
