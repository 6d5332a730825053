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
def collected(settings, static_as_served: Path) -> Path:
    """A folder with everything collected, hashed by the storage of the settings."""
    settings.STATIC_ROOT = str(static_as_served)
    return static_as_served


def test_every_import_of_a_script_leads_to_a_hashed_file(collected):
    scripts = [path for path in (collected / "js").rglob("*.js") if re.search(r"\.[0-9a-f]{12}\.js$", path.name)]
    imports = [(script, target) for script in scripts for target in IMPORT.findall(script.read_text(encoding="utf-8"))]
    assert len(imports) > 8
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
    assert 1 < len(reached) < 6, "a page waits for each of them"
    assert sorted(linked) == sorted(str(script.relative_to(collected)) for script in reached[1:])


def test_modules_are_joined(collected):
    """What others import stands in what imports it, not beside it; what pages name is there."""
    plain = {str(path.relative_to(collected)) for path in (collected / "js").rglob("*.js") if path.suffixes == [".js"]}
    assert {"js/site.js", "js/theme.js", "js/map/zone_main.js"} <= plain
    assert not {"js/words.js", "js/map/list.js"} & plain


def test_modules_are_joined_again_the_same_way(collected):
    def served() -> set[str]:
        return {str(path.relative_to(collected)) for path in collected.rglob("*") if path.is_file()}

    before = served()
    call_command("collectstatic", interactive=False, verbosity=0)
    assert served() == before


def test_while_debugging_modules_are_named_as_they_are_found(settings, collected):
    settings.DEBUG = True
    assert {"js/words.js", "js/map/list.js"} <= set(imported("js/map/zone_main.js"))


def test_without_esbuild_collecting_says_what_to_install(settings, tmp_path, monkeypatch):
    settings.STATIC_ROOT = str(tmp_path / "static")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ImproperlyConfigured, match="apt-get install esbuild"):
        call_command("collectstatic", interactive=False, verbosity=0)


def test_a_script_without_imports_needs_no_links(collected):
    tag = module("js/admin-queues.js")
    assert re.fullmatch(r'<script type="module" src="/static/js/admin-queues\.[0-9a-f]{12}\.js"></script>', tag)


def test_a_script_that_is_not_there_is_told_by_name():
    with pytest.raises(ImproperlyConfigured, match=re.escape("js/missing.js")):
        imported("js/missing.js")
