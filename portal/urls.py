"""All URLs of the site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("portal.operations.urls")),
    path("admin/", admin.site.urls),
    path("", include("portal.api.urls")),
    path("", include("portal.pages.urls")),
    path("", include("maps.urls")),
]
