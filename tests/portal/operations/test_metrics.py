"""Prometheus may read the figures, the public may not."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ingest.models import LocaleControl
from tests.conftest import ALL_DATABASES
from tests.portal import rows

pytestmark = ALL_DATABASES

ELSEWHERE = {"REMOTE_ADDR": "203.0.113.9"}


@pytest.fixture(autouse=True)
def dead_broker(settings):
    settings.BROKER_URL = "amqp://someone:secret@127.0.0.1:1//"


def samples(response) -> dict[tuple, float]:
    """Parse the answer: `{("mobmap_uploads_queued", ("deDE",)): 2.0, …}`."""
    assert response.status_code == 200
    families = text_string_to_metric_families(response.content.decode())
    return {(s.name, tuple(s.labels.values())): s.value for family in families for s in family.samples}


def test_the_metrics_are_prometheus_text_with_the_figures(client):
    rows.upload(size_bytes=70)
    rows.upload(size_bytes=30, attempts=1, reason="the database was unavailable")
    rows.upload(status="withdrawn")
    LocaleControl.objects.create(locale="enUS", work_paused=True)
    response = client.get("/metrics")
    assert response["Content-Type"].startswith("text/plain")
    found = samples(response)
    assert found["mobmap_uploads_queued", ("deDE",)] == 2
    assert found["mobmap_uploads_queued", ("enUS",)] == 0
    assert found["mobmap_uploads_failing", ("deDE",)] == 1
    assert found["mobmap_uploads_merged_total", ("deDE",)] == 1
    assert found["mobmap_spool_waiting_bytes", ()] == 100
    assert found["mobmap_spool_free_bytes", ()] > 0
    assert found["mobmap_paused", ("enUS", "work")] == 1
    assert found["mobmap_paused", ("deDE", "work")] == 0
    assert found["mobmap_part_up", ("database deDE",)] == 1
    assert found["mobmap_part_up", ("broker",)] == 0
    assert found["mobmap_workers", ()] == 0


def test_clients_elsewhere_are_refused(client):
    response = client.get("/metrics", **ELSEWHERE)
    assert response.status_code == 403
    assert response["Content-Type"] == "application/problem+json"


def test_a_token_allows_reading_the_metrics_from_elsewhere(client, settings):
    settings.METRICS_TOKEN = "a-token-of-the-metrics"
    allowed = client.get("/metrics", HTTP_AUTHORIZATION="Bearer a-token-of-the-metrics", **ELSEWHERE)
    assert allowed.status_code == 200
    assert client.get("/metrics", HTTP_AUTHORIZATION="Bearer wrong", **ELSEWHERE).status_code == 403
    assert client.get("/metrics", HTTP_AUTHORIZATION="Bearer ", **ELSEWHERE).status_code == 403


def test_without_a_token_setting_an_empty_token_allows_nothing(client):
    assert client.get("/metrics", HTTP_AUTHORIZATION="Bearer ", **ELSEWHERE).status_code == 403


def test_clients_behind_a_proxy_on_this_machine_are_refused(client, settings):
    forwarded = {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "203.0.113.9"}
    assert client.get("/metrics", **forwarded).status_code == 403
    settings.TRUST_PROXY = True
    assert client.get("/metrics", **forwarded).status_code == 403
    assert client.get("/metrics", REMOTE_ADDR="127.0.0.1", HTTP_X_FORWARDED_FOR="::1").status_code == 200
