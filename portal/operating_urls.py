"""Addresses for those who run the site."""

from django.urls import path

from portal import health, metrics, status

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path("api/v1/status", status.status, name="status"),
]
