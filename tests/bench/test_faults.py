"""The schedule of faults: a pure function of the seed."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from bench.faults import CLOCK_STEPS, FULL, KILLS, STEP, schedule

KINDS = [*KILLS, *FULL, STEP]


def test_the_same_seed_gives_the_same_faults_and_another_seed_others():
    assert schedule(50, 1, 10, KINDS) == schedule(50, 1, 10, KINDS) != schedule(50, 2, 10, KINDS)


@given(st.integers(1, 80), st.integers(), st.lists(st.sampled_from(KINDS), min_size=1, unique=True))
def test_every_gap_has_one_fault_and_all_kinds_are_equally_frequent(count, seed, kinds):
    faults = schedule(count, seed, 10.0, kinds)
    assert [int(fault.at_s // 10) for fault in faults] == list(range(count))
    often = Counter(fault.kind for fault in faults)
    assert set(often) <= set(kinds)
    assert max(often.values()) - min(often.get(kind, 0) for kind in kinds) <= 1


def test_only_full_disks_and_wrong_clocks_last_and_some_reach_into_the_next_gap():
    faults = schedule(200, 3, 10.0, KINDS)
    for fault in faults:
        assert (fault.lasts_s > 0) == (fault.kind in FULL or fault.kind == STEP)
        if fault.kind == STEP:
            assert fault.amount in CLOCK_STEPS
    assert any(fault.at_s % 10 + fault.lasts_s > 10 for fault in faults)
