"""Addresses of the door: uploading, receipts, status, operating."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
