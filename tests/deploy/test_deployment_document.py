"""What docs/deployment.md tells an administrator to type fits the units, the roles and the settings."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import psycopg
import pytest

from deploy.steps import postgres, rabbitmq
from deploy.steps.folders import CHECKOUT, SiteFolders
from deploy.steps.progress import wait_until
from portal import env
from tests.deploy import private_cluster

TEXT = (CHECKOUT / "docs" / "deployment.md").read_text(encoding="utf-8")
OWN_SERVERS = TEXT.partition("## Servers of your own")[2].partition("### Hot tables in RAM")[0]
#: The indented lines, without indentation.
COMMANDS = re.findall(r"^ {4}(\S.*)$", OWN_SERVERS, flags=re.MULTILINE)
PG_HBA = "".join(f"{line}\n" for line in COMMANDS if re.match(r"(# TYPE|local|hostssl) ", line))
#: Debian's own line for everybody, which the document's lines precede.
DEBIANS = "local all all peer\n"


def position(start: str) -> int:
    """Return the number of the first command that starts like this."""
    return next(number for number, command in enumerate(COMMANDS) if command.startswith(start))


def units() -> dict[str, dict[str, str]]:
    """Return the settings of each unit: `{"mobmap-web": {"User": "mobmap-web", …}}`."""
    return {
        path.stem: dict(re.findall(r"^(\w+)=(.*)$", path.read_text(), flags=re.MULTILINE))
        for path in (CHECKOUT / "deploy" / "systemd").glob("*.service")
    }


def test_settings_are_written_before_the_first_command_that_reads_them():
    assert position("install -m 0400 deploy/env.example") < position("export MOBMAP_ENV_FILE")
    assert position("export MOBMAP_ENV_FILE") < position("./manage.py")
    assert position("./manage.py migrate") < position("systemctl enable")


@pytest.mark.parametrize("unit", sorted(units()))
def test_each_units_user_owns_its_settings_file_and_no_group_is_needed_to_read_it(unit):
    user = units()[unit]["User"]
    [file] = re.findall(r"MOBMAP_ENV_FILE=(\S+)", units()[unit]["Environment"])
    assert f"install -m 0400 -o {user} deploy/env.example {file}" in COMMANDS
    assert f"useradd --system --gid {units()[unit]['Group']} --no-create-home {user}" in COMMANDS


@pytest.mark.parametrize("unit", sorted(units()))
def test_each_folder_that_a_unit_writes_to_is_made_for_its_user_or_its_group(unit):
    written = units()[unit].get("ReadWritePaths", "").split()
    for path in written:
        folder = path.removeprefix("/srv/mobmap/")
        [command] = [shlex.split(line) for line in COMMANDS if line.startswith("install -d -m 2") and folder in line]
        by_group = command[command.index("-m") + 1] == "2770" and command[command.index("-g") + 1] == "mobmap"
        assert by_group or command[command.index("-o") + 1] == units()[unit]["User"]


def test_it_grants_in_rabbitmq_what_the_site_itself_grants():
    granted = {}
    for command in COMMANDS:
        if command.startswith("rabbitmqctl set_permissions"):
            *_, user, configure, write, read = shlex.split(command)
            granted[user] = {"configure": configure, "write": write, "read": read}
    assert granted == rabbitmq.PERMISSIONS


def test_the_example_of_a_settings_file_can_be_read(tmp_path: Path):
    example = "".join(f"{line}\n" for line in COMMANDS if line.startswith("MOBMAP_"))
    (tmp_path / "env").write_text(example)
    values = env.read_file(tmp_path / "env")
    required = set(re.findall(r"^(MOBMAP_\w+)=", (CHECKOUT / "deploy" / "env.example").read_text(), flags=re.MULTILINE))
    assert required < values.keys()


def test_its_packages_are_among_those_that_a_site_needs():
    script = (CHECKOUT / "deploy" / "packages").read_text()
    [needed] = re.findall(r"^server=\(([^)]*)\)", script, flags=re.MULTILINE)
    named = {name for line in COMMANDS if line.startswith("apt-get install") for name in line.split()[2:]}
    assert named - {"git"} == {name for name in needed.split() if not name.startswith(("postgresql", "rabbitmq"))}


def login(folders: SiteFolders, role: str) -> str:
    """Log in by the socket as a role does, and return who PostgreSQL says it is."""
    server = {"host": str(folders.sockets), "dbname": "postgres"}
    with psycopg.connect(**server, user=role, password=private_cluster.password(role)) as connection:
        [name] = connection.execute("SELECT current_user").fetchone() or ("nobody",)
    return str(name)


def test_its_lines_of_pg_hba_conf_let_every_role_log_in_and_debians_alone_let_none(tmp_path: Path):
    with private_cluster.running(tmp_path, DEBIANS) as folders:
        for role in private_cluster.ROLES:
            with pytest.raises(psycopg.OperationalError, match="Peer authentication failed"):
                login(folders, role)
        access = folders.cluster / "pg_hba.conf"
        access.write_text(access.read_text().replace(DEBIANS, PG_HBA + DEBIANS))
        assert postgres.psql(folders, "postgres", sql="SELECT pg_reload_conf()") == "t"
        wait_until(lambda: may_log_in(folders), seconds=120, doing="Reloading pg_hba.conf", advice="")
        assert [login(folders, role) for role in private_cluster.ROLES] == list(private_cluster.ROLES)


def may_log_in(folders: SiteFolders) -> bool:
    try:
        return bool(login(folders, private_cluster.ROLES[0]))
    except psycopg.OperationalError:
        return False  # the server has not reloaded the file yet
