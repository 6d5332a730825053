"""The files that give each process its settings."""

from __future__ import annotations

import os
import stat

import dj_database_url
import pytest

from deploy.steps import environment
from deploy.steps.folders import SiteFolders
from portal import env


@pytest.fixture
def folders(tmp_path):
    return SiteFolders(tmp_path, os.geteuid())


def test_each_process_gets_its_own_role_and_no_other_password(folders):
    environment.write_files(folders, ["enUS"], 5672, "mobmap_hot")
    secret = environment.passwords(folders)
    for name, (role, _) in environment.ROLES.items():
        text = (folders.var / name).read_text()
        assert secret[role] in text
        others = {secret[other] for other in ("mobmap_owner", "mobmap_web") if other != role}
        assert not any(other in text for other in others)


def test_only_the_owner_can_read_the_files(folders):
    environment.write_files(folders, ["enUS"], 5672, "mobmap_hot")
    modes = {name: stat.S_IMODE((folders.var / name).stat().st_mode) for name in [*environment.ROLES, "passwords.json"]}
    assert set(modes.values()) == {0o600}


def test_the_settings_read_what_was_written(folders):
    environment.write_files(folders, ["enUS", "deDE"], 40123, "")
    values = env.read_file(folders.var / "env.web")
    assert values["MOBMAP_LOCALES"] == "enUS,deDE"
    assert values["MOBMAP_BROKER_URL"].endswith("@127.0.0.1:40123/mobmap")
    database = dj_database_url.parse(values["MOBMAP_DATABASE_URL"])
    assert (database["HOST"], database["NAME"]) == (str(folders.sockets), "mobmap_portal")


def test_passwords_stay_the_same(folders):
    assert environment.passwords(folders) == environment.passwords(folders)


def test_settings_of_env_local_are_added_and_take_precedence(folders):
    (folders.var / "env.local").write_text("# mine\nMOBMAP_LOCALES = deDE\nMOBMAP_HTTPS=1\n")
    hosted = environment.locales(folders, {})
    environment.write_files(folders, hosted, 5672, "mobmap_hot")
    values = env.read_file(folders.var / "env")
    assert hosted == ["deDE"]
    assert values["MOBMAP_HTTPS"] == "1"


def test_the_environment_takes_precedence_over_the_file_for_locales(folders):
    (folders.var / "env.local").write_text("MOBMAP_LOCALES=deDE\n")
    assert environment.locales(folders, {"MOBMAP_LOCALES": "enUS, frFR"}) == ["enUS", "frFR"]
