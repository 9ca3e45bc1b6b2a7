"""How far each answer has come: the pattern of its shortest explanation, and which literals are true.

    Malf(wt2, 0) at tick 1, two of three hot: pattern 0, literals 0 and 1

In come moments, out goes a number for each: equal for answers that have come equally far. What is told does
not depend on it; it is for those who count what becomes of answers.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from antelog.engine.answers.moments import views_of
from antelog.engine.columns.tables import Column, changed, marked
from antelog.engine.log.told import Told
from antelog.engine.step.knowledge import Knowledge

NO_STAGE = -1
"""The stage of an answer that has no explanation."""

LITERALS = 36
"""So many literals of a pattern have a bit of their own in a stage; those after them share the last."""
_PATTERN = LITERALS
_MISSING = _PATTERN + 16


def stages(knowledge: Knowledge, query: str, told: Told, moment: Column) -> Column:
    """The stage at each of some moments."""
    found, at = told.found, told.at
    line, view = views_of(at, told.kept, moment)
    row, then = at.view_of.take(view), at.then.take(view)
    patterns = knowledge.rules.patterns[query]
    numbers = {id(prepared): number for number, prepared in enumerate(patterns)}
    stage = np.zeros(len(row), np.int64)
    block = np.searchsorted(np.array(found.starts), row, "right") - 1
    for number, each in enumerate(found.blocks):
        mine = marked(block == number)
        if len(mine) == 0:
            continue
        own, tick = row.take(mine) - found.starts[number], then.take(mine)
        holds = each.holds.take(own, axis=1) <= tick
        missing = len(holds) - np.count_nonzero(holds, axis=0)
        true = np.bitwise_or.reduce(holds * _bits(len(holds)), axis=0)
        stage[mine] = (
            (np.minimum(missing, 1023) << _MISSING) + (numbers[id(each.prepared)] << _PATTERN) + true
        )
    result = np.full(len(moment), NO_STAGE)
    if at.alone:
        result[line] = stage & ((1 << _MISSING) - 1)
    elif len(line):
        first = marked(changed(line))
        result[line.take(first)] = np.minimum.reduceat(stage, first) & ((1 << _MISSING) - 1)
    return result


@cache
def _bits(literals: int) -> Column:
    """The bit of each of so many literals, one below the other."""
    return 1 << np.minimum(np.arange(literals), LITERALS - 1)[:, None]


def pattern_of(stage: Column) -> Column:
    """The number of the pattern of each stage."""
    return stage >> _PATTERN
