"""antelog/spark/session/warming.py: a job goes ahead, and nothing comes of it if it fails."""

from __future__ import annotations

import threading

import pytest
from pyspark.sql import SparkSession

from antelog.spark.session.warming import warm


def test_a_job_is_run_beside_whatever_else_is_done(spark: SparkSession) -> None:
    tracker = spark.sparkContext.statusTracker()
    before = set(tracker.getJobIdsForGroup())
    warm(spark).join()
    assert len(set(tracker.getJobIdsForGroup()) - before) == 1


def test_that_it_fails_is_nobodys_concern(monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[object] = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    warm(None).join()  # type: ignore[arg-type]  # stands for a session that is gone
    assert not raised
