"""Files of the private cluster, and its command."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

from deploy.steps import postgres
from deploy.steps.folders import CHECKOUT, SiteFolders


def test_there_is_a_database_for_the_portal_and_one_for_each_locale():
    assert postgres.database_names(["enUS", "deDE"]) == ["mobmap_portal", "mobmap_enus", "mobmap_dede"]


@pytest.mark.parametrize(
    ("size_bytes", "name"), [(postgres.LEAST_RAM_DISK, postgres.TABLESPACE), (postgres.LEAST_RAM_DISK - 1, "")]
)
def test_a_small_ram_disk_is_not_used(tmp_path, monkeypatch, size_bytes, name):
    monkeypatch.setattr(postgres.shutil, "disk_usage", lambda path: SimpleNamespace(total=size_bytes))
    assert postgres.ram_tablespace(SiteFolders(tmp_path, os.geteuid())) == name


def test_a_machine_without_ram_disk_has_no_tablespace(tmp_path, monkeypatch):
    monkeypatch.setattr(postgres, "RAM_DISK", tmp_path / "missing")
    assert postgres.ram_tablespace(SiteFolders(tmp_path, os.geteuid())) == ""


def test_every_start_goes_through_the_guard(tmp_path):
    folders = SiteFolders(tmp_path, os.geteuid())
    program, user, data = postgres.command(folders)
    assert (program, user, data) == (CHECKOUT / "deploy" / "postgres-guard", folders.database_user, folders.cluster)


def test_without_a_cluster_there_is_nothing_to_stop(tmp_path):
    folders = SiteFolders(tmp_path, 65534)
    postgres.end_orphan(folders)
    assert list(tmp_path.iterdir()) == []
