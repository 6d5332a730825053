"""Addresses of the atlas: the read API and the pages."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("maps.api.urls")),
    path("", include("maps.pages.urls")),
]
