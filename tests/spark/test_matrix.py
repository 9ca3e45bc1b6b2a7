"""Examples, idioms and conformance cases as batches, whose lines are those of `antelog try`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from antelog.cli.run import pipeline
from tests.matrix.cases import MatrixCase, sampled
from tests.matrix.views import batches, wrong


@pytest.mark.long
@pytest.mark.parametrize("case", sampled(50))
def test_a_batch_has_the_same_lines(
    case: MatrixCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession
) -> None:
    @contextmanager
    def shared(*_: Any) -> Iterator[SparkSession]:
        yield spark

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pipeline, "session", shared)
    assert wrong(case, batches) == []
