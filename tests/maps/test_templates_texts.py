"""Every text that the site shows is in the catalogs, with a German translation."""

from __future__ import annotations

import ast
import re

import pytest

from portal.env import BASE_DIR


@pytest.mark.parametrize("catalog", ["django", "djangojs"])
def test_every_text_of_the_catalog_is_in_german(settings, catalog):
    path = settings.LOCALE_PATHS[0] / "de" / "LC_MESSAGES" / f"{catalog}.po"
    _header, *entries = path.read_text(encoding="utf-8").strip().split("\n\n")
    assert len(entries) > 20
    for entry in entries:
        assert "fuzzy" not in entry, entry
        assert not re.search(r'^msgstr(\[\d\])? ""$', entry, re.MULTILINE), entry


def test_every_text_of_the_templates_is_in_the_catalog(settings):
    known = (settings.LOCALE_PATHS[0] / "de" / "LC_MESSAGES" / "django.po").read_text(encoding="utf-8")
    for app in ("maps", "portal"):
        for template in (BASE_DIR / app / "templates").rglob("*.html"):
            for text in re.findall(r'{%\s*translate "([^"]+)"', template.read_text(encoding="utf-8")):
                msgid = text.replace("%", "%%")
                assert f'msgid "{msgid}"' in known, f"{template.name}: {text}; run makemessages and translate it"


def test_every_text_of_the_programs_is_in_the_catalog(settings):
    path = settings.LOCALE_PATHS[0] / "de" / "LC_MESSAGES" / "django.po"
    known = path.read_text(encoding="utf-8").replace('"\n"', "")
    for app in ("maps", "portal", "ingest"):
        for program in (BASE_DIR / app).rglob("*.py"):
            for call in ast.walk(ast.parse(program.read_text(encoding="utf-8"))):
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") in {
                    "_",
                    "gettext",
                    "gettext_lazy",
                    "gettext_noop",
                }:
                    text = ast.literal_eval(call.args[0]).replace('"', '\\"').replace("\n", "\\n")
                    assert f'msgid "{text}"' in known, f"{program.name}: {text}; run makemessages and translate it"


def test_every_text_of_the_scripts_is_in_the_catalog(settings):
    known = (settings.LOCALE_PATHS[0] / "de" / "LC_MESSAGES" / "djangojs.po").read_text(encoding="utf-8")
    for script in (BASE_DIR / "static" / "js").rglob("*.js"):
        for text in re.findall(r'gettext\(\s*"([^"]+)"', script.read_text(encoding="utf-8")):
            assert f'msgid "{text}"' in known, f"{script.name}: {text}; run makemessages -d djangojs and translate it"
