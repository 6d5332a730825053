"""The sample uploads of a realistic world, where they are at hand (MOBMAP_SAMPLE_DIR), merged and counted."""

from __future__ import annotations

import base64
import os
import re
from pathlib import Path

import pytest

from core import locales
from ingest.intake.accept import accept
from ingest.models import Upload
from tests import independent, merged_tables
from tests.ingest.pipeline import work_off

pytestmark = [
    pytest.mark.sample,
    pytest.mark.django_db(databases="__all__", transaction=True),
    pytest.mark.usefixtures("wakes", "empty_hot_tables"),
]

FOLDERS = ["v44", "v42", "malicious", "real-addon"]
_language = re.compile(r'language="(\w{4})"')


def sample_folder() -> Path:
    folder = os.environ.get("MOBMAP_SAMPLE_DIR")
    if not folder:
        pytest.skip("MOBMAP_SAMPLE_DIR does not name the folder of the sample uploads")
    return Path(folder)


def language(body: bytes) -> str:
    text = body if body.lstrip().startswith(b"<") else base64.b64decode(body)
    found = _language.search(text[:400].decode())
    assert found
    return locales.canonical(found[1])


def test_all_sample_uploads_are_merged_into_what_an_independent_count_gives(settings) -> None:
    settings.BATCH_MAX_UPLOADS = 200
    folder = sample_folder()
    paths = [path for name in FOLDERS for path in sorted((folder / name).iterdir()) if path.suffix in {".xml", ".b64"}]
    assert len(paths) > 1_000
    sent: dict[str, list[tuple[str, bytes]]] = {locale: [] for locale in locales.hosted()}
    for number, path in enumerate(paths):
        body, sender = path.read_bytes(), f"player:{number % 50}"
        accepted = accept(iter([body]), "", sender, path.name, check_locale=lambda locale: None, dry_run=False)
        assert not accepted.duplicate
        sent[language(body)].append((sender, body))
    for locale, alias in locales.aliases().items():
        work_off(locale)
        assert merged_tables.read(alias) == independent.merged(independent.count(sent[locale]))
    assert set(Upload.objects.values_list("status", flat=True)) == {"merged"}
