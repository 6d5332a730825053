"""The supervisor that keeps the site's processes running, and how to talk to it."""

from __future__ import annotations

import configparser
import http.client
import os
import re
import socket
import subprocess
import xmlrpc.client
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from deploy.steps.folders import CHECKOUT, SiteFolders
from deploy.steps.install.venv import VENV
from deploy.steps.progress import Failure, wait_until


@dataclass(frozen=True)
class Program:
    """A process to keep running. Programs start in the order given and stop in the reverse order."""

    name: str
    command: list[str | Path]
    environment: dict[str, str] = field(default_factory=dict)
    folder: Path = CHECKOUT
    #: False: `site` starts it when databases and broker are ready.
    starts_at_once: bool = True
    stop_signal: str = "TERM"
    stop_within_s: int = 30
    #: True: the kernel sends it SIGTERM when the supervisor dies. postgres-guard arranges this for PostgreSQL itself.
    dies_with_supervisor: bool = True


def configuration(folders: SiteFolders, token: str, programs: list[Program]) -> str:
    """Return the supervisor's configuration file; raises `Failure` for a text that it cannot hold."""
    parser = configparser.RawConfigParser()
    parser["supervisord"] = {
        "identifier": token,
        "logfile": _plain(folders.logs / "supervisor.log"),
        "logfile_maxbytes": "5MB",
        "logfile_backups": "2",
        "pidfile": _plain(folders.var / "supervisor.pid"),
        "childlogdir": _plain(folders.logs),
        "umask": "027",
        **({"user": "root"} if folders.is_root else {}),
    }
    parser["unix_http_server"] = {"file": _plain(socket_path(folders)), "chmod": "0700"}
    parser["rpcinterface:supervisor"] = {
        "supervisor.rpcinterface_factory": "supervisor.rpcinterface:make_main_rpcinterface"
    }
    for position, program in enumerate(programs):
        command = [*(["setpriv", "--pdeathsig", "TERM"] if program.dies_with_supervisor else []), *program.command]
        parser[f"program:{program.name}"] = {
            "command": " ".join(f'"{_quoted(part)}"' for part in command),
            "directory": _plain(program.folder),
            "environment": ",".join(f"{name}={_unescaped(text)}" for name, text in program.environment.items()),
            "priority": str(position + 1),
            "autostart": "true" if program.starts_at_once else "false",
            "autorestart": "true",
            "startsecs": "2",
            # The supervisor waits one second longer after each failure and never gives up.
            "startretries": "100000",
            "stopsignal": program.stop_signal,
            "stopwaitsecs": str(program.stop_within_s),
            "killasgroup": "true",
            "redirect_stderr": "true",
            "stdout_logfile": _plain(folders.logs / f"{program.name}.log"),
            "stdout_logfile_maxbytes": "10MB",
            "stdout_logfile_backups": "3",
        }
    text = StringIO()
    parser.write(text, space_around_delimiters=False)
    return text.getvalue()


def start(folders: SiteFolders, token: str, programs: list[Program], *, stay: bool) -> subprocess.Popen[bytes]:
    """Start the supervisor. With `stay` it outlives this program, otherwise the kernel ends it with this program."""
    path = folders.var / "supervisor.conf"
    path.write_text(configuration(folders, token, programs))
    ends_with_us: list[str | Path] = [] if stay else ["setpriv", "--pdeathsig", "TERM"]
    with (folders.logs / "supervisor-start.log").open("wb") as log:
        process = subprocess.Popen(
            [*ends_with_us, VENV / "bin" / "supervisord", "--nodaemon", "--silent", "--configuration", path],
            cwd="/",
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C reaches only the process that watches, which then stops all in order
        )
    wait_until(
        lambda: identity(folders) == token or process.poll() is not None,
        seconds=20,
        doing="Starting the supervisor",
        advice=f"Its log is {folders.logs / 'supervisor.log'}.",
    )
    if process.poll() is not None:
        said = (folders.logs / "supervisor-start.log").read_text(errors="replace").strip()
        raise Failure(f"The supervisor ended at its start:\n{said}\nIts log is {folders.logs / 'supervisor.log'}.")
    return process


def socket_path(folders: SiteFolders) -> Path:
    return folders.runtime / "supervisor.sock"


def identity(folders: SiteFolders) -> str | None:
    """Return the token of the site whose supervisor answers here, None if none does."""
    try:
        return str(call(folders, "getIdentification"))
    except OSError:
        return None


def call(folders: SiteFolders, method: str, *arguments: Any) -> Any:
    """Call a method of the supervisor: `call(folders, "startProcess", "web", False)`."""
    transport = _UnixTransport(socket_path(folders))
    with xmlrpc.client.ServerProxy("http://supervisor", transport=transport) as server:
        return getattr(server.supervisor, method)(*arguments)


def processes(folders: SiteFolders) -> dict[str, dict[str, Any]]:
    """Return the supervisor's information on each process, keyed by name: `{"web": {"statename": …, "pid": …}}`."""
    return {info["name"]: info for info in call(folders, "getAllProcessInfo")}


def stop(folders: SiteFolders) -> bool:
    """Stop the supervisor and everything it runs; return False if there was none."""
    if identity(folders) is None:
        return False
    pid = int(call(folders, "getPID"))
    call(folders, "shutdown")
    wait_until(
        lambda: is_dead(pid),
        seconds=180,
        doing="Stopping the site",
        advice=f"{folders.logs / 'supervisor.log'} says which process does not end.",
    )
    return True


def is_dead(pid: int) -> bool:
    """Return whether a process has ended, also while its parent has not reaped it yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _environment() -> dict[str, str]:
    """Return what all processes inherit: the caller's environment without settings of Python, RabbitMQ and Erlang."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "RABBITMQ_", "ERL_"))}
    kept["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    # By default glibc's allocator keeps many arenas per process, which costs memory and gains nothing here.
    kept["MALLOC_ARENA_MAX"] = "2"
    return kept


def _plain(text: object) -> str:
    """Return a text as a value of the file: the supervisor expands `%` and cuts comments even within quotes."""
    if re.search(r"\s[;#]|[\r\n]", str(text)):
        raise Failure(f"The supervisor can't be given {str(text)!r}: it takes what follows ' ;' or ' #' for a comment.")
    return str(text).replace("%", "%%")


def _unescaped(text: str) -> str:
    """Return a text in quotes of a kind that it does not contain: an environment has no escapes."""
    quote = "'" if '"' in text else '"'
    if quote in text or text != text.strip("'\""):
        raise Failure(f"The supervisor can't give a process {text!r}: a quote begins or ends it, or it has both kinds.")
    return f"{quote}{_plain(text)}{quote}"


def _quoted(text: object) -> str:
    """Return a text with the escapes of a command, without quotes around it."""
    return _plain(text).replace("\\", "\\\\").replace('"', '\\"')


# The supervisor's own client would be less code, and does not fit: `supervisor.xmlrpc` lies in .venv, which this Python
# does not use and which `./deploy/stop` must not need; `supervisorctl` lies there too, can't ask for the identifier
# that tells this site from another, and prints text where this needs process ids and states.
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
