"""The uploads of a patch day, and the share of the work of each locale."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.corpus import Corpus, Entry
from bench.surge import FIRST, SECOND, second_locale_share, uneven


def test_most_uploads_are_the_first_locales():
    entries = [Entry(Path(f"{locale}-{no}.xml"), "", 1, 1) for no in range(6) for locale in (FIRST, SECOND)]
    found = [entry.path.name for entry in uneven(Corpus(Path(), entries), 8).entries]
    assert found == [*(f"{FIRST}-{no}.xml" for no in range(6)), *(f"{SECOND}-{no}.xml" for no in range(2))]


@pytest.mark.parametrize(
    ("waiting", "share"),
    [
        ([(90, 30), (60, 20), (30, 10), (10, 0), (0, 0)], 0.25),
        ([(90, 30), (80, 30), (60, 30), (0, 10)], 0.0),
        ([(90, 30), (60, 0), (0, 0)], 0.0),
    ],
)
def test_the_share_counts_the_work_while_both_waited(waiting, share):
    seen = [(float(at), {FIRST: first, SECOND: second}) for at, (first, second) in enumerate(waiting)]
    assert second_locale_share(seen) == share
