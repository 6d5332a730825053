"""Refused uploads are recorded."""

from __future__ import annotations

import pytest
from django.utils import timezone

from portal.api import limits
from portal.models import Refusal
from tests.conftest import ALL_DATABASES
from tests.portal.api.sending import send

pytestmark = [ALL_DATABASES, pytest.mark.usefixtures("woken")]


def test_only_the_newest_refusals_are_kept_and_those_that_limits_count(client, settings):
    settings.REFUSALS_KEPT = 2
    for body in (b"1", b"2", b"3"):
        send(client, body)
    assert Refusal.objects.count() == 3
    Refusal.objects.update(refused_at=timezone.now() - limits.WINDOW)
    old = list(Refusal.objects.order_by("pk").values_list("pk", flat=True))
    send(client, b"4")
    assert set(Refusal.objects.values_list("pk", flat=True)) == {old[-1], old[-1] + 1}
