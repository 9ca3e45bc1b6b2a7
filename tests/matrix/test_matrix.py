"""Each example, idiom and conformance case through everything that shows a line."""

from pathlib import Path

import pytest

from tests.matrix.cases import MatrixCase, sampled
from tests.matrix.views import (
    differences,
    listings,
    notebooks,
    pictures,
    plays,
    reasons,
    recordings,
    watched,
    wrong,
)


@pytest.mark.parametrize("case", sampled(20))
def test_nothing_breaks_where_parts_meet(
    case: MatrixCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    views = (listings, watched, notebooks, plays, pictures, reasons, recordings, differences)
    assert wrong(case, *views) == []
