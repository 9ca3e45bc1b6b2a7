"""antelog in Jupyter: `%load_ext antelog`.

    show(source)    changes and answers as a table with evidence, what is awaited, and deadlines
    %%antelog p     a cell with rules: shows what is wrong with them, or binds the program to `p`

Once the extension is loaded, plans, changes, answers and engines show themselves this way.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import pyarrow as pa

from antelog.compile.nodes.plan import Plan
from antelog.compile.show.explain import plan_html
from antelog.diagnostics import Diagnostic, Source, to_text
from antelog.engine.step.schema import AFTER_ANSWER
from antelog.engine.step.wording import LOST
from antelog.errors import ProgramError
from antelog.notebook.showing import ChangeList, show
from antelog.process import Engine
from antelog.program import Program, parse
from antelog.theme import BOTH

__all__ = ["ChangeList", "load_ipython_extension", "show", "unload_ipython_extension"]

_OF_ANSWERS = {"tick", "change", *AFTER_ANSWER} - {LOST}


@dataclass(frozen=True)
class Problems:
    """Errors and warnings about a cell, as notebooks display them."""

    diagnostics: tuple[Diagnostic, ...]
    source: Source

    def _repr_html_(self) -> str:
        blocks = []
        for each in self.diagnostics:
            colour = BOTH["critical" if each.severity.value == "error" else "warning"]
            text = escape(to_text([each], self.source))
            blocks.append(f'<pre style="border-left:3px solid {colour};padding-left:8px">{text}</pre>')
        return "".join(blocks)

    def __repr__(self) -> str:
        return to_text(self.diagnostics, self.source)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext antelog`."""

    def antelog(line: str, cell: str) -> Program | Problems | None:
        """Reads the rules in a cell, and binds the program to a name: `%%antelog turbines`."""
        name = line.strip()
        if name and not name.isidentifier():
            from IPython.core.error import UsageError  # noqa: PLC0415 - there is IPython if it calls this

            raise UsageError(f"`{name}` is not a name for a program; write %%antelog turbines, or no name")
        try:
            program = parse(cell, name=name or "<cell>")
        except ProgramError as error:
            return Problems(error.diagnostics, error.source)
        if name:
            shell.user_ns[name] = program
        if program.warnings:
            return Problems(program.warnings, program.source)
        return None if name else program

    shell.register_magic_function(antelog, magic_kind="cell")
    html = shell.display_formatter.formatters["text/html"]
    html.for_type(pa.Table, _answers)
    html.for_type(dict, _answers)
    html.for_type(Plan, plan_html)
    html.for_type(Engine, lambda engine: show(engine)._repr_html_())


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext antelog`."""
    html = shell.display_formatter.formatters["text/html"]
    for each in (pa.Table, dict, Plan, Engine):
        html.pop(each, None)


def _answers(found: pa.Table | dict[Any, Any]) -> str | None:
    """HTML for a table of answers, or for the result of `advance`; None for other tables."""
    tables = [*found.values()] if isinstance(found, dict) else [found]
    if not tables or not all(isinstance(t, pa.Table) and {*t.column_names} >= _OF_ANSWERS for t in tables):
        return None
    return show(found)._repr_html_()
