"""Accept uploads without a web server, as the upload endpoint does; reads `path TAB player` lines.

python -m bench.spooling < list      (run by bench.corpus with a site's environment)
"""

from __future__ import annotations

import os
import sys
import uuid
from pathlib import Path


def main() -> int:
    """Accept every upload; stop with a message at the first that is refused."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    import django

    django.setup()
    from django.conf import settings

    from core.problems import Problem
    from ingest import wake
    from ingest.intake import accept

    # No wake-ups: the measurement starts later.
    wake.wake = lambda locale: None
    Path(settings.FILE_UPLOAD_TEMP_DIR).mkdir(parents=True, exist_ok=True)
    for line in sys.stdin:
        path, player = line.rstrip("\n").split("\t")
        sender = f"player:{uuid.uuid5(uuid.NAMESPACE_OID, player)}"
        body = iter([Path(path).read_bytes()])
        try:
            accept.accept(body, "", sender, Path(path).name, check_locale=lambda locale: None, dry_run=False)
        except Problem as problem:
            print(f"{path} was refused: {problem.detail}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
