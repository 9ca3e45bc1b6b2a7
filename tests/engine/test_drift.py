"""The engine against the specification, on random programs and streams: answers, changes, what is ahead."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from random import Random
from typing import Any, TypeAlias

import pytest
from hypothesis import assume, event, example, given, note
from hypothesis import strategies as st

from antelog.engine.engine import Engine
from antelog.reference import Change, Evaluation, Outlook, Report, outlook, snapshots
from antelog.reference import changes as specified_changes
from antelog.reference.answers import Answer
from tests.engine.once_wrong import ANSWERS, ENDS
from tests.engine.replay import Compiled, changes, frames, reading, reports, run, runnable
from tests.few_literals import cases_of_few_literals
from tests.reference.helpers import evaluation_of
from tests.strategies import Case, cases
from tests.two_times import cases_with_two_times

ANY = cases() | cases_with_two_times() | cases_of_few_literals()

Test: TypeAlias = Callable[..., None]
Told: TypeAlias = dict[tuple[str, Answer], tuple[Report, Outlook | None]]


def with_examples(cases: Iterable[Case]) -> Callable[[Test], Test]:
    """Runs a test with these cases, too."""
    return lambda test: reduce(lambda so_far, case: example(case)(so_far), cases, test)


def _both(case: Case) -> tuple[Evaluation, Compiled]:
    """The specification's evaluation and the plan: what one refuses, the other refuses, too."""
    assume(case.checked.ok)
    evaluation = evaluation_of(case)
    compiled = runnable(case.checked)
    assert compiled is not None, "the specification does not refuse it"
    note(f"{case}\n{compiled.plan}")
    return evaluation, compiled


@pytest.mark.slow
@with_examples((*ANSWERS, *ENDS))
@given(ANY)
def test_answers_are_those_of_the_specification(case: Case) -> None:
    evaluation, compiled = _both(case)
    expected: dict[int, Told] = {tick: {} for tick in range(case.until + 1)}
    for report in snapshots(evaluation):
        ahead = None if report.confirmed else outlook(evaluation, report)
        expected[report.tick][report.query, report.answer] = report, ahead
    engine = Engine(compiled)
    for now, wanted in expected.items():
        engine.advance(now, frames(case.facts, compiled.plan, now - 1, now))
        assert reports(engine, compiled.plan) == wanted, f"tick {now}"
    event("with answers" if any(expected.values()) else "without answers")


@pytest.mark.slow
@given(ANY, st.randoms(use_true_random=False))
def test_changes_are_those_of_the_specification_however_ticks_are_cut(case: Case, random: Random) -> None:
    evaluation, compiled = _both(case)
    ends = sorted({case.until, *random.sample(range(case.until + 1), (case.until + 1) // 2)})
    found = changes(run(case, compiled, ends), compiled.plan)
    assert _comparable(found) == _comparable(specified_changes(evaluation))


def _comparable(log: Iterable[Change]) -> list[tuple[Any, ...]]:
    lines = [
        (c.tick, c.query, str(c.answer), c.kind, c.explanations, c.ahead, reading(c.because, c.answer))
        for c in log
    ]
    return sorted(lines, key=lambda line: line[:3])
