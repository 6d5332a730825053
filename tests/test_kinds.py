"""Each kind of loot is known to queries, contract, pages, map and catalogue; script and server agree."""

from __future__ import annotations

import re

import pytest
import yaml
from django.utils import translation

from ingest.formats.mobmapdata import grammar
from maps.estimate import spawns
from maps.queries import gathering
from maps.templatetags.formatting import kind_name
from portal.settings import BASE_DIR


def test_pages_and_api_list_every_kind_of_the_grammar() -> None:
    assert sorted(gathering.KINDS) == sorted(set(grammar.KINDS.values()) - {"unknown"})
    assert len(grammar.KINDS) == len(set(grammar.KINDS.values()))


def test_the_contract_lists_every_kind() -> None:
    contract = yaml.safe_load((BASE_DIR / "maps/api/openapi.yaml").read_text())
    assert contract["components"]["schemas"]["Kind"]["enum"] == gathering.KINDS


@pytest.mark.parametrize("kind", [*gathering.KINDS, "kill"])
def test_every_kind_has_a_name_in_both_languages(kind: str) -> None:
    with translation.override("en"):
        english = str(kind_name(kind))
    with translation.override("de"):
        german = str(kind_name(kind))
    assert english != kind
    assert german not in {kind, english}


def test_script_and_estimate_agree_on_what_is_confirmed() -> None:
    script = (BASE_DIR / "static/js/map/published.js").read_text()
    assert f"const CONFIRMED_UPLOADERS = {spawns.CONFIRMED_UPLOADERS};" in script


def test_every_gathering_source_has_a_shape_and_a_color() -> None:
    script = (BASE_DIR / "static/js/map/kinds.js").read_text()
    shapes = re.findall(r"^  (\w+): \[$", script, re.MULTILINE)
    assert set(shapes) == set(gathering.GATHERED) <= set(gathering.KINDS)
    style = (BASE_DIR / "static/css/map.css").read_text()
    for kind in gathering.GATHERED:
        assert f"  --{kind}: light-dark(" in style
        assert f".shape.{kind} {{ background: var(--{kind}); }}" in style
