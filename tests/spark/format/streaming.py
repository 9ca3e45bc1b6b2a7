"""A query over the data source, in a process that may be killed: each batch has a folder in `out`.

python -m tests.spark.format.streaming FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyspark.sql import DataFrame

from antelog.spark import register_source
from tests.spark.sessions import small_session


def main(folder: Path) -> None:
    def write(batch: DataFrame, number: int) -> None:
        batch.write.mode("overwrite").parquet(str(folder / "out" / f"batch={number}"))

    options = json.loads((folder / "options.json").read_text(encoding="utf-8"))
    with small_session() as spark:
        register_source(spark)
        stream = spark.readStream.format("antelog").options(**options).load()
        writer = stream.writeStream.foreachBatch(write).option(
            "checkpointLocation", str(folder / "checkpoint")
        )
        writer.trigger(availableNow=True).start().awaitTermination()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
