"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("portal.operating_urls")),
    path("admin/", admin.site.urls),
    path("", include("portal.api_urls")),
    path("", include("portal.page_urls")),
    path("", include("maps.urls")),
]
