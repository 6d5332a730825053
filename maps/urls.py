"""URLs of the read API and the map pages."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("maps.api.urls")),
    path("", include("maps.pages.urls")),
]
