"""Every sample, sent to the endpoint."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from django.test import Client

from tests.conftest import ALL_DATABASES
from tests.samples import FOLDER, INVALID, VALID, Sample
from tests.samples.generate import GENERATED

pytestmark = ALL_DATABASES


def send(client: Client, sample: Sample) -> tuple[int, dict[str, Any]]:
    """Post a sample as a dry run and return the status and the JSON object of the answer."""
    headers = {"Content-Encoding": sample.content_encoding} if sample.content_encoding else {}
    body = b"".join(sample.chunks())
    answer = client.generic("POST", "/api/v1/uploads?dry_run=1", body, sample.content_type, headers=headers)
    return answer.status_code, orjson.loads(answer.content)


@pytest.mark.parametrize("sample", VALID, ids=lambda sample: sample.name)
def test_a_valid_sample_is_counted_as_its_manifest_says(client, sample):
    status, receipt = send(client, sample)
    assert (status, receipt.get("detail"), receipt.get("errors")) == (200, None, None)
    expected = {key: value for key, value in sample.expected.items() if not key.startswith("content_")}
    assert {key: receipt[key] for key in expected} == expected


@pytest.mark.parametrize("sample", INVALID, ids=lambda sample: sample.name)
def test_an_invalid_sample_is_refused_as_its_manifest_says(client, sample):
    status, problem = send(client, sample)
    expected = sample.expected
    assert (status, problem["type"].rpartition("problem-")[2]) == (expected["status"], expected["code"])
    errors = problem.get("errors", [])
    if "error" in expected:
        assert errors[0]["code"] == expected["error"]
        assert expected.get("where_contains", "") in errors[0]["where"]
    if "count" in expected:
        assert len(errors) == expected["count"]
    told = [problem["detail"], *(error["message"] for error in errors)]
    assert any(expected["message_contains"] in text for text in told)
    assert all(text and len(text) < 400 for text in told)
    assert len(errors) <= 20


@pytest.mark.parametrize("samples", [VALID, INVALID], ids=["valid", "invalid"])
def test_every_file_is_in_the_manifest_and_every_name_has_a_file(samples):
    files = {path.name for path in samples[0].folder.iterdir()} - {"manifest.json"}
    names = {sample.name for sample in samples}
    assert files - names == set()
    assert names - files - GENERATED.keys() == set()
    assert samples[0].folder.parent == FOLDER
