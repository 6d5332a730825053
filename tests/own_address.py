"""An address of this machine that no other process uses, for servers that tests start.

A port of 127.0.0.1 that was free a moment ago may be taken when a server begins to listen: by another test's server, or
by anybody's connection. All of 127.0.0.0/8 is this machine; so each process takes an address by its own number.
"""

from __future__ import annotations

import itertools
import os
import socket
from ipaddress import IPv4Address

#: Below the ports that the kernel gives away, and above those that servers are known by.
_ports = itertools.count(20_000)


def own_host() -> str:
    """Return this process's address: process 4711 has 127.128.18.103. A process's number has 22 bits at most."""
    return str(IPv4Address("127.128.0.0") + os.getpid())


def own_port() -> int:
    """Return a port of `own_host()` that is asked for once, but for those that somebody has at all addresses."""
    return next(port for port in _ports if not listens((own_host(), port)))


def listens(server: tuple[str, int]) -> bool:
    """Tell whether anybody listens there."""
    with socket.socket() as probe:
        return probe.connect_ex(server) == 0
