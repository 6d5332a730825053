"""Static files as they are served: under hashed names, which the scripts' imports must follow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command

from portal.staticfiles import imported
from portal.templatetags.scripts import module

IMPORT = re.compile(r"""\b(?:import|from)\s*["'](\.[^"']+)["']""")


@pytest.fixture
def collected(settings, tmp_path: Path) -> Path:
    """A folder with everything collected, hashed by the storage of the settings."""
    settings.STATIC_ROOT = str(tmp_path / "static")
    call_command("collectstatic", interactive=False, verbosity=0)
    return tmp_path / "static"


def test_every_import_of_a_script_leads_to_a_hashed_file(collected):
    scripts = [path for path in (collected / "js").rglob("*.js") if re.search(r"\.[0-9a-f]{12}\.js$", path.name)]
    imports = [(script, target) for script in scripts for target in IMPORT.findall(script.read_text(encoding="utf-8"))]
    assert len(imports) > 30
    # Django finds statements by their words alone: a name such as LooksLikeExport in an import hashes it twice.
    for script, target in imports:
        assert re.search(r"\.[0-9a-f]{12}\.js$", target), f"{script.name} imports {target} without its hash"
        assert (script.parent / target).is_file(), f"{script.name} imports {target}, which is not there"


def test_a_page_names_all_that_its_script_imports(collected):
    """Every file that the script leads to, as it is served, has its link, and nothing else has."""
    tags = module("js/map/zone_main.js")
    scripts = re.findall(r'<script type="module" src="/static/([^"]+)">', tags)
    linked = re.findall(r'<link rel="modulepreload" href="/static/([^"]+)">', tags)
    assert len(scripts) == 1
    reached = [collected / scripts[0]]
    for script in reached:
        targets = [(script.parent / target).resolve() for target in IMPORT.findall(script.read_text(encoding="utf-8"))]
        reached += [target for target in dict.fromkeys(targets) if target not in reached]
    assert len(reached) > 20
    assert sorted(linked) == sorted(str(script.relative_to(collected)) for script in reached[1:])


def test_a_script_without_imports_needs_no_links(collected):
    tag = module("js/admin-queues.js")
    assert re.fullmatch(r'<script type="module" src="/static/js/admin-queues\.[0-9a-f]{12}\.js"></script>', tag)


def test_a_script_that_is_not_there_is_told_by_name():
    with pytest.raises(ImproperlyConfigured, match=re.escape("js/missing.js")):
        imported("js/missing.js")
