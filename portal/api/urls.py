"""URLs of the upload endpoint and of receipts."""

from django.urls import path

from portal.api import receipts, uploads

urlpatterns = [
    path("api/v1/uploads", uploads.uploads, name="uploads"),
    path("api/v1/uploads/<uuid:upload_id>", receipts.receipt, name="upload"),
]
