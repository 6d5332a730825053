"""In how many processes ./deploy/test runs the tests, and what each of them has to itself."""

from __future__ import annotations

import os

import pytest
from django.conf import settings
from django.db import connections

from deploy.steps import environment, rabbitmq, testing
from deploy.steps.folders import CHECKOUT
from tests import conftest

#: Files stay whole and begin in the order of collection.
IN_ORDER = ["--dist", "loadfile", "--no-loadscope-reorder"]
PASSWORDS = dict.fromkeys(rabbitmq.PERMISSIONS, "secret")


@pytest.fixture
def cores(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 4)


@pytest.mark.parametrize("arguments", [[], ["tests/ingest", "-q"], ["-m", "not browser"], ["--color=yes"], ["-x"]])
def test_many_tests_run_in_several_processes(cores, arguments):
    assert testing.xdist_options(arguments) == ["-n", "3", *IN_ORDER]


@pytest.mark.parametrize(
    "arguments",
    [["tests/test_docs.py"], ["tests/maps/estimate/test_rates.py::test_x"], ["-k", "spawn"], ["-kspawn"], ["--lf"]],
)
def test_a_few_tests_run_in_one_process(cores, arguments):
    assert testing.xdist_options(arguments) == ["-n", "0", *IN_ORDER]


def test_one_core_runs_one_process(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert testing.xdist_options([])[:2] == ["-n", "0"]


@pytest.mark.parametrize("arguments", [["-p", "no:xdist"], ["-pno:xdist", "tests/maps"]])
def test_a_pytest_without_xdist_gets_no_option_of_it(cores, arguments):
    assert testing.xdist_options(arguments) == []


def test_the_broker_has_a_virtual_host_for_each_process():
    hosts = [environment.VHOST, *map(testing.vhost, range(testing.MOST_PROCESSES))]
    made = rabbitmq.definitions(PASSWORDS, hosts)
    assert [host["name"] for host in made["vhosts"]] == hosts
    for host in hosts:
        [allowed] = [one for one in made["permissions"] if (one["vhost"], one["user"]) == (host, "mobmap_ingest")]
        assert allowed == {"user": "mobmap_ingest", "vhost": host, **rabbitmq.PERMISSIONS["mobmap_ingest"]}


def test_every_file_that_begins_first_exists():
    assert [name for name in conftest.LONGEST if not (CHECKOUT / "tests" / name).is_file()] == []


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="these tests run in a single process")
def test_processes_share_neither_queues_nor_databases(django_db_setup):
    mine = os.environ["PYTEST_XDIST_WORKER"]
    assert settings.BROKER_URL.rpartition("/")[2] == testing.vhost(int(mine.removeprefix("gw")))
    assert os.environ["MOBMAP_BROKER_URL"] == settings.BROKER_URL
    for connection in connections.all():
        assert connection.settings_dict["NAME"].endswith(f"_{mine}")
