"""Each example, idiom and conformance case through everything that shows a line, so that nothing breaks where parts meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.matrix.cases import MatrixCase, cases
from tests.matrix.views import (
    batches, differences, lines_of, listings, notebooks, pictures, plays, reasons, recordings, tried, watched,
)  # fmt: skip

CASES = cases()
VIEWS = (listings, watched, notebooks, plays, pictures, reasons, recordings, differences)


def sampled(every: int) -> list[Any]:
    """All cases; those that are not every so-manieth are for `make long`."""
    return [
        pytest.param(each, id=name, marks=() if at % every == 0 else pytest.mark.long)
        for at, (name, each) in enumerate(CASES.items())
    ]


@pytest.mark.slow
@pytest.mark.parametrize("case", sampled(23))
def test_all_views(case: MatrixCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    case.write(tmp_path)
    lines = lines_of(tried(case))
    problems = []
    for view in VIEWS:
        try: problems += [f"{view.__name__}: {x}" for x in view(case, lines)]
        except Exception as e: problems.append(f"{view.__name__}: !! {e!r}"[:700])
    assert problems == []
