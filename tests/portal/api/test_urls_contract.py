"""The portal's answers, each from the real endpoint, against the contract it publishes."""

from __future__ import annotations

import gzip
from typing import Any
from uuid import uuid4

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, OperationalError
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from core import time_limited
from core.problems import TYPE_BASE, Problem, problem_classes
from ingest import problems
from ingest.models import LocaleControl, Upload
from maps.api import openapi
from portal import accounts
from portal.operations import status
from tests.conftest import ALL_DATABASES
from tests.maps.api.contract import checked
from tests.portal import rows

pytestmark = ALL_DATABASES

GOOD = (
    '<MobMapData language="deDE" version="44" gameversion="12340|realm">'
    '<Mob name="Lastkodo" blizzid="10636" min="30" max="31" react="12" date="6659">'
    '<Zone name="Tausend Nadeln" level="0">21.6/33,46.1/40.7,-1/-1,</Zone></Mob>'
    '<Loot name="n0x298c#14.9#31.7#Tausend Nadeln#0">+3651:0:0:1:54Z#117#+64#</Loot>'
    '<Merchant name=" Polly"><MItem id="117" qty="5" ltd="-1" cost="25"/></Merchant></MobMapData>'
)
BAD = GOOD.replace("21.6/33", "121.6/33")


@pytest.fixture(autouse=True)
def fresh_counts(settings, tmp_path) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)


def post(
    body: str | bytes = GOOD, media_type: str = "application/xml", query: str = "", **headers: str
) -> HttpResponse:
    """Post a body to the upload endpoint and return its answer, checked against the contract."""
    data = body.encode() if isinstance(body, str) else body
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return checked(Client(headers=names).post(f"/api/v1/uploads{query}", data, content_type=media_type))


def refused(response: HttpResponse, cause: type[Problem]) -> dict[str, Any]:
    """Return the problem, which must be of this cause and say what may be done next."""
    problem = response.json()
    assert (response.status_code, problem["type"]) == (cause.status, TYPE_BASE + cause.code)
    assert response["Content-Type"] == "application/problem+json"
    assert problem["may_retry"] is cause.may_retry
    assert problem["limits"]["document_bytes"] > 0
    return problem


def test_an_accepted_upload_is_counted_and_leads_to_its_receipt():
    response = post()
    assert response.status_code == 202
    body = response.json()
    assert {
        name: body[name] for name in ("status", "locale", "version", "mobs", "positions", "lootings", "ignored")
    } == {
        "status": "queued",
        "locale": "deDE",
        "version": 44,
        "mobs": 1,
        "positions": 3,
        "lootings": 2,
        "ignored": {"Merchant": 1},
    }
    assert response["Location"] == body["url"] == f"/api/v1/uploads/{body['id']}"
    receipt = checked(Client().get(body["url"]))
    assert receipt.json()["status"] == "queued"


def test_the_same_content_again_names_the_first_upload():
    first = post().json()
    again = post(gzip.compress(GOOD.encode()), content_encoding="gzip")
    assert again.status_code == 200
    assert again.json()["duplicate"] is True
    assert again.json()["id"] == first["id"]
    assert again["Location"] == first["url"]


def test_a_dry_run_counts_and_keeps_nothing():
    response = post(query="?dry_run=1")
    assert response.status_code == 200
    assert response.json()["status"] == "valid"
    assert "id" not in response.json()
    assert not response.has_header("Location")
    assert Upload.objects.count() == 0


def test_a_form_with_several_files_is_answered_file_by_file():
    files = [SimpleUploadedFile(name, body.encode()) for name, body in (("good.xml", GOOD), ("bad.xml", BAD))]
    response = checked(Client().post("/api/v1/uploads", {"file": files}))
    assert response.status_code == 207
    assert [(one["file"], one["status"]) for one in response.json()["results"]] == [
        ("good.xml", "queued"),
        ("bad.xml", 422),
    ]


def test_a_form_with_one_file_is_answered_like_a_plain_body():
    response = checked(Client().post("/api/v1/uploads", {"file": SimpleUploadedFile("good.xml", GOOD.encode())}))
    assert response.status_code == 202


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("", problems.EmptyBody),
        ("hello there!", problems.NotXmlNorBase64),
        ("PE1vYk1hc=RhdGEvPg", problems.BadBase64),
        (GOOD.encode("utf-16"), problems.NotUtf8),
        (GOOD[:-5], problems.NotWellFormed),
        (BAD, problems.InvalidDocument),
        ("<!DOCTYPE x>" + GOOD, problems.InvalidDocument),
        (GOOD.replace("deDE", "frFR"), problems.UploadLocaleNotHosted),
    ],
)
def test_a_bad_body_is_refused_with_its_cause(body, cause):
    refused(post(body), cause)


