"""Settings that follow from others: how connections to databases end, and how large the hot tables may become."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from portal import env, settings
from tests.deploy import private_cluster
from tests.own_address import own_host

REMOTE = "postgres://db.example.org/mobmap_{locale}"
LOCAL = "postgres://%2Frun%2Fpostgresql/mobmap_{locale}"


def read(name: str, **environ: str) -> object:
    """Return a setting as a fresh process reads it."""
    program = f"import json; from portal import settings; print(json.dumps(settings.{name}))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=env.BASE_DIR,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return json.loads(done.stdout)


def test_both_ends_of_a_tcp_connection_are_told_when_to_give_it_up(tmp_path: Path):
    role = "mobmap_ingest"
    with private_cluster.running(tmp_path, "host all all 127.0.0.0/8 scram-sha-256\n"):
        options = settings._database(f"postgres://{own_host()}/postgres?application_name=test")["OPTIONS"]
        with psycopg.connect(
            host=own_host(), user=role, password=private_cluster.password(role), dbname="postgres", **options
        ) as connection:
            names = ("idle", "interval", "count")
            server = [connection.execute(f"SHOW tcp_keepalives_{name}").fetchone() for name in names]
            timeouts = [
                connection.execute(f"SHOW {name}").fetchone()
                for name in ("tcp_user_timeout", "client_connection_check_interval")
            ]
            with socket.socket(fileno=os.dup(connection.fileno())) as client:
                here = [
                    client.getsockopt(socket.IPPROTO_TCP, option)
                    for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
                ]
                patience_ms = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
                assert client.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    assert [int(value[0].rstrip("s")) for value in server if value] == here == [10, 5, 3]
    assert timeouts == [("25000",), ("10s",)]
    assert patience_ms == settings.DEAD_PEER_S * 1000 == (here[0] + here[1] * here[2]) * 1000
    assert options["application_name"] == "test"


def test_options_of_an_address_are_added_to_the_servers():
    options = settings._database("postgres://db.example.org/mobmap_portal?options=-c%20jit%3Doff")["OPTIONS"]["options"]
    assert options.endswith(" -c jit=off")
    assert "-c tcp_keepalives_idle=10 " in options


@pytest.mark.parametrize(("address", "expected"), [(LOCAL, env.quarter_of_ram_disk(2 << 30)), (REMOTE, 128 << 20)])
def test_the_hot_budget_follows_from_the_ram_disk_only_where_the_databases_are_on_this_machine(address, expected):
    assert read("HOT_BUDGET_BYTES", MOBMAP_LOCALE_DATABASE_URL=address) == expected


def test_one_locale_on_another_server_is_enough_for_the_smaller_hot_budget():
    remote = REMOTE.replace("{locale}", "dede")
    assert read("HOT_BUDGET_BYTES", MOBMAP_LOCALE_DATABASE_URL=LOCAL, MOBMAP_DATABASE_URL_DEDE=remote) == 128 << 20


def test_a_hot_budget_that_is_set_counts():
    assert read("HOT_BUDGET_BYTES", MOBMAP_LOCALE_DATABASE_URL=REMOTE, MOBMAP_HOT_BUDGET_BYTES="4096") == 4096
