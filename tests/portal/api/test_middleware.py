"""Uploads bypass the other middlewares, and their responses look the same."""

from __future__ import annotations

from threading import local

import pytest
from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper
from django.test import Client

from portal.api import middleware
from portal.api.middleware import PATH
from tests.conftest import ALL_DATABASES
from tests.ingest.factories import document

pytestmark = ALL_DATABASES
SECURITY = (
    "Content-Security-Policy",
    "Cross-Origin-Opener-Policy",
    "Referrer-Policy",
    "X-Content-Type-Options",
    "X-Frame-Options",
)


def policy(header: str) -> set[str]:
    return {part.strip() for part in header.split(";")}


@pytest.mark.parametrize("body", [document(), b"nonsense"])
def test_the_response_to_an_upload_has_the_security_headers_of_all_others(client: Client, body: bytes) -> None:
    other = client.get("/api/v1/status")
    answer = client.post(f"{PATH}?dry_run=1", body, "application/xml")
    for name in SECURITY:
        assert policy(answer[name]) == policy(other[name])
    assert answer["Content-Length"] == str(len(answer.content))
    assert not answer.cookies


def test_a_host_that_is_not_the_sites_is_refused() -> None:
    assert Client().post(PATH, document(), "application/xml", headers={"host": "elsewhere.example"}).status_code == 400


def test_other_addresses_keep_their_middlewares(client: Client) -> None:
    assert client.get("/upload", headers={"accept-language": "de"})["Content-Language"] == "de"
    assert client.get(f"{PATH}/")["Content-Language"] == "en"


def test_a_working_connection_is_checked_once_in_a_while(client: Client, monkeypatch) -> None:
    checked: list[bool] = []

    def usable(self: object) -> bool:
        checked.append(True)
        return True

    monkeypatch.setattr(DatabaseWrapper, "is_usable", usable)
    monkeypatch.setattr(middleware, "_thread", local())

    def send() -> int:
        connection.health_check_enabled, connection.health_check_done = True, False  # as at the start of a request
        return client.post(f"{PATH}?dry_run=1", document(), "application/xml").status_code

    assert [send(), send(), send()] == [200] * 3
    assert checked == [True]
    monkeypatch.setattr(middleware, "HEALTH_CHECK_EVERY_S", 0.0)
    send()
    assert checked == [True, True]


def test_a_failure_of_the_endpoint_is_answered_with_500(monkeypatch) -> None:
    def fail(request: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("portal.api.senders.identify", fail)
    answer = Client(raise_request_exception=False).post(PATH, document(), "application/xml")
    assert answer.status_code == 500
    assert answer["X-Content-Type-Options"] == "nosniff"
