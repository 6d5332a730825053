"""URLs for the operators of the site."""

from django.contrib import admin
from django.urls import path

from portal.operations import health, metrics, queues, status

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path("api/v1/status", status.status, name="status"),
    path("admin/queues/", admin.site.admin_view(queues.page), name="queues"),
    path("admin/queues/figures.json", admin.site.admin_view(queues.figures), name="queues-figures"),
    path("admin/queues/<slug:locale>/", admin.site.admin_view(queues.control), name="queues-control"),
]
