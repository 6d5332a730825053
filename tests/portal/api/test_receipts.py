"""The receipt of an upload: what is shown at each step, and nothing of the sender."""

from __future__ import annotations

import uuid

import orjson
import pytest
from django.utils import timezone

from tests.portal.rows import upload

pytestmark = pytest.mark.django_db

CONTRIBUTION = {"new_mobs": 1, "new_positions": 2, "confirmed_positions": 3, "new_drops": 4}


def receipt(client, upload_id) -> tuple[int, dict]:
    answer = client.get(f"/api/v1/uploads/{upload_id}")
    return answer.status_code, orjson.loads(answer.content)


def test_a_queued_upload_shows_its_counts_and_when_it_was_received(client):
    row = upload(ignored={"Merchant": 3})
    status, shown = receipt(client, row.id)
    assert status == 200
    assert shown == {
        "id": str(row.id),
        "status": "queued",
        "url": f"/api/v1/uploads/{row.id}",
        "locale": "deDE",
        "version": 44,
        "mobs": 1,
        "positions": 2,
        "lootings": 3,
        "ignored": {"Merchant": 3},
        "size_bytes": 1000,
        "received_at": row.received_at.isoformat(timespec="milliseconds"),
    }


def test_a_merged_upload_shows_its_contribution_and_the_time_of_each_step(client):
    now = timezone.now()
    row = upload(status="merged", staged_at=now, merged_at=now, contribution=CONTRIBUTION)
    _, shown = receipt(client, row.id)
    assert {name: shown[name] for name in CONTRIBUTION} == CONTRIBUTION
    assert shown["staged_at"] == shown["merged_at"] == now.isoformat(timespec="milliseconds")


def test_the_contribution_of_an_upload_is_not_shown_before_it_is_merged(client):
    _, shown = receipt(client, upload(contribution=CONTRIBUTION).id)
    assert not CONTRIBUTION.keys() & shown.keys()


@pytest.mark.parametrize(("status", "step"), [("rejected", "rejected_at"), ("withdrawn", "withdrawn_at")])
def test_an_upload_that_is_not_on_the_map_says_why(client, status, step):
    _, shown = receipt(client, upload(status=status, reason="it was damaged", **{step: timezone.now()}).id)
    assert (shown["status"], shown["reason"]) == (status, "it was damaged")
    assert step in shown


def test_a_receipt_says_nothing_of_the_sender(client):
    _, shown = receipt(client, upload(sender="player:secret", file_name="my name.xml", game_version="x|realm").id)
    assert "secret" not in str(shown)
    assert "my name" not in str(shown)
    assert "realm" not in str(shown)


def test_an_unknown_receipt_is_a_problem_with_the_id(client):
    unknown = uuid.uuid4()
    status, problem = receipt(client, unknown)
    assert (status, problem["type"], problem["may_retry"]) == (404, "/about/api#problem-not-found", False)
    assert str(unknown) in problem["detail"]


def test_a_receipt_is_revalidated_every_time(client):
    assert client.get(f"/api/v1/uploads/{upload().id}")["Cache-Control"] == "no-cache"


def test_a_receipt_is_read_only(client):
    answer = client.delete(f"/api/v1/uploads/{upload().id}")
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
