"""Each example, idiom and conformance case through everything that shows a line."""

from pathlib import Path

import pytest

from tests.matrix import views
from tests.matrix.cases import MatrixCase, sampled


@pytest.mark.parametrize("case", sampled(20))
def test_nothing_breaks_where_parts_meet(
    case: MatrixCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    of_a_run = (views.listings, views.watched, views.notebooks, views.plays)
    of_facts = (views.pictures, views.reasons, views.recordings, views.differences)
    assert views.wrong(case, *of_a_run, *of_facts) == []
