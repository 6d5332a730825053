"""Merge and publish one locale's uploads in this process under a profiler; print functions, calls and seconds.

python -m bench.profiling deDE → {"ingest.batch.columns.parse": [12, 3.41], …}
"""

from __future__ import annotations

import cProfile
import json
import os
import pstats
import sys
from pathlib import Path

from deploy.steps.folders import CHECKOUT

APPS = ("ingest", "maps")
#: Functions with a smaller share of the time are left out.
SMALLEST_SHARE = 0.01


def main(locale: str) -> int:
    """Process everything that is queued, then print."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    import django

    django.setup()
    from portal.celery import app

    # There are no other workers to send tasks to; the loops below run them.
    app.send_task = lambda *arguments, **options: None
    profiler = cProfile.Profile()
    profiler.enable()
    _process_all(locale)
    profiler.disable()
    print(json.dumps(_steps(profiler)))
    return 0


def _process_all(locale: str) -> None:
    from core import locales
    from ingest.models import Upload
    from ingest.queue import tasks
    from maps.publish.run import has_changes, publish

    alias = locales.alias(locale)
    waiting = Upload.objects.filter(locale=locale, status__in=["queued", "staged"])
    while waiting.exists():
        tasks.work.apply(args=[locale], throw=True)
    while has_changes(alias):
        publish(alias)


def _steps(profiler: cProfile.Profile) -> dict[str, tuple[int, float]]:
    """Return calls and seconds (with all they call) of the project's own functions."""
    found: dict[str, tuple[int, float]] = {}
    stats = pstats.Stats(profiler)
    for (file, _, function), (_, calls, _, seconds, _) in stats.stats.items():  # type: ignore[attr-defined]
        path = Path(file)
        if not path.is_relative_to(CHECKOUT) or path.relative_to(CHECKOUT).parts[0] not in APPS:
            continue
        if seconds < SMALLEST_SHARE * stats.total_tt or function.startswith("<"):  # type: ignore[attr-defined]
            continue
        name = ".".join((*path.relative_to(CHECKOUT).with_suffix("").parts, function))
        found[name] = (calls, seconds)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
