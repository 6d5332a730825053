"""Addresses of the door's pages."""

from django.urls import path

from portal.pages import upload

urlpatterns = [
    path("upload", upload.upload, name="upload-page"),
    path("uploads/<uuid:id>", upload.receipt, name="receipt-page"),
]
