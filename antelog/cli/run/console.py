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
    from antelog.spark import Outcomes


def console_printer(plan: Plan) -> Callable[[Outcomes], None]:
    """A function that prints the changes of one batch after the other."""
    relations = list(plan.queries)
    to = listing.listing(to_stdout(), plan.tick, None)
    last: int | None = None

    def show(outcomes: Outcomes) -> None:
        nonlocal last
        last = listing.print_changes(relations, StepResult(0, tables_of(outcomes, relations)), last, to)
        to.console.file.flush()

    return show


def tables_of(outcomes: Outcomes, relations: Sequence[Relation]) -> dict[str, pa.Table]:
    """The changes of each query, brought to this process."""
    return {relation.name: _named(outcomes, relation) for relation in relations}


def _named(outcomes: Outcomes, relation: Relation) -> pa.Table:
    """The changes of a query under its variables' own names, some of which are columns' names elsewhere."""
    table = outcomes.query(relation.name).toArrow()
    shown = {f"{name}_": name for name in relation.answer.names if name not in table.column_names}
    return table.rename_columns([shown.get(name, name) for name in table.column_names])
