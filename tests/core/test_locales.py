"""The hosted locales and their database aliases."""

from __future__ import annotations

import pytest

from core import locales


def test_british_clients_share_the_american_map():
    assert locales.canonical("enGB") == "enUS"
    assert locales.canonical("deDE") == "deDE"


def test_each_hosted_locale_has_an_alias_and_back(settings):
    settings.MOBMAP_LOCALES = ["enUS", "deDE"]
    assert locales.aliases() == {"enUS": "map_enUS", "deDE": "map_deDE"}
    assert locales.of_alias("map_deDE") == "deDE"


def test_an_unchecked_text_never_becomes_an_alias(settings):
    settings.MOBMAP_LOCALES = ["enUS"]
    with pytest.raises(locales.UnknownLocale):
        locales.alias("deDE")
