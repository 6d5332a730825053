"""The private RabbitMQ node: it listens on loopback only and has its own name, ports and port mapper.

By default all Erlang programs of a machine share one port mapper (epmd), which the system's RabbitMQ
may use. This node therefore has its own epmd, on its own port.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from pathlib import Path

from deploy.steps import environment
from deploy.steps.folders import SiteFolders, write_secret
from deploy.steps.ports import LOOPBACK, remembered
from deploy.steps.progress import wait_until

SERVER = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
EPMD = Path("/usr/bin/epmd")
#: `localhost` resolves everywhere; the machine's own name need not.
NODE = "mobmap@localhost"

CONFIGURATION = """\
# Written by deploy/run at every start.
listeners.tcp.1 = {address}:{port}
load_definitions = {definitions}
loopback_users = none
log.console = true
log.console.level = info
log.file = false
# Uploads wait in PostgreSQL; messages are wake-ups of a few bytes.
vm_memory_high_watermark.absolute = 256MB
disk_free_limit.absolute = 64MB
raft.wal_max_size_bytes = 16777216
collect_statistics_interval = 60000
"""

#: What each user may declare, write to and read, as regular expressions of RabbitMQ. The web server
#: sends wake-ups (and declares the queue before), reads lengths of queues and pings workers.
PERMISSIONS = {
    "mobmap_web": {
        "configure": r"^(ingest(\..+)?|(.+\.)?celery\.pidbox)$",
        "write": r"^(amq\.default|ingest(\..+)?|(.+\.)?celery\.pidbox)$",
        "read": r"^(ingest(\..+)?|(.+\.)?celery\.pidbox)$",
    },
    "mobmap_ingest": {"configure": ".*", "write": ".*", "read": ".*"},
}


def prepare(folders: SiteFolders, vhosts: Sequence[str] = (environment.VHOST,)) -> dict[str, int]:
    """Write the node's configuration and return its ports: `amqp`, `distribution`, `epmd`."""
    home = folders.var / "rabbitmq"
    home.mkdir(exist_ok=True, mode=0o700)
    ports = remembered(folders.var / "ports.json", ["amqp", "distribution", "epmd"])
    secret = environment.passwords(folders)
    write_secret(home / "definitions.json", json.dumps(definitions(secret, vhosts), indent=1) + "\n")
    (home / "rabbitmq.conf").write_text(
        CONFIGURATION.format(address=LOOPBACK, port=ports["amqp"], definitions=home / "definitions.json")
    )
    (home / "enabled_plugins").write_text("[].\n")
    write_secret(home / ".erlang.cookie", secret["cookie"])
    (home / ".erlang.cookie").chmod(0o400)
    return ports


def definitions(secret: dict[str, str], vhosts: Sequence[str] = (environment.VHOST,)) -> dict[str, object]:
    """Return the users and permissions that the node loads at its start; there is no `guest`."""
    return {
        "vhosts": [{"name": vhost} for vhost in vhosts],
        "users": [{"name": user, "password": secret[user], "tags": ""} for user in PERMISSIONS],
        "permissions": [
            {"user": user, "vhost": vhost, **allowed} for vhost in vhosts for user, allowed in PERMISSIONS.items()
        ],
    }


def process_environment(folders: SiteFolders, ports: dict[str, int]) -> dict[str, str]:
    """Return the environment that separates the node, and the tools that talk to it, from the system's RabbitMQ."""
    home = folders.var / "rabbitmq"
    return {
        "HOME": str(home),
        "ERL_EPMD_PORT": str(ports["epmd"]),
        "ERL_EPMD_ADDRESS": LOOPBACK,
        "RABBITMQ_NODENAME": NODE,
        "RABBITMQ_DIST_PORT": str(ports["distribution"]),
        "RABBITMQ_CONF_ENV_FILE": "/dev/null",
        "RABBITMQ_CONFIG_FILE": str(home / "rabbitmq.conf"),
        "RABBITMQ_ADVANCED_CONFIG_FILE": str(home / "advanced.config"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "enabled_plugins"),
        "RABBITMQ_MNESIA_BASE": str(home / "data"),
        "RABBITMQ_GENERATED_CONFIG_DIR": str(home / "generated"),
        "RABBITMQ_LOG_BASE": str(home / "log"),
        "RABBITMQ_LOGS": "-",
        "RABBITMQ_PID_FILE": str(home / "rabbitmq.pid"),
        # The script then execs the Erlang VM instead of waiting for it as a shell: the supervisor notices when it dies.
        "RABBITMQ_ALLOW_INPUT": "1",
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": (
            "-noinput -kernel inet_dist_use_interface {127,0,0,1} +S 2:2 +SDio 4 +A 4"
        ),
    }


def wait(folders: SiteFolders, port: int) -> None:
    """Wait until the node answers the protocol header of AMQP."""
    wait_until(
        lambda: _answers(port),
        seconds=90,
        doing="Starting RabbitMQ",
        advice=f"Its log is {folders.logs / 'rabbitmq.log'}.",
    )


def _answers(port: int) -> bool:
    try:
        with socket.create_connection((LOOPBACK, port), timeout=2) as connection:
            connection.sendall(b"AMQP\x00\x00\x09\x01")
            return connection.recv(1) == b"\x01"  # a method frame: connection.start
    except OSError:
        return False
