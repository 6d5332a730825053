"""What deploy/postgres-guard removes before PostgreSQL starts, and what it keeps."""

from __future__ import annotations

import getpass
import os
import subprocess

import pytest

from deploy.steps.folders import CHECKOUT

GUARD = CHECKOUT / "deploy" / "postgres-guard"


@pytest.fixture
def data(tmp_path):
    """Make a data folder on which PostgreSQL ends at once: it holds no cluster."""
    folder = tmp_path / "postgres"
    folder.mkdir()
    return folder


#: The user that runs PostgreSQL: for root it is the package's user.
USER = "postgres" if os.geteuid() == 0 else getpass.getuser()


def _guard(data, *options):
    return subprocess.run([GUARD, USER, data, *options], capture_output=True, text=True, check=False, timeout=99).stderr


def _leave_lock(data, pid, sockets):
    sockets.mkdir()
    (data / "postmaster.pid").write_text(f"{pid}\n{data}\n1700000000\n5432\n{sockets}\n\n")
    (sockets / ".s.PGSQL.5432").touch()
    (sockets / ".s.PGSQL.5432.lock").write_text(f"{pid}\n")


def test_the_locks_of_a_crashed_server_are_removed(data, tmp_path):
    _leave_lock(data, 4_000_000, tmp_path / "sockets")
    _guard(data)
    assert not (data / "postmaster.pid").exists()
    assert list((tmp_path / "sockets").iterdir()) == []


def test_the_locks_are_removed_when_another_process_has_their_process_id(data, tmp_path):
    _leave_lock(data, os.getpid(), tmp_path / "sockets")
    _guard(data)
    assert not (data / "postmaster.pid").exists()


def test_the_lock_of_a_server_that_runs_is_kept(data, tmp_path):
    with subprocess.Popen(["/bin/sleep", "60"], cwd=data) as server:
        _leave_lock(data, server.pid, tmp_path / "sockets")
        _guard(data)
        server.kill()
    assert (data / "postmaster.pid").exists()
    assert len(list((tmp_path / "sockets").iterdir())) == 2


def test_postgresql_is_started_on_the_data(data):
    assert "postgres" in _guard(data)


@pytest.mark.parametrize("options", [(), ("--no-start",)])
def test_the_folder_of_a_tablespace_that_a_reboot_deleted_is_made_again(data, tmp_path, options):
    folder = tmp_path / "ram" / "mobmap"
    folder.parent.mkdir()
    (data / "pg_tblspc").mkdir()
    (data / "pg_tblspc" / "16400").symlink_to(folder)
    said = _guard(data, *options)
    assert folder.is_dir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert folder.owner() == USER
    assert f"{folder} is gone" in said


def test_without_a_start_it_only_removes_the_locks(data, tmp_path):
    _leave_lock(data, 4_000_000, tmp_path / "sockets")
    assert _guard(data, "--no-start") == ""
    assert not (data / "postmaster.pid").exists()


def test_a_tablespace_that_exists_is_kept(data, tmp_path):
    folder = tmp_path / "ram"
    (folder / "PG_15").mkdir(parents=True)
    (data / "pg_tblspc").mkdir()
    (data / "pg_tblspc" / "16400").symlink_to(folder)
    _guard(data)
    assert [path.name for path in folder.iterdir()] == ["PG_15"]
