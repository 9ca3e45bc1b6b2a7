"""Programs that call functions: the engine against the specification, on random programs and streams."""

from __future__ import annotations

import pytest
from hypothesis import event, given, note

from antelog.compile.show.explain import plan_text
from tests.engine.replay import follow, runnable
from tests.engine.test_drift import evaluation_of
from tests.random_functions import cases_with_functions
from tests.strategies import Case


@pytest.mark.slow
@given(cases_with_functions())
def test_functions_are_called_as_the_specification_says(case: Case) -> None:
    note(str(case))
    compiled, evaluation = runnable(case.checked), evaluation_of(case)
    assert (compiled is None) == (evaluation is None)
    if compiled is None or evaluation is None:
        event("refused")
        return
    note(plan_text(compiled.plan))
    lines = follow(case, compiled, evaluation)
    event("with lines" if lines else "without lines")
