"""A batch of the data source: each task runs the engine over the facts of the keys that were dealt to it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

import pyarrow as pa
from msgspec import structs
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from antelog.compile.nodes.plan import Plan
from antelog.engine.values.types import types_of_rows
from antelog.errors import DataError
from antelog.files import ARRIVAL
from antelog.process import Engine
from antelog.program import Program
from antelog.run.address import Kafka
from antelog.run.driver import Driver
from antelog.run.options import taken
from antelog.run.sinks.result import StepResult
from antelog.spark.format.facts import FactShare, recorded_facts, types_of_input
from antelog.spark.format.request import SourceRequest, require_batch
from antelog.spark.job.checking import chances_of, job_of, undivided
from antelog.spark.job.dividing import numbers_of_buckets
from antelog.spark.job.job import Data, Job
from antelog.spark.job.options import OutputOptions
from antelog.spark.sql.analysis import in_one_partition, only_query
from antelog.spark.sql.partition import plain_errors
from antelog.spark.transport.unpacking import columns_of, rows_of_lines

MOST_TASKS = 8
"""The tasks that share the work, if nothing is said of that and there are so many cores."""

_ROWS = 10_000
"""The most rows that are handed to Spark at once."""


class SourceLines:
    """The lines of a request, as rows of the data source."""

    def __init__(self, request: SourceRequest) -> None:
        self.request = request
        self.job = _job(request, batch=request.state is None)
        self.columns = columns_of(self.job, request.query)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "arrow"}

    @property
    def schema(self) -> StructType:
        """The columns as Spark has them."""
        return from_arrow_schema(self.columns.schema, prefer_timestamp_ntz=True)

    @cached_property
    def arrow(self) -> pa.Schema:
        """The columns as Spark takes them."""
        try:
            return to_arrow_schema(self.schema, timezone="UTC")
        except TypeError:  # before 4.2 there is no such argument
            return to_arrow_schema(self.schema)

    @property
    def program(self) -> Program:
        """The program with what is asked of it."""
        return replace(self.request.runnable, plan=_plan(self.request))

    def engine(self) -> Engine:
        """The engine before the first fact."""
        options = self.request.settings.engine()
        engine = Engine(self.program, static=self.request.background, arrival=ARRIVAL, **options)
        if self.job.span.begin is not None:
            engine.begin_at(self.job.span.begin)
        return engine

    def rows(self, steps: Iterable[StepResult]) -> Iterator[pa.RecordBatch]:
        """The rows of the changes of steps."""
        for step in steps:
            for relation in self.job.plan.queries:
                if relation.name in self.columns.variables:
                    table = rows_of_lines(self.columns, relation, step.tables[relation.name])
                    yield from table.cast(self.arrow).to_batches(_ROWS)


def _job(request: SourceRequest, *, batch: bool) -> Job:
    """The work of a request as one bucket. Raises DataError for options that do not fit."""
    plan = _plan(request)
    types = {name: types_of_input(request, name) for name in request.addresses}
    data = Data({}, {**types, **types_of_rows(request.background)}, dict.fromkeys(types, pa.int64()))
    options = taken(OutputOptions, request.settings, begin=request.begin)
    job = job_of(plan.read, data, options, chances_of(plan.read, options), batch=batch)
    return replace(job, numbers=numbers_of_buckets(_tasks(request, job)))


def _plan(request: SourceRequest) -> Plan:
    """The plan of what is asked for."""
    plan, model = request.program.plan, request.settings.model
    if request.query is None or model is not None or plan.declares_chances:
        return plan
    return structs.replace(plan, relations=only_query(plan, request.query))


def _tasks(request: SourceRequest, job: Job) -> int:
    """The number of tasks: one if tasks would have to know of the facts of others, or a topic may grow."""
    divided = replace(job, numbers=numbers_of_buckets(2))
    together = in_one_partition(job.plan) or divided.begins_together or divided.ends_together
    topics = any(isinstance(each, Kafka) for each in request.addresses.values())
    if together or topics or job.forecasts is not None or undivided(job) is not None:
        return 1
    return request.partitions or min(os.cpu_count() or 1, MOST_TASKS)


class BatchReader(DataSourceReader):
    """Reads the lines of all that is there now."""

    def __init__(self, lines: SourceLines, schema: StructType) -> None:
        require_batch(lines.request)
        refuse_other_columns(lines, schema)
        self._lines = lines

    def partitions(self) -> list[InputPartition]:
        """A partition for each task."""
        return [InputPartition(number) for number in range(len(self._lines.job.numbers))]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a task."""
        lines = self._lines
        with plain_errors():
            share = FactShare(partition.value, len(lines.job.numbers))
            reader = recorded_facts(lines.request, lines.job, share)
            yield from lines.rows(Driver(lines.engine(), reader).steps())
            reader.rejects.require_use()


def refuse_other_columns(lines: SourceLines, schema: StructType) -> None:
    """Raises DataError if a user has given other columns than the program has."""
    if schema.names != lines.schema.names:
        raise DataError("the columns are those of the program; leave out .schema(…)")
