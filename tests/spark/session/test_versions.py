"""antelog/spark/session/versions.py: a PySpark that cannot do it is told so by its number."""

from __future__ import annotations

import pyspark
import pytest

import antelog.spark
from antelog.errors import UnsupportedError
from antelog.spark.session.versions import require_pyspark


@pytest.mark.parametrize(
    ("version", "why"), [("3.5.1", "too old"), ("4.0.2", "too old"), ("5.0.0.dev1", "too new")]
)
def test_versions_that_cannot_do_it(version: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", version)
    message = f"PySpark is version {version}, {why}.*pip install"
    with pytest.raises(UnsupportedError, match=message):
        require_pyspark()
    with pytest.raises(UnsupportedError, match=message):
        _ = antelog.spark.changes
    assert antelog.spark.BUCKETS == 8


@pytest.mark.parametrize("version", ["4.1.0", "4.3.0", "4.12.0.dev2"])
def test_versions_that_can(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", version)
    require_pyspark()
