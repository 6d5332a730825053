"""Settings of an object store are given whole or not at all."""

from __future__ import annotations

import pytest

from portal import checks

NOTHING = {"endpoint_url": "", "region_name": "", "access_key": "", "secret_key": ""}
KEYS = {"access_key": "who", "secret_key": "a secret of ours"}


@pytest.mark.parametrize(
    ("bucket", "given"),
    [
        ("", {}),
        ("mobmap", {"endpoint_url": "https://s3.example.org", **KEYS}),
        ("mobmap", {"endpoint_url": "http://10.0.0.5:9000", "region_name": "garage", **KEYS}),
        ("mobmap", {"region_name": "eu-central-1"}),
    ],
)
def test_whole_settings_and_none_at_all_are_fine(settings, bucket, given):
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
        ("mobmap", "", {}, "without the place of its store"),
        ("mobmap", "", KEYS, "without the place of its store"),
        ("mobmap", "", {"endpoint_url": "s3.example.org", **KEYS}, "is no address"),
        ("mobmap", "", {"endpoint_url": "https://", **KEYS}, "is no address"),
        ("mobmap", "", {"endpoint_url": "s3://mobmap", **KEYS}, "is no address"),
    ],
)
def test_e008_finds_settings_that_are_half_given(settings, bucket, prefix, given, said):
    settings.SPOOL_S3_BUCKET = bucket
    settings.SPOOL_S3_PREFIX = prefix
    settings.SPOOL_S3 = NOTHING | given
    [found] = checks.check_object_store(None)
    assert found.id == "portal.E008"
    assert said in found.msg
    assert found.hint
    assert KEYS["secret_key"] not in found.msg + found.hint
