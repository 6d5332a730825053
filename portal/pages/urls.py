"""URLs of the upload page and the receipt page."""

from django.urls import path

from portal.pages import receipt, upload

urlpatterns = [
    path("upload", upload.upload, name="upload-page"),
    path("uploads/<uuid:id>", receipt.receipt, name="receipt-page"),
]
