"""Numbers from 0 to 10 or so as whole ones, whose sums are the same in whatever order they are added.

    0.25    268435456, which is a quarter of UNIT

So scores do not depend on how a run was cut, or on which worker scored which answers: not even in the last
digit. A chance is off by less than 1e-9, and a billion lines have room.
"""

from __future__ import annotations

import numpy as np

from antelog.engine.columns.tables import Column, Numbers

UNIT = 2**30
"""What 1 is as a whole number."""


def exactly(numbers: Numbers) -> Column:
    return np.rint(numbers * UNIT).astype(np.int64)
