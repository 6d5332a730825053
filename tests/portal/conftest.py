"""Fixtures for tests of the portal."""

from __future__ import annotations

import errno

import pytest
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.utils import translation

from ingest import wake


@pytest.fixture(autouse=True)
def english(settings) -> None:
    """Activate English: the language of a page that a test requested stays active in its thread."""
    translation.activate(settings.LANGUAGE_CODE)


@pytest.fixture
def woken(monkeypatch) -> list[str]:
    """The locales whose workers were woken; no message is sent."""
    locales: list[str] = []
    monkeypatch.setattr(wake, "wake", locales.append)
    return locales


@pytest.fixture
def plain_static_files(settings) -> None:
    """Static files without hashes in their names, which need no manifest."""
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture
def full_disk(monkeypatch, settings) -> None:
    """No room for the files of a form, which are written to the disk while it is parsed."""
    settings.FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]

    def write(self: TemporaryUploadedFile, data: bytes) -> None:
        self.close()  # Django leaves that to the garbage collector, which would warn
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(TemporaryUploadedFile, "write", write, raising=False)
