"""The engine against the specification: the whole change log and the answers of every tick.

Random programs and streams; `tests/once_wrong` has the cases in which the two once differed.
"""

from __future__ import annotations

import pytest
from hypothesis import event, given, note, reject

from antelog.compile import compile_program
from antelog.compile.show.explain import plan_text
from tests.all_cases import SMALL
from tests.engine.replay import follow, runnable
from tests.specification import Evaluation, RefusedError, TooManyDerivationsError, evaluate
from tests.specification.helpers import stream_of
from tests.strategies import Case

MOST = 10_000
"""So many steps of resolution are enough to tell what a random program means, or it is passed over."""


def evaluation_of(case: Case) -> Evaluation | None:
    """What the specification says of a case; None if it refuses the program."""
    try:
        return evaluate(case.checked, stream_of(case.facts), case.until, MOST)
    except RefusedError as error:
        note(f"refused: {error}")
        return None
    except TooManyDerivationsError:
        reject()


@pytest.mark.slow
@given(SMALL)
def test_the_engine_tells_what_the_specification_tells(case: Case) -> None:
    note(str(case))
    compiled, evaluation = runnable(case.checked), evaluation_of(case)
    assert (compiled is None) == (evaluation is None), compile_program(case.checked).diagnostics
    if compiled is None or evaluation is None:
        event("refused")
        return
    note(plan_text(compiled.plan))
    lines = follow(case, compiled, evaluation)
    event("with lines" if lines else "without lines")