def test_a_refusal_of_an_invalid_document_says_where_it_is_wrong():
    problem = refused(post(BAD), problems.InvalidDocument)
    assert problem["errors"][0]["where"]
    assert "121.6" in problem["errors"][0]["message"]


def test_damaged_compression_is_refused():
    refused(post(gzip.compress(GOOD.encode())[:-9], content_encoding="gzip"), problems.BadCompression)


def test_a_form_without_a_file_is_refused():
    refused(checked(Client().post("/api/v1/uploads", {"text": GOOD})), problems.BadMultipart)


def test_a_body_past_the_limit_is_refused(settings):
    settings.MAX_DOCUMENT_BYTES = len(GOOD) - 1
    refused(post(), problems.TooLarge)


def test_other_media_types_and_encodings_are_refused():
    refused(post(media_type="application/json"), problems.UnsupportedMediaType)
    refused(post(content_encoding="br"), problems.UnsupportedEncoding)


def test_tokens_are_known_or_refused(settings):
    refused(post(authorization="Bearer mm_unknown"), problems.UnknownToken)
    settings.ANONYMOUS_UPLOADS = False
    refused(post(), problems.AnonymousNotAllowed)
    assert post(authorization=f"Bearer {accounts.issue('Anna')}").status_code == 202


def test_a_sender_beyond_their_limit_is_told_when_to_come_back(settings):
    settings.ANONYMOUS_UPLOADS_PER_HOUR = 1
    assert post().status_code == 202
    response = post()
    refused(response, problems.TooManyUploads)
    assert int(response["Retry-After"]) > 0


def test_a_paused_site_and_a_full_spool_say_when_to_come_back(settings):
    settings.SPOOL_MIN_FREE_BYTES = 2**60
    full = post()
    refused(full, problems.SpoolFull)
    assert int(full["Retry-After"]) > 0
    for locale in settings.MOBMAP_LOCALES:
        LocaleControl.objects.create(locale=locale, intake_paused=True, note="Moving house")
    time_limited.clear_all()
    paused = post()
    assert "Moving house" in refused(paused, problems.IntakePaused)["detail"]
    assert int(paused["Retry-After"]) > 0


@pytest.mark.parametrize("state", Upload.Status.values)
def test_receipts_of_every_status_are_as_described(state):
    now = timezone.now()
    moment = {f"{state}_at": now} if state != "queued" else {}
    contribution = (
        {"new_mobs": 1, "new_positions": 2, "confirmed_positions": 3, "new_drops": 4} if state == "merged" else None
    )
    upload = rows.upload(
        status=state, contribution=contribution, reason="torn" if state == "rejected" else "", **moment
    )
    body = checked(Client().get(f"/api/v1/uploads/{upload.id}")).json()
    assert body["status"] == state
    assert ("new_positions" in body) == (state == "merged")
    assert ("reason" in body) == (state == "rejected")


def test_an_unknown_receipt_is_not_found():
    assert checked(Client().get(f"/api/v1/uploads/{uuid4()}")).status_code == 404


def test_uploads_and_receipts_say_when_the_database_is_unavailable(monkeypatch):
    def fail(*args: Any, **filters: Any) -> None:
        raise OperationalError("the connection is lost")

    monkeypatch.setattr(Upload.objects, "filter", fail)
    refused(post(), problems.DatabaseUnavailable)
    receipt = checked(Client().get(f"/api/v1/uploads/{uuid4()}"))
    assert (receipt.status_code, receipt.json()["type"]) == (503, TYPE_BASE + problems.DatabaseUnavailable.code)


def test_the_status_counts_and_says_when_it_can_not(monkeypatch):
    rows.upload()
    body = checked(Client().get("/api/v1/status")).json()
    assert body["totals"] == {"queued": 1, "staged": 0, "merged": 0}

    def fail() -> None:
        raise DatabaseError

    monkeypatch.setattr(status, "figures", fail)
    response = checked(Client().get("/api/v1/status"))
    assert (response.status_code, response.json()["type"]) == (503, "/about/api#problem-status-unavailable")


def test_health_readiness_and_metrics_are_as_described(settings):
    settings.BROKER_URL = "amqp://someone:secret@127.0.0.1:1//"
    assert checked(Client().get("/healthz")).status_code == 200
    assert checked(Client().get("/readyz")).json()["status"] == "degraded"
    assert checked(Client().get("/metrics")).status_code == 200
    assert checked(Client().get("/metrics", REMOTE_ADDR="203.0.113.9")).status_code == 403


def test_every_cause_of_a_refusal_is_in_the_contract():
    contract = yaml.safe_load(openapi.PATH.read_text(encoding="utf-8"))
    described = contract["components"]["schemas"]["ProblemType"]["enum"]
    assert sorted(described) == sorted({TYPE_BASE + cause.code for cause in problem_classes()})
