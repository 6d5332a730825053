"""Addresses of the door's pages."""

from django.urls import path

from portal import pages

urlpatterns = [
    path("upload", pages.upload, name="upload-page"),
    path("uploads/<uuid:id>", pages.receipt, name="receipt-page"),
]
