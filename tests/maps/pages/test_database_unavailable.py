"""While a database is unavailable, pages say so; other errors are not hidden."""

from __future__ import annotations

import pytest
from django.db import OperationalError

from maps import queries
from tests.conftest import ALL_DATABASES

pytestmark = ALL_DATABASES


@pytest.mark.parametrize(
    ("language", "heading", "way_on"),
    [("en", "Back in a moment", "Try again"), ("de", "Gleich wieder da", "Noch einmal versuchen")],
)
def test_while_a_database_is_unavailable_pages_answer_503(client, monkeypatch, language, heading, way_on):
    def unavailable(*_: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(queries, "zone_map", unavailable)
    response = client.get("/enUS/zones/12", headers={"Accept-Language": language})
    assert response.status_code == 503
    assert int(response["Retry-After"]) > 0
    assert response["Cache-Control"] == "no-store"
    html = response.content.decode()
    assert heading in html
    assert f'href="/enUS/zones/12">{way_on}</a>' in html
    assert "refused" not in html


def test_other_errors_stay_errors(client, monkeypatch):
    monkeypatch.setattr(queries, "zone_map", lambda *_: 1 / 0)
    client.raise_request_exception = False
    assert client.get("/enUS/zones/12").status_code == 500
