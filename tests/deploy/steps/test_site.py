"""How the site's processes are started, and that only one start is made at a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

import pytest

from deploy.steps import site
from deploy.steps.folders import CHECKOUT, SiteFolders
from deploy.steps.progress import Failure


@pytest.fixture
def folders(tmp_path):
    return SiteFolders(tmp_path, os.geteuid())


def test_each_process_gets_only_its_own_settings_file(folders):
    files = {program.name: program.environment["MOBMAP_ENV_FILE"] for program in site.application(folders, 8123)}
    assert files == {
        "worker": str(folders.var / "env.ingest"),
        "scheduler": str(folders.var / "env.ingest"),
        "web": str(folders.var / "env.web"),
    }


def test_servers_start_at_once_and_the_application_later(folders):
    ports = {"amqp": 1, "distribution": 2, "epmd": 3}
    assert [program.name for program in site.servers(folders, ports) if program.starts_at_once] == [
        "epmd",
        "postgres",
        "rabbitmq",
    ]
    assert not any(program.starts_at_once for program in site.application(folders, 8123))


def test_a_second_start_waits_for_the_first(folders, capsys):
    entered = threading.Event()

    def second() -> None:
        with site.lock(folders, "start"):
            entered.set()

    with site.lock(folders, "start"):
        thread = threading.Thread(target=second)
        thread.start()
        assert not entered.wait(0.2)
    thread.join(60)
    assert entered.is_set()
    assert f"Waiting for another start in {folders.var}" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "http", "80.5"])
def test_a_port_that_is_no_number_is_refused(text):
    with pytest.raises(Failure, match="is not a port"):
        site.port_from(text)


def test_the_steps_need_no_package_beyond_debians_python():
    program = f"""if True:
        import json, sys
        before = set(sys.modules)
        sys.path.insert(0, {str(CHECKOUT)!r})
        from deploy.steps import __main__
        print(json.dumps(sorted({{name.partition(".")[0] for name in set(sys.modules) - before}})))
    """
    done = subprocess.run(
        ["/usr/bin/python3", "-ISB", "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    loaded = {name for name in json.loads(done.stdout) if not name.startswith("_sysconfigdata")}
    assert loaded - sys.stdlib_module_names == {"deploy"}
