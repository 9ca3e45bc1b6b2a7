"""Are an engine's answers those there must be?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from benchmarks.compare.workloads import END


@dataclass(frozen=True)
class Verdict:
    """How many answers there were; how many were missing, were not true, or came again."""

    reported: int
    missing: int
    untrue: int
    repeated: int

    @property
    def right(self) -> bool:
        return not (self.missing or self.untrue or self.repeated)


def check(out: Path, expected: pl.DataFrame) -> Verdict:
    """Compare with what an engine wrote: Parquet, or CSV without a header."""
    found = _read(out, expected.columns)
    reported = found.filter(~pl.any_horizontal(pl.col(*expected.columns[:-1]) == END))
    distinct = reported.unique()
    return Verdict(
        reported.height,
        expected.join(distinct, on=expected.columns, how="anti").height,
        distinct.join(expected, on=expected.columns, how="anti").height,
        reported.height - distinct.height,
    )


def _read(out: Path, names: list[str]) -> pl.DataFrame:
    types = {name: pl.String() for name in names[:-1]} | {names[-1]: pl.Int64()}
    tables = [pl.DataFrame(schema=types)]
    for file in sorted(out.rglob("*")):
        if any(part[0] in "._" for part in file.relative_to(out).parts):
            continue  # what Spark and Flink keep for themselves
        if file.suffix == ".parquet":
            table = pl.read_parquet(file)
            table.columns = names
            tables.append(table.select(pl.col(name).cast(kind) for name, kind in types.items()))
        elif file.is_file() and file.stat().st_size:
            tables.append(pl.read_csv(file, has_header=False, schema=types))
    return pl.concat(tables)
