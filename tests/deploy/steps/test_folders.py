"""Where a site's folders are, and to which user they belong."""

from __future__ import annotations

import os
import stat

import pytest

from deploy.steps import folders as site_folders
from deploy.steps.folders import CHECKOUT, SiteFolders
from deploy.steps.progress import Failure

LONGEST_SOCKET = 107


def test_the_default_is_var_in_the_checkout():
    assert site_folders.from_environment({}).var == CHECKOUT / "var"


def test_another_folder_can_be_named(tmp_path):
    assert site_folders.from_environment({"MOBMAP_VAR": str(tmp_path)}).var == tmp_path


def test_the_tests_have_a_folder_and_a_key_of_their_own():
    site, tests = site_folders.from_environment({}), site_folders.from_environment({}, "test")
    assert tests.var == site.var / "test"
    assert tests.key != site.key


def test_the_cluster_of_root_is_where_its_user_can_reach_it(tmp_path):
    folders = SiteFolders(tmp_path, 0)
    assert folders.cluster == site_folders.ROOTS_STATE / folders.key / "postgres"
    assert folders.database_user == "postgres"


def test_the_cluster_of_an_ordinary_user_is_in_var(tmp_path):
    assert SiteFolders(tmp_path, 65534).cluster == tmp_path / "postgres"


@pytest.mark.parametrize("depth", [1, 10, 30])
@pytest.mark.parametrize("user_id", [0, 65534])
def test_a_sockets_path_is_never_too_long(tmp_path, depth, user_id):
    folders = SiteFolders(tmp_path.joinpath(*["folder"] * depth), user_id)
    longest = folders.sockets / ".s.PGSQL.5432.lock"
    assert len(os.fsencode(longest)) <= LONGEST_SOCKET


def test_preparing_twice_keeps_the_token(tmp_path):
    folders = SiteFolders(tmp_path / "var", os.geteuid())
    assert site_folders.prepare(folders) == site_folders.prepare(folders)
    if folders.is_root:
        folders.runtime.rmdir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_folder_of_another_user_is_refused_with_their_name(tmp_path):
    var = tmp_path / "var"
    var.mkdir()
    os.chown(var, 65534, 65534)
    with pytest.raises(Failure, match=r"belongs to nobody, and you are root.*MOBMAP_VAR"):
        site_folders.prepare(SiteFolders(var, 0))


class TestTheStateOfADeletedCheckout:
    @pytest.fixture
    def folders(self, tmp_path, monkeypatch):
        monkeypatch.setattr(site_folders, "ROOTS_STATE", tmp_path / "state")
        folders = SiteFolders(tmp_path / "var", 0)
        folders.var.mkdir()
        return folders

    def test_is_recognized_by_its_token(self, folders):
        assert site_folders.claim_state(folders, "first")
        folders.cluster.mkdir()
        assert site_folders.claim_state(folders, "first")
        assert not site_folders.claim_state(folders, "second")

    def test_is_recognized_by_having_no_token(self, folders):
        folders.cluster.mkdir(parents=True)
        assert not site_folders.claim_state(folders, "first")

    def test_can_be_deleted_and_claimed_again(self, folders):
        site_folders.claim_state(folders, "first")
        folders.cluster.mkdir()
        site_folders.discard_state(folders)
        assert site_folders.claim_state(folders, "second")
        assert not folders.cluster.exists()
        assert (folders.var / "postgres").is_symlink()


def test_only_the_owner_can_read_secrets(tmp_path):
    path = tmp_path / "secret"
    path.write_text("old")
    path.chmod(0o644)
    site_folders.write_secret(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]
