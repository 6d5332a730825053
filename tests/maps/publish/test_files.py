"""Published files on disk: paths, permissions, versions."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from maps.models import CreatureName, Habitat
from maps.publish import files, invalidation, serve
from maps.publish.kinds import MOB, ZONE_MAP
from maps.publish.run import publish
from tests.maps.factories import DE
from tests.maps.publish.published import change, file

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)


def test_all_users_may_read_the_files_whatever_the_umask(marsh):
    before = os.umask(0o077)
    try:
        publish(DE)
    finally:
        os.umask(before)
    assert file(marsh).stat().st_mode & 0o777 == 0o644
    assert [Path(each).stat().st_mode & 0o777 for each in list(file(marsh).parents)[:3]] == [0o755] * 3


def test_the_current_and_the_previous_version_are_kept(marsh):
    names = []
    for number in range(4):
        CreatureName.objects.using(DE).update(name=f"Wolf {number}")
        change(7, marsh)
        publish(DE)
        names.append(f"{marsh}.{serve.version(DE, ZONE_MAP, marsh)}.json.gz")
        kept = {each.name for each in files.folder("deDE", ZONE_MAP).iterdir()}
        assert kept == {f"{marsh}.json.gz", *names[-2:]}
    invalidation.invalidate_all(DE)
    assert {each.name for each in files.folder("deDE", ZONE_MAP).iterdir()} == kept
    Habitat.objects.using(DE).all().delete()
    publish(DE)
    assert list(files.folder("deDE", ZONE_MAP).iterdir()) == []


def test_each_thousand_after_the_first_has_a_folder():
    assert file(999, MOB).relative_to(files.folder("deDE", MOB)) == Path("999.json.gz")
    assert file(10636, MOB).relative_to(files.folder("deDE", MOB)) == Path("10/10636.json.gz")
