"""Ports are chosen and kept, and the process on a taken one is named."""

from __future__ import annotations

import json
import os
import socket

import pytest

from deploy.steps import ports
from deploy.steps.progress import Failure


@pytest.fixture
def taken():
    with socket.socket() as server:
        server.bind((ports.LOOPBACK, 0))
        server.listen()
        yield server.getsockname()[1]


def test_chosen_ports_are_remembered(tmp_path, monkeypatch):
    monkeypatch.setattr(ports, "is_free", lambda port: True)  # another process may take one meanwhile
    path = tmp_path / "ports.json"
    first = ports.remembered(path, ["amqp", "epmd"])
    assert ports.remembered(path, ["amqp", "epmd"]) == first
    assert len(set(first.values())) == 2


def test_a_port_that_another_process_has_taken_is_replaced(tmp_path, taken):
    path = tmp_path / "ports.json"
    path.write_text(json.dumps({"amqp": taken}))
    assert ports.remembered(path, ["amqp"])["amqp"] != taken
    assert json.loads(path.read_text())["amqp"] != taken


@pytest.mark.parametrize("content", ["", "not json", '{"amqp": "text"}', "{}"])
def test_a_broken_file_of_ports_is_replaced(tmp_path, content):
    path = tmp_path / "ports.json"
    path.write_text(content)
    assert 1024 <= ports.remembered(path, ["amqp"])["amqp"] <= 65535


def test_a_taken_port_is_refused_with_its_process_and_what_to_do(taken):
    with pytest.raises(Failure) as failure:
        ports.check_free(taken)
    assert f"process {os.getpid()} (" in str(failure.value)
    assert "./deploy/run --port" in str(failure.value)


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_what_is_no_port_is_refused(port):
    with pytest.raises(Failure, match="is not a port"):
        ports.check_free(port)
