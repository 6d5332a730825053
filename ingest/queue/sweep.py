"""Find uploads and changes that nobody works on any more, and send wake-ups for them."""

from __future__ import annotations

import logging

from core import locales
from core.database import FAILURES
from ingest import lifecycle, wake
from ingest.queue import worker
from maps.publish.run import has_changes

logger = logging.getLogger(__name__)


def sweep() -> None:
    """Recover staged uploads (`worker.recover`), and send the wake-ups that were lost or never sent."""
    waiting = set(lifecycle.locales_with_work(locales.hosted()))
    for locale, alias in locales.aliases().items():
        try:
            if worker.recover(locale) or locale in waiting or has_changes(alias):
                wake.send_if_none_waits(locale)
        except FAILURES:
            # Each locale may have a server of its own: one that is unavailable must not hold up the others.
            logger.exception("The sweep of %s failed; the next one tries again.", locale)
