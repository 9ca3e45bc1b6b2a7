"""antelog/watch/child.py: what ends again and again is started more and more slowly."""

from __future__ import annotations

import pytest

from antelog.watch.child import LONGEST, Restarts


def test_each_start_is_due_after_twice_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("antelog.watch.child.time.monotonic", lambda: now)
    found, starts = Restarts(), []
    while now < 2_000:
        if found.due():
            starts.append(now)
        now += 1
    gaps = [after - before for before, after in zip([0.0, *starts], starts, strict=False)]
    assert gaps[:7] == [5, 10, 20, 40, 80, 160, LONGEST]
    assert set(gaps[6:]) == {LONGEST}
