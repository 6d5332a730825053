"""Users of the RabbitMQ node, and what they may do."""

from __future__ import annotations

import re

import pytest

from deploy.steps import rabbitmq


class TestPermissionsOfTheWebServer:
    allowed = rabbitmq.PERMISSIONS["mobmap_web"]

    @pytest.mark.parametrize(
        "name", ["ingest", "ingest.deDE", "ingest.dead", "celery.pidbox", "a1.reply.celery.pidbox"]
    )
    def test_allow_wake_ups_and_pings_of_workers(self, name):
        assert re.search(self.allowed["configure"], name)
        assert re.search(self.allowed["write"], name)

    @pytest.mark.parametrize("name", ["other", "ingestion", "amq.topic", ""])
    def test_allow_nothing_else(self, name):
        assert not re.search(self.allowed["configure"], name)
        assert not re.search(self.allowed["write"], name)
        assert not re.search(self.allowed["read"], name)


def test_the_node_has_no_user_guest():
    names = dict.fromkeys(["mobmap_web", "mobmap_ingest"], "x")
    assert [user["name"] for user in rabbitmq.definitions(names)["users"]] == ["mobmap_web", "mobmap_ingest"]
