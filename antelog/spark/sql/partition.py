"""One partition of a table function: its rows in, its lines out, by the code that runs a bucket."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import cast

import pyarrow as pa
import pyarrow.compute as pc

from antelog.errors import AntelogError, DataError
from antelog.spark.bucket.batch import reasoner
from antelog.spark.bucket.output import CHANGES
from antelog.spark.bucket.output import REJECTED as SET_ASIDE
from antelog.spark.sql.analysis import AnalysedCall, FunctionProgram, analysed
from antelog.spark.sql.arguments import ANSWERED, REJECTED
from antelog.spark.transport.packing import packer
from antelog.spark.transport.unpacking import reject_reader, unpacker

PIECE = 20_000
"""The rows that are made columns at once."""


class Partition:
    """The rows of a partition, which come one by one."""

    def __init__(self, analysis: AnalysedCall) -> None:
        self.job, self.columns = analysis.job, analysis.columns
        self.output, self.call = analysis.output, analysis.call
        self.name, self.clause = analysis.name, analysis.clause
        self.tables: list[pa.Table] = []
        self.waiting: list[Sequence[object]] = []
        self.first = 1

    def add(self, row: Sequence[object]) -> None:
        """Takes one more row, whose last value is its number among those of its key."""
        if not self.waiting and not self.tables:
            self.first = cast("int", row[-1])
        self.waiting.append(row)
        if len(self.waiting) >= PIECE:
            self._flush()

    def lines(self) -> Iterator[tuple[object, ...]]:
        """The lines of all rows that were added. Raises DataError if they lack some of their keys."""
        if self.first != 1:
            raise DataError(
                f"the PARTITION BY of {self.name} divides rows that belong together. Leave it out, or write "
                f"{self.clause}"
            )
        self._flush()
        if not self.tables:
            return
        answers = self.call.lines == ANSWERED
        found = reasoner(self.job, answers)(pa.Table.from_batches(list(self._packed())))
        what = SET_ASIDE if self.call.lines == REJECTED else CHANGES
        payloads = found.filter(pc.equal(found.column("what"), what)).select(["query", "payload"])
        unpack = reject_reader if what == SET_ASIDE else unpacker(self.job.without_model, self.output)
        for batch in unpack(iter(payloads.to_batches())):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    def _flush(self) -> None:
        if self.waiting:
            self.tables.append(self.columns.rows_of(self.waiting))
            self.waiting = []

    def _packed(self) -> Iterator[pa.RecordBatch]:
        rows = pa.concat_tables(self.tables)
        for source in self.job.plan.inputs:
            facts = self.columns.facts(rows, source)
            yield from packer(self.job.without_model, source.name)(iter(facts.to_batches()))


@contextmanager
def plain_errors() -> Iterator[None]:
    """Errors of antelog without a traceback. The process of a worker ends after any error."""
    try:
        yield
    except AntelogError:
        os.environ["SPARK_HIDE_TRACEBACK"] = "1"
        raise


def handler_of(program: FunctionProgram) -> type:
    """The class that Spark makes an instance of for each partition.

    It is made here so that Spark sends it with its program; a class of a module goes by its name.
    """

    class Handler:
        def __init__(self, analysis: AnalysedCall) -> None:
            self.partition = Partition(analysis)

        @staticmethod
        def analyze(*given, **named):  # type: ignore[no-untyped-def]  # Spark looks at no types, but at names
            with plain_errors():
                return analysed(program, given, named)

        def eval(self, row, **_named):  # type: ignore[no-untyped-def]  # likewise
            with plain_errors():
                self.partition.add(row)

        def terminate(self):  # type: ignore[no-untyped-def]  # likewise
            with plain_errors():
                yield from self.partition.lines()

    return Handler
