"""The record of refused uploads, for the admins and for the limits of senders."""

from __future__ import annotations

from django.conf import settings
from django.utils import timezone

from core.problems import Problem
from portal.api import limits
from portal.models import Refusal


def record(problem: Problem, sender: str, file_name: str = "") -> None:
    """Record a refusal, unless the sender was asked to try again.

    The newest `MOBMAP_REFUSALS_KEPT` are kept, and those of the last hour, which count toward the limits of senders.
    """
    if problem.may_retry:
        return
    now = timezone.now()
    recorded = Refusal.objects.create(
        refused_at=now,
        sender=sender,
        file_name="".join(letter for letter in file_name if letter.isprintable())[:200],
        status_code=problem.status,
        code=problem.code,
        detail=problem.detail,
        errors=problem.errors or [],
    )
    Refusal.objects.filter(pk__lte=recorded.pk - settings.REFUSALS_KEPT, refused_at__lt=now - limits.WINDOW).delete()
