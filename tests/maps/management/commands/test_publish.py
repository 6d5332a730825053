"""`./manage.py publish`."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from maps.models import CreatureName, NamedCreature
from maps.publish import files
from maps.publish.kinds import ZONE_IMAGES, ZONE_MAP
from maps.publish.run import has_changes, publish
from tests.maps.api.contract import read
from tests.maps.factories import DE, creature, habitat
from tests.maps.publish.published import change, content, images, stale

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)


def test_all_builds_every_file_and_deletes_those_of_unknown_zones(marsh):
    publish(DE)
    NamedCreature.objects.using(DE).all().delete()
    CreatureName.objects.using(DE).update(name="Leitwolf")
    others = [files.folder("deDE", ZONE_MAP) / name for name in ("999999.json.gz", ".left.new")]
    for other in others:
        other.write_bytes(b"")
    said = StringIO()
    call_command("publish", "deDE", all=True, stdout=said)
    assert "5 files built" in said.getvalue()
    assert content(marsh)["mobs"][0]["name"] == "Leitwolf"
    kept = sorted(each.name for each in files.folder("deDE", ZONE_MAP).iterdir())
    assert [name.count(".") for name in kept] == [3, 3, 2] and kept[-1] == f"{marsh}.json.gz"


def test_what_changed_is_published(marsh):
    said = StringIO()
    call_command("publish", "deDE", stdout=said)
    assert "spawn points of 1 creatures" in said.getvalue() and "4 files built" in said.getvalue()
    assert not has_changes(DE)


def test_a_locale_that_is_not_hosted_is_refused_with_those_that_are():
    with pytest.raises(CommandError, match="enUS, deDE"):
        call_command("publish", "frFR")


def test_the_error_names_the_folder_that_could_not_be_written(marsh, settings, tmp_path):
    (tmp_path / "file").write_text("")
    settings.PUBLISHED_DIR = tmp_path / "file"
    with pytest.raises(CommandError, match="Could not write below"):
        call_command("publish", "deDE", stdout=StringIO())
    assert stale() == {marsh}


def test_a_site_can_run_without_published_files(marsh, settings):
    publish(DE)
    settings.PUBLISH_FILES = False
    CreatureName.objects.using(DE).update(name="Leitwolf")
    change(7, marsh)
    publish(DE)
    assert read(f"zones/{marsh}/map")["mobs"][0]["name"] == "Leitwolf"
    assert content(marsh)["mobs"][0]["name"] == "Wolf"
    assert stale() == set()
    with pytest.raises(CommandError, match="MOBMAP_PUBLISH_FILES"):
        call_command("publish", "deDE", all=True)


def test_delays_end(marsh):
    publish(DE)
    first = images(marsh)
    habitat(creature(8, "Bär"), marsh, {(90, 90): [1]})
    change(8, marsh)
    call_command("publish", "deDE", stdout=StringIO())
    assert images(marsh) != first and stale(ZONE_IMAGES) == set()
