"""Where a site's folders lie, and whose they are."""

from __future__ import annotations

import os
import stat

import pytest

from deploy.steps import place as places
from deploy.steps.place import CHECKOUT, Place
from deploy.steps.progress import Failure

LONGEST_SOCKET = 107


def test_the_default_is_var_in_the_checkout():
    assert places.from_environment({}).var == CHECKOUT / "var"


def test_another_folder_can_be_named(tmp_path):
    assert places.from_environment({"MOBMAP_VAR": str(tmp_path)}).var == tmp_path


def test_the_tests_have_a_folder_and_a_key_of_their_own():
    site, tests = places.from_environment({}), places.from_environment({}, "test")
    assert tests.var == site.var / "test"
    assert tests.key != site.key


def test_roots_cluster_lies_where_its_user_can_reach_it(tmp_path):
    place = Place(tmp_path, 0)
    assert place.cluster == places.ROOTS_STATE / place.key / "postgres"
    assert place.database_user == "postgres"


def test_an_ordinary_users_cluster_lies_in_var(tmp_path):
    assert Place(tmp_path, 65534).cluster == tmp_path / "postgres"


@pytest.mark.parametrize("depth", [1, 10, 30])
@pytest.mark.parametrize("user_id", [0, 65534])
def test_a_sockets_path_is_never_too_long(tmp_path, depth, user_id):
    place = Place(tmp_path.joinpath(*["folder"] * depth), user_id)
    longest = place.sockets / ".s.PGSQL.5432.lock"
    assert len(os.fsencode(longest)) <= LONGEST_SOCKET


def test_preparing_twice_keeps_the_token(tmp_path):
    place = Place(tmp_path / "var", os.geteuid())
    assert places.prepare(place) == places.prepare(place)
    if place.is_root:
        place.runtime.rmdir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of somebody else's")
def test_a_folder_of_somebody_else_is_refused_with_his_name(tmp_path):
    var = tmp_path / "var"
    var.mkdir()
    os.chown(var, 65534, 65534)
    with pytest.raises(Failure, match=r"belongs to nobody, and you are root.*MOBMAP_VAR"):
        places.prepare(Place(var, 0))


class TestTheStateOfADeletedCheckout:
    @pytest.fixture
    def place(self, tmp_path, monkeypatch):
        monkeypatch.setattr(places, "ROOTS_STATE", tmp_path / "state")
        place = Place(tmp_path / "var", 0)
        place.var.mkdir()
        return place

    def test_is_told_by_its_token(self, place):
        assert places.claim_state(place, "first")
        place.cluster.mkdir()
        assert places.claim_state(place, "first")
        assert not places.claim_state(place, "second")

    def test_is_told_by_having_no_token(self, place):
        place.cluster.mkdir(parents=True)
        assert not places.claim_state(place, "first")

    def test_can_be_discarded_and_claimed_anew(self, place):
        places.claim_state(place, "first")
        place.cluster.mkdir()
        places.discard_state(place)
        assert places.claim_state(place, "second")
        assert not place.cluster.exists()
        assert (place.var / "postgres").is_symlink()


def test_secrets_are_for_their_owner_alone(tmp_path):
    path = tmp_path / "secret"
    path.write_text("old")
    path.chmod(0o644)
    places.write_secret(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]
