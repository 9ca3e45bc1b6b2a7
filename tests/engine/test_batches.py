"""antelog/engine/kernel.py: large batches are cut, and nobody can tell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from antelog.engine import kernel
from antelog.engine.facts.history import Facts, Stream, added
from antelog.engine.kernel import batches as cut
from tests.engine.replay import run
from tests.engine.test_properties import compiled_of
from tests.random_mixtures import mixtures
from tests.strategies import Case, cases


def facts(*arrivals: int) -> Facts:
    arrival = np.array(arrivals, np.int64)
    return Facts((np.arange(len(arrival)),), arrival, arrival)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two facts make a batch."""
    monkeypatch.setattr(kernel, "_ENOUGH", 2)


@pytest.mark.usefixtures("tiny")
def test_batches_follow_each_other_in_time() -> None:
    given = {"A": facts(5, 1, 3, 3), "B": facts(2, 7, 7)}
    found = list(cut(given, {}, 9, 1))
    ends = [end for end, _ in found]
    assert len(found) > 1
    assert ends == sorted(set(ends))
    assert ends[-1] == 9
    for name, whole in given.items():
        parts = [part[name].arrival.tolist() for _, part in found]
        assert sorted(arrival for part in parts for arrival in part) == sorted(whole.arrival.tolist())
        for (before, now), part in zip(zip([-1, *ends], ends, strict=False), parts, strict=True):
            assert all(before < arrival <= now for arrival in part)


@pytest.mark.usefixtures("tiny")
def test_facts_of_one_tick_stay_together_and_without_facts_there_is_one_batch() -> None:
    assert [end for end, _ in cut({"A": facts(4, 4, 4, 4)}, {}, 4, 1)] == [4]
    assert [end for end, _ in cut({}, {}, 3, 0)] == [3]


@pytest.mark.usefixtures("tiny")
def test_a_batch_is_as_long_as_facts_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"A": facts(*range(100))}
    assert [len(list(cut(given, {}, 99, 1, reach))) for reach in (0, 10, 49, 1_000)] == [50, 9, 2, 1]
    monkeypatch.setattr(kernel, "_MOST_FACTS", 25)
    assert len(list(cut(given, {}, 99, 1, 1_000))) == 4


@pytest.mark.usefixtures("tiny")
def test_a_batch_is_not_cut_for_a_large_state() -> None:
    kept = added({"A": Stream(1, {})}, {"A": facts(*range(10))})
    assert len(list(cut({"A": facts(*range(10, 20))}, kept, 19, 1))) == 1


def test_the_more_is_reported_of_facts_the_smaller_are_their_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "_LINES", 4)
    given = {"A": facts(*range(12))}
    few, many = (list(cut(given, {}, 11, lines)) for lines in (1, 2))
    assert 1 < len(few) < len(many)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(cases() | mixtures())
def test_batches_do_not_change_the_log(case: Case) -> None:
    compiled = compiled_of(case)
    whole = run(case, compiled, [case.until])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(kernel, "_ENOUGH", 1)
        patched.setattr(kernel, "_OUTWEIGHS", 0)
        assert run(case, compiled, [case.until]) == whole
