"""The configuration's faults are found, named and explained."""

from __future__ import annotations

import copy

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from portal import checks

NOTHING = {"endpoint_url": "", "region_name": "", "access_key": "", "secret_key": ""}
KEYS = {"access_key": "who", "secret_key": "a secret of ours"}


def ids(messages) -> list[str]:
    assert all(message.hint for message in messages)
    return [message.id for message in messages]


def test_a_sound_configuration_has_no_findings(settings):
    for check in (
        checks.check_locales,
        checks.check_databases,
        checks.check_storages,
        checks.check_limits,
        checks.check_temporary_files,
        checks.check_metrics_token,
    ):
        assert check(None) == []


@pytest.mark.parametrize(
    ("hosted", "said"),
    [
        ([], "names no locale"),
        (["enUS", "german"], "'german' is no locale"),
        (["enUS", "enus"], "'enus' is no locale"),
        (["enUS", "../x"], "'../x' is no locale"),
        (["enUS", "enGB"], "'enGB' shares the map of enUS"),
        (["deDE", "deDE"], "'deDE' is named more than once"),
    ],
)
def test_e001_finds_locales_that_can_not_be_hosted(settings, hosted, said):
    settings.MOBMAP_LOCALES = hosted
    found = checks.check_locales(None)
    assert ids(found) == ["portal.E001"]
    assert said in found[0].msg


def test_e002_finds_locales_that_share_a_database(monkeypatch, settings):
    monkeypatch.setitem(settings.DATABASES, "map_frFR", copy.deepcopy(settings.DATABASES["map_deDE"]))
    found = checks.check_databases(None)
    assert ids(found) == ["portal.E002"]
    assert "map_deDE and map_frFR" in found[0].msg


@pytest.mark.parametrize("name", ["spool", "archive"])
def test_e003_finds_a_directory_that_can_not_be_written(settings, own_spool, name):
    (own_spool / "file").write_text("in the way")
    storage = {**settings.STORAGES[name], "OPTIONS": {"location": own_spool / "file" / name}}
    settings.STORAGES = {**settings.STORAGES, name: storage}
    found = checks.check_storages(None)
    assert ids(found) == ["portal.E003"]
    assert name in found[0].msg


@pytest.mark.parametrize("secret", ["short", "a" * 60])
def test_e004_finds_a_secret_that_can_be_guessed(settings, secret):
    settings.SECRET_KEY = secret
    settings.DEBUG = False
    settings.ALLOWED_HOSTS = ["mobmap.example"]
    found = checks.check_secret(None)
    assert ids(found) == ["portal.E004"]
    assert secret not in found[0].msg
    settings.ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
    assert ids(checks.check_secret(None)) == ["portal.W004"]
    settings.DEBUG = True
    assert checks.check_secret(None) == []


def test_e005_finds_a_body_limit_below_that_of_documents(settings):
    settings.MAX_BODY_BYTES = settings.MAX_DOCUMENT_BYTES - 1
    assert ids(checks.check_limits(None)) == ["portal.E005"]
    settings.MAX_BODY_BYTES = settings.MAX_DOCUMENT_BYTES + 1
    assert ids(checks.check_limits(None)) == ["portal.W005"]


def test_e006_finds_a_temporary_directory_that_can_not_be_made(settings, tmp_path):
    (tmp_path / "file").write_text("in the way")
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path / "file" / "tmp")
    assert ids(checks.check_temporary_files(None)) == ["portal.E006"]


def test_a_missing_temporary_directory_is_created(settings, tmp_path):
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path / "deep" / "tmp")
    assert checks.check_temporary_files(None) == []
    assert (tmp_path / "deep" / "tmp").is_dir()


def test_e007_finds_a_metrics_token_that_can_be_guessed(settings):
    settings.METRICS_TOKEN = "secret"
    found = checks.check_metrics_token(None)
    assert ids(found) == ["portal.E007"]


def test_the_checks_run_with_django_s_own(settings):
    settings.MOBMAP_LOCALES = ["german"]
    with pytest.raises(SystemCheckError, match=r"portal\.E001"):
        call_command("check")


@pytest.mark.parametrize(
    ("bucket", "given"),
    [
        ("", {}),
        ("mobmap", {"endpoint_url": "https://s3.example.org", **KEYS}),
        ("mobmap", {"endpoint_url": "http://10.0.0.5:9000", "region_name": "garage", **KEYS}),
        ("mobmap", {"region_name": "eu-central-1"}),
    ],
)
def test_complete_and_empty_settings_of_an_object_store_are_fine(settings, bucket, given):
    settings.SPOOL_S3_BUCKET = bucket
    settings.SPOOL_S3 = NOTHING | given
    assert checks.check_object_store(None) == []


@pytest.mark.parametrize(
    ("bucket", "prefix", "given", "said"),
    [
        ("", "", {"endpoint_url": "https://s3.example.org"}, "without a bucket"),
        ("", "", KEYS, "without a bucket"),
        ("", "mobmap", {}, "without a bucket"),
        ("mobmap", "", {"region_name": "eu-central-1", "access_key": "who"}, "only one is given"),
        ("mobmap", "", {"region_name": "eu-central-1", "secret_key": "a secret of ours"}, "only one is given"),
        ("mobmap", "", {}, "without the address or region"),
        ("mobmap", "", KEYS, "without the address or region"),
        ("mobmap", "", {"endpoint_url": "s3.example.org", **KEYS}, "is not a URL"),
        ("mobmap", "", {"endpoint_url": "https://", **KEYS}, "is not a URL"),
        ("mobmap", "", {"endpoint_url": "s3://mobmap", **KEYS}, "is not a URL"),
    ],
)
def test_e008_finds_incomplete_settings_of_an_object_store(settings, bucket, prefix, given, said):
    settings.SPOOL_S3_BUCKET = bucket
    settings.SPOOL_S3_PREFIX = prefix
    settings.SPOOL_S3 = NOTHING | given
    [found] = checks.check_object_store(None)
    assert found.id == "portal.E008"
    assert said in found.msg
    assert found.hint
    assert KEYS["secret_key"] not in found.msg + found.hint
