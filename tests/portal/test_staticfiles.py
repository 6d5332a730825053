"""Static files as they are served: under hashed names, which the scripts' imports must follow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import call_command

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
