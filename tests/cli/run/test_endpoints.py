"""antelog/cli/run/endpoints.py, antelog/spark/endpoints/endpoints.py: sources and outputs as texts."""

from pathlib import Path

import pytest

from antelog.cli.arguments.setting_error import SettingError
from antelog.cli.run.endpoints import sink_of, source_of
from antelog.spark.endpoints.endpoints import Files, Jdbc, Kafka, Rate, Table

pytestmark = pytest.mark.usefixtures("here")


def test_endpoints() -> None:
    assert source_of("data/*.jsonl.gz") == Files("data/*.jsonl.gz", "json")
    assert source_of("s3a://bucket/x.parquet") == Files("s3a://bucket/x.parquet", "parquet")
    assert source_of("parquet:data") == Files("data", "parquet")
    Path("folder").mkdir()
    Path("folder", "a.csv").touch()
    assert source_of("folder") == Files("folder", "csv")
    assert source_of("rate://7") == Rate(7, 10)
    assert source_of("kafka://h/t") == Kafka("h:9092", "t")
    assert sink_of("jdbc:h2:mem#a.b") == Jdbc("jdbc:h2:mem", "a.b")
    assert sink_of("delta:out") == Table("delta", "out")
    with pytest.raises(SettingError, match=r"option formt\. Did you mean format\?"):
        source_of("kafka://h/t?formt=csv")
