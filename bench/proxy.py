"""Run a private nginx with the shipped configuration, in front of a web server on this machine."""

from __future__ import annotations

import getpass
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from deploy.steps.folders import CHECKOUT
from deploy.steps.ports import LOOPBACK, is_free
from deploy.steps.progress import wait_until

NGINX = "/usr/sbin/nginx"
SHIPPED = CHECKOUT / "deploy" / "nginx" / "mobmap.conf"
#: All clients of a benchmark have the same address.
CONNECTIONS = 1000
_AROUND = """
daemon off;
user {user};
worker_processes auto;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
events {{ worker_connections 1024; }}
http {{
    include /etc/nginx/mime.types;
    access_log off;
    sendfile on;
    tcp_nopush on;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{servers}
}}
"""


@contextmanager
def running(folder: Path, *, port: int, upstream_port: int, var: Path, host: str = LOOPBACK) -> Iterator[None]:
    """Run nginx on `port` until the block ends; its own files go to `folder`, `var` holds the files that it serves."""
    shipped = _adapted(SHIPPED.read_text(encoding="utf-8"), f"{host}:{port}", upstream_port, var)
    with serving(folder, shipped, lambda: not is_free(port, host)):
        yield


@contextmanager
def serving(folder: Path, servers: str, answers: Callable[[], bool]) -> Iterator[psutil.Process]:
    """Run nginx with these server blocks until the block ends; its own files go to `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    configuration = folder / "nginx.conf"
    configuration.write_text(_AROUND.format(user=getpass.getuser(), folder=folder, servers=servers))
    process = subprocess.Popen(
        [NGINX, "-p", folder, "-e", folder / "error.log", "-c", configuration],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(
            lambda: process.poll() is not None or answers(),
            seconds=60,
            doing="Starting nginx",
            advice=f"See {folder / 'error.log'}.",
            every=0.05,
        )
        if process.poll() is not None:
            raise RuntimeError(f"nginx did not start: {(folder / 'error.log').read_text()}")
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait()


def _adapted(shipped: str, address: str, upstream_port: int, var: Path) -> str:
    """Return the shipped configuration without HTTPS, for this address, upstream and folder."""
    without_redirect = re.sub(r"server \{\s+listen 80;.*?\n\}\n", "", shipped, flags=re.DOTALL)
    without_https = re.sub(r"^ +(ssl_\w+|listen \[::\]:443) .*;\n", "", without_redirect, flags=re.MULTILINE)
    for before, after in {
        "listen 443 ssl http2;": f"listen {address};",
        "server 127.0.0.1:8000": f"server 127.0.0.1:{upstream_port}",
        "limit_conn mobmap_senders 20;": f"limit_conn mobmap_senders {CONNECTIONS};",
        "/srv/mobmap/var/": f"{var}/",
    }.items():
        if before not in without_https:
            raise LookupError(f"{SHIPPED} does not contain {before!r}")
        without_https = without_https.replace(before, after)
    return without_https
