"""Static files as they are served: under hashed names, which the scripts' imports must follow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command

from portal.staticfiles import _collected_graph, _source_graphs, imported
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
    pages = [path for app in ("maps", "portal") for path in Path(settings.BASE_DIR, app, "templates").rglob("*.html")]
    named = {name for page in pages for name in re.findall(r"{% module '([^']+)'", page.read_text(encoding="utf-8"))}
    plain = {str(path.relative_to(collected)) for path in (collected / "js").rglob("*.js") if path.suffixes == [".js"]}
    assert {"js/site.js", "js/map/zone_main.js"} <= named <= plain
    assert not {"js/i18n.js", "js/map/creature_list.js"} & plain


def test_modules_are_joined_the_same_way_wherever_that_is(collected, tmp_path, monkeypatch):
    def served() -> set[str]:
        return {str(path.relative_to(collected)) for path in collected.rglob("*") if path.is_file()}

    before = served()
    elsewhere = tmp_path / "deeper" / "down"
    elsewhere.mkdir(parents=True)
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    call_command("collectstatic", interactive=False, verbosity=0)
    assert served() == before
    maps = "".join(path.read_text(encoding="utf-8") for path in collected.rglob("js/**/*.js.map"))
    assert '"../../in/js/map/creature_list.js"' in maps or '"../../../in/js/map/creature_list.js"' in maps
    assert str(tmp_path) not in maps and str(settings.BASE_DIR).strip("/") not in maps


def test_sources_that_are_linked_to_are_not_written_over(settings, tmp_path):
    settings.STATIC_ROOT = str(tmp_path / "linked")
    source = Path(settings.BASE_DIR, "static", "js", "site.js")
    before = source.read_bytes()
    call_command("collectstatic", "--link", interactive=False, verbosity=0)
    assert source.read_bytes() == before != Path(settings.STATIC_ROOT, "js", "site.js").read_bytes()


def test_a_dry_run_changes_nothing(collected):
    before = (collected / "staticfiles.json").read_bytes()
    call_command("collectstatic", "--dry-run", interactive=False, verbosity=0)
    assert (collected / "staticfiles.json").read_bytes() == before
    assert "js/map/zone_main.js" in before.decode()


def test_a_page_keeps_to_the_scripts_it_is_served_while_others_are_collected(collected, monkeypatch):
    """A web process goes on with the URLs of its manifest, whatever lies under the plain names by then."""
    before = module("js/site.js")
    assert "modulepreload" in before
    plain = collected / "js" / "imports.json"
    monkeypatch.setattr("portal.staticfiles._collected_graph", _collected_graph.__wrapped__)
    kept = plain.read_bytes()
    plain.write_text('{"js/site.js": ["js/shared/NEW.js"]}', encoding="utf-8")
    try:
        assert module("js/site.js") == before
    finally:
        plain.write_bytes(kept)


def test_while_debugging_modules_are_named_as_they_are_found(settings, collected):
    settings.DEBUG = True
    assert {"/static/js/i18n.js", "/static/js/map/creature_list.js"} <= set(imported("js/map/zone_main.js"))


def test_while_debugging_a_new_import_is_named_at_once(settings, tmp_path):
    settings.DEBUG = True
    settings.STATICFILES_DIRS = [tmp_path]
    scripts = tmp_path / "js"
    scripts.mkdir()
    (scripts / "one.js").write_text('import "./two.js";', encoding="utf-8")
    (scripts / "two.js").write_text("", encoding="utf-8")
    (scripts / "three.js").write_text("", encoding="utf-8")
    assert imported("js/one.js") == ("/static/js/two.js",)
    known = _source_graphs["js/one.js"]
    assert imported("js/one.js") == ("/static/js/two.js",)
    assert _source_graphs["js/one.js"] is known, "esbuild need not run for a page of unchanged scripts"
    (scripts / "two.js").write_text('export * from "./three.js";', encoding="utf-8")
    assert imported("js/one.js") == ("/static/js/two.js", "/static/js/three.js")


def test_without_esbuild_collecting_says_what_to_install(settings, tmp_path, monkeypatch):
    settings.STATIC_ROOT = str(tmp_path / "static")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ImproperlyConfigured, match="apt-get install esbuild"):
        call_command("collectstatic", interactive=False, verbosity=0)


def test_a_script_without_imports_needs_no_links(collected):
    tag = module("js/admin-queues.js")
    assert re.fullmatch(r'<script type="module" src="/static/js/admin-queues\.[0-9a-f]{12}\.js"></script>', tag)


def test_a_script_that_is_not_there_is_told_by_name(settings, collected):
    with pytest.raises(ValueError, match=re.escape("js/missing.js")):
        imported("js/missing.js")
    settings.DEBUG = True
    with pytest.raises(ImproperlyConfigured, match=re.escape("js/missing.js")):
        imported("js/missing.js")
