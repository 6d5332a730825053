"""The smallest valid rows of work, for tests."""

from __future__ import annotations

import os
from typing import Any

from django.utils import timezone

from ingest.models import Upload


def upload(**values: Any) -> Upload:
    """Create an upload with a content of its own: queued, of deDE, just received."""
    values = {
        "locale": "deDE",
        "content_hash": os.urandom(32),
        "version": 44,
        "sender": "network:" + "0" * 32,
        "size_bytes": 1000,
        "document_name": "deDE/document.xml",
        "mobs": 1,
        "positions": 2,
        "lootings": 3,
        "received_at": timezone.now(),
        **values,
    }
    return Upload.objects.create(**values)
