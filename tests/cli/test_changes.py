"""antelog/cli/serving.py: what has changes in it, and is no program."""

from __future__ import annotations

from pathlib import Path

import pytest

from antelog.cli.serving import is_changes, show_changes
from antelog.errors import DataError
from antelog.watch.web.address import PageAddress


def test_what_has_changes_in_it(tmp_path: Path) -> None:
    for name in ("changes.jsonl", "changes.parquet", "kafka://localhost:9092/changes", str(tmp_path)):
        assert is_changes(Path(name))
    assert not is_changes(Path("turbines.alog"))


def test_a_topic_that_cannot_be_reached_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("confluent_kafka")
    monkeypatch.setattr("antelog.run.sources.messages._PATIENCE", 0.5)
    with pytest.raises(DataError, match=r"9/changes: cannot be reached"):
        show_changes(Path("kafka://127.0.0.1:9/changes"), PageAddress())
