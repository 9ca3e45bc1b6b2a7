"""Changes on the console, as `antelog try --format table` prints them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from antelog.cli.show import listing
from antelog.cli.show.terminal import to_stdout
from antelog.compile.nodes.plan import Plan, Relation
from antelog.run.sinks.result import StepResult

if TYPE_CHECKING:  # PySpark is imported when it is known that it will be needed
    from antelog.spark import Outputs


def console_printer(plan: Plan) -> Callable[[Outputs], None]:
    """A function that prints the changes of one batch after the other."""
    relations = list(plan.queries)
    to = listing.listing(to_stdout(), plan.tick, None)
    last: int | None = None

    def show(outputs: Outputs) -> None:
        nonlocal last
        last = listing.print_changes(relations, StepResult(0, tables_of(outputs, relations)), last, to)
        to.console.file.flush()

    return show


def tables_of(outputs: Outputs, relations: Sequence[Relation]) -> dict[str, pa.Table]:
    """The changes of each query, brought to this process."""
    return {relation.name: _named(outputs, relation) for relation in relations}


def _named(outputs: Outputs, relation: Relation) -> pa.Table:
    """The changes of a query under its variables' own names, some of which are columns' names elsewhere."""
    table = outputs.query(relation.name).toArrow()
    shown = {f"{name}_": name for name in relation.answer.names if name not in table.column_names}
    return table.rename_columns([shown.get(name, name) for name in table.column_names])
