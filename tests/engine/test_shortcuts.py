"""Shortcuts that pay for many rows change nothing, be they taken for a few or never."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from antelog.engine.answers import derivations as candidates
from antelog.engine.facts.facts import history
from antelog.engine.log.changes import explaining, literals
from antelog.engine.values import values
from antelog.engine.values.values import decoding, text_order
from tests.engine.replay import run, runnable
from tests.few_literals import cases_of_few_literals
from tests.strategies import Case, cases
from tests.two_times import cases_with_two_times

ALWAYS = (
    (candidates, "_WORTH_COPYING", 0),
    (decoding, "_FEW", 0),
    (explaining, "_FEW", 0),
    (history, "_SMALL", 0),
    (literals, "_MANY", 1),
    (text_order, "_WORTH_SORTING", 0),
    (values, "_SOME", 0),
)
"""From when on each shortcut is taken, so that it always is, or the other way of two is."""


# That A forbids what the clock would have called for at 2 is not known yet at 0.
WAS_TO_COME = Case(
    "input A(x: text, time). input C(time). P(T+1) :- not A(_, T). P(T+1) :- C(T+1), A(X, T-1). query P(T).",
    (("A", ("a", 0), 0), ("A", ("a", 1), 1)),
    3,
)


@pytest.mark.slow
@example(WAS_TO_COME, set())
@given(
    cases(latest=9, most=30) | cases_with_two_times(latest=9, most=20) | cases_of_few_literals(),
    st.sets(st.integers(0, 30)),
)
def test_shortcuts_do_not_change_the_log(case: Case, cuts: set[int]) -> None:
    compiled = runnable(case.checked)
    assume(compiled is not None)
    assert compiled is not None
    log = run(case, compiled, range(case.until + 1))
    with pytest.MonkeyPatch.context() as patched:
        for module, name, value in ALWAYS:
            patched.setattr(module, name, value)
        assert run(case, compiled, range(case.until + 1)) == log
        assert run(case, compiled, sorted({cut for cut in cuts if cut < case.until} | {case.until})) == log
