"""The files that give each process its settings."""

from __future__ import annotations

import os
import re
import stat

import dj_database_url
import pytest
from django.core.exceptions import ImproperlyConfigured

from deploy.steps import environment, rabbitmq
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


def test_the_files_are_for_their_owner_alone(folders):
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


def test_own_settings_are_added_and_win(folders):
    (folders.var / "env.local").write_text("# mine\nMOBMAP_LOCALES = deDE\nMOBMAP_HTTPS=1\n")
    hosted = environment.locales(folders, {})
    environment.write_files(folders, hosted, 5672, "mobmap_hot")
    values = env.read_file(folders.var / "env")
    assert hosted == ["deDE"]
    assert values["MOBMAP_HTTPS"] == "1"


def test_the_environment_chooses_locales_before_the_file(folders):
    (folders.var / "env.local").write_text("MOBMAP_LOCALES=deDE\n")
    assert environment.locales(folders, {"MOBMAP_LOCALES": "enUS, frFR"}) == ["enUS", "frFR"]


def test_a_number_out_of_its_range_is_refused_by_name(monkeypatch):
    monkeypatch.setitem(env._values, "NUMBER", "7")
    assert env.integer("NUMBER", 1, at_least=7, at_most=7) == 7
    for bounds, told in (({"at_least": 8}, "at least 8, found 7"), ({"at_most": 6}, "at most 6, found 7")):
        with pytest.raises(ImproperlyConfigured, match=f"NUMBER must be {told}"):
            env.integer("NUMBER", 1, **bounds)


class TestWhatTheWebServerMayDoInRabbitMQ:
    allowed = rabbitmq.PERMISSIONS["mobmap_web"]

    @pytest.mark.parametrize(
        "name", ["ingest", "ingest.deDE", "ingest.dead", "celery.pidbox", "a1.reply.celery.pidbox"]
    )
    def test_waking_and_asking_workers_is_allowed(self, name):
        assert re.search(self.allowed["configure"], name)
        assert re.search(self.allowed["write"], name)

    @pytest.mark.parametrize("name", ["other", "ingestion", "amq.topic", ""])
    def test_anything_else_is_not(self, name):
        assert not re.search(self.allowed["configure"], name)
        assert not re.search(self.allowed["write"], name)
        assert not re.search(self.allowed["read"], name)


def test_guest_is_no_user_of_the_node():
    names = dict.fromkeys(["mobmap_web", "mobmap_ingest"], "x")
    assert [user["name"] for user in rabbitmq.definitions(names)["users"]] == ["mobmap_web", "mobmap_ingest"]
