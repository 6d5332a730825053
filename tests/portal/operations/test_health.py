"""Health and readiness show what works, what does not and why, without secrets."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from django.conf import settings as django_settings
from django.db import connections
from kombu import Connection
from kombu import Queue as BrokerQueue

from portal.operations import health
from tests.conftest import ALL_DATABASES

BROKER_URL = django_settings.BROKER_URL
#: Port 1 (tcpmux) listens nowhere.
DEAD_BROKER = "amqp://someone:secret@127.0.0.1:1//"


@pytest.fixture(autouse=True)
def dead_broker(settings):
    settings.BROKER_URL = DEAD_BROKER


@pytest.fixture
def hung_broker(settings) -> Iterator[None]:
    """A broker that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.BROKER_URL = f"amqp://someone:secret@127.0.0.1:{server.getsockname()[1]}//"
        yield


def parts(response) -> dict[str, dict]:
    return {part["name"]: part for part in response.json()["parts"]}


def test_healthz_answers_without_any_part(client):
    response = client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok\n")


@ALL_DATABASES
def test_a_dead_broker_degrades_but_uploads_are_still_accepted(client):
    response = client.get("/readyz")
    assert response.status_code == 200
    assert response.json()["status"] == "degraded"
    found = parts(response)
    assert list(found) == ["database portal", "database enUS", "database deDE", "broker", "RAM stage", "spool"]
    assert found["broker"] == {
        "name": "broker",
        "needed": False,
        "status": "failed",
        "reason": "It does not answer (ConnectionRefusedError).",
        "note": "",
    }
    assert {name for name, part in found.items() if part["status"] == "ok"} == set(found) - {"broker"}
    assert "secret" not in response.content.decode()


@ALL_DATABASES
def test_a_hung_broker_is_given_up(client, hung_broker):
    response = client.get("/readyz")
    assert response.status_code == 200
    assert parts(response)["broker"]["reason"] == "It does not answer (TimeoutError)."


@pytest.mark.django_db(databases="__all__", transaction=True)
def test_a_dead_locale_database_degrades(client, monkeypatch, tmp_path):
    connections["map_deDE"].close()
    monkeypatch.setitem(connections["map_deDE"].settings_dict, "HOST", str(tmp_path))
    response = client.get("/readyz")
    assert response.status_code == 200
    assert parts(response)["database enUS"]["status"] == "ok"
    assert parts(response)["database deDE"]["reason"] == "It does not answer (OperationalError)."
    assert str(tmp_path) not in response.content.decode()


@pytest.mark.django_db(databases="__all__", transaction=True)
def test_a_dead_portal_database_is_not_ready(client, monkeypatch, tmp_path):
    connections["default"].close()
    monkeypatch.setitem(connections["default"].settings_dict, "HOST", str(tmp_path))
    response = client.get("/readyz")
    assert response.status_code == 503
    assert parts(response)["database portal"]["status"] == "failed"
    status = client.get("/api/v1/status")
    assert status.status_code == 503
    assert status["Retry-After"] == "5"
    metrics = client.get("/metrics").content.decode()
    assert 'mobmap_part_up{part="database portal"} 0.0' in metrics


@ALL_DATABASES
def test_a_spool_that_can_not_be_written_is_not_ready(client, settings, own_spool):
    (own_spool / "spool").write_text("in the way")
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["status"] == "failed"
    assert parts(response)["spool"]["reason"] == "It can't be written (File exists)."


@ALL_DATABASES
def test_a_spool_without_free_space_is_not_ready(client, settings):
    settings.SPOOL_MIN_FREE_BYTES = 2**60
    response = client.get("/readyz")
    assert response.status_code == 503
    assert "MiB must stay free" in parts(response)["spool"]["reason"]


@pytest.mark.broker
def test_the_queues_of_a_working_broker_are_counted(settings):
    settings.BROKER_URL = BROKER_URL
    settings.MOBMAP_LOCALES = ["xxAA", "xxBB"]
    confirmed = {"confirm_publish": True}  # what is confirmed is in the queue
    with Connection(BROKER_URL, transport_options=confirmed) as connection, connection.channel() as channel:
        queue = BrokerQueue("ingest.xxAA", durable=False, exclusive=False, auto_delete=False)(channel)
        queue.declare()
        try:
            connection.Producer().publish("{}", routing_key="ingest.xxAA", declare=[])
            found = health.ask_broker()
        finally:
            queue.delete()
    assert found.reason == ""
    assert found.queues["ingest.xxAA"] == health.Queue(messages=1, consumers=0)
    assert found.queues["ingest.xxBB"] is None


@ALL_DATABASES
def test_a_ram_stage_that_broke_is_reported(client, settings, monkeypatch):
    settings.HOT_TABLESPACE = "mobmap_hot"
    monkeypatch.setattr("ingest.merge.hot_tables.in_ram", lambda alias: alias != "map_deDE")
    parts = {part["name"]: part for part in client.get("/readyz").json()["parts"]}
    assert parts["RAM stage"]["status"] == "failed"
    assert "deDE" in parts["RAM stage"]["reason"]
    assert not parts["RAM stage"]["needed"]


@ALL_DATABASES
def test_staging_on_disk_by_choice_is_no_failure(client, settings):
    settings.HOT_TABLESPACE = ""
    parts = {part["name"]: part for part in client.get("/readyz").json()["parts"]}
    assert parts["RAM stage"]["status"] == "ok"
    assert "on disk" in parts["RAM stage"]["note"]
