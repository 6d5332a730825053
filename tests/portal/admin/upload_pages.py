"""The pages of uploads in the admin, and stored documents."""

from __future__ import annotations

import io
import uuid

from django.urls import reverse

from ingest.intake import spool
from ingest.models import Upload
from tests.portal import rows

LIST = "/admin/ingest/upload/"
XML = '<MobMapData language="deDE" version="44"><Mob name="&lt;script&gt;alert(1)&lt;/script&gt;"/></MobMapData>'


def stored(text: str | bytes, storage=None, **values) -> Upload:
    data = text.encode() if isinstance(text, str) else text
    name = spool.document_name(str(uuid.uuid4()))
    spool.put(storage or spool.spool(), name, io.BytesIO(data))
    return rows.upload(document_name=name, size_bytes=len(data), **values)


def listed(client, query: str) -> set[str]:
    response = client.get(LIST + query)
    assert response.status_code == 200
    return {str(upload.pk) for upload in response.context["cl"].result_list}


def document_url(upload: Upload) -> str:
    return reverse("admin:ingest_upload_document", args=[upload.pk])
