"""Functions that are called for single rows, where the background is worked out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from antelog.engine.values.functions import Functions
from antelog.engine.values.values import Values
from antelog.language.syntax import Value, number


class SingleCalls:
    """Calls functions with values as Python has them."""

    def __init__(self, functions: Functions) -> None:
        self._functions, self._values = functions, Values()

    def called(self, function: str, arguments: Sequence[Value]) -> Value | bool | None:
        """The result of a function; None: it has none."""
        cells = [np.array([self._values.cell(each)]) for each in arguments]
        found: Value | bool | None = self._functions.results(function, cells, self._values)[0].as_py()
        return number(found) if isinstance(found, float) else found
