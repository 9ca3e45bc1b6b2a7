"""`antelog check`: the results of compiling a program, as text or JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from antelog.cli.arguments.flags import flags
from antelog.cli.show.terminal import print_diagnostics, print_text, tell, to_stdout
from antelog.compile import PATTERN_LIMIT, Compiled, compile_program, to_json
from antelog.compile.nodes.plan import Plan
from antelog.compile.rules.statics import evaluate
from antelog.compile.show.explain import DETAIL, PATTERN, TEXT, TITLE, explain, report
from antelog.compile.show.summary import summaries, work_text
from antelog.diagnostics import Source
from antelog.diagnostics import to_json as diagnostics_to_json
from antelog.escaping import json_text
from antelog.language import read_whole
from antelog.language.program_files import read_text
from antelog.program import refuse_unknown
from antelog.run.options import Runner, flag, option, whole_number
from antelog.run.source_settings import ValueSettings
from antelog.theme import TERMINAL


@dataclass(frozen=True, kw_only=True)
class CheckFlags(ValueSettings):
    as_json: bool = flag(False)
    pattern_limit: int = option(PATTERN_LIMIT, whole_number(1))


_GIVEN_UP = (
    "{} searches for needless literals and patterns took too many steps and were given up: some may be left. "
    "They cost memory and time, and change no answer."
)


@click.command()
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path))
@flags(Runner("check"), more=CheckFlags)
@click.pass_context
def check(ctx: click.Context, /, program: Path, more: CheckFlags) -> None:
    """Check PROGRAM, and say for each query when answers open, by when they are decided, and what is kept."""
    given = Source(read_text(program), str(program), values=more.limits)
    checked = read_whole(given)
    refuse_unknown(checked)
    source = checked.document.source
    compiled = compile_program(checked, more.pattern_limit)
    plan, rows = compiled.plan, None
    # How many facts static relations have, which functions of users would have to say.
    if plan and not any(each.functions for rule in plan.static_rules for each in rule.literals):
        rows = {name: len(found) for name, found in evaluate(plan).items()}
    if more.as_json:
        tell(json_text(_as_json(compiled, source), ascii_only=True))
    else:
        print_diagnostics(compiled.diagnostics, source)
        if plan is not None:
            print_plan(plan, rows, to_stdout(soft_wrap=True))
            if compiled.given_up:
                tell(_GIVEN_UP.format(f"{compiled.given_up:,}"))
    ctx.exit(0 if plan is not None else 1)


def _as_json(compiled: Compiled, source: Source) -> dict[str, Any]:
    plan = compiled.plan
    found = {"program": source.name, "ok": plan is not None}
    found["diagnostics"] = diagnostics_to_json(compiled.diagnostics, source)
    if plan is None:
        return found | dict.fromkeys(("queries", "work", "plan", "text"))
    chances, queries = _on_chances(plan), zip(plan.queries, summaries(plan), strict=True)
    return found | {
        # `chances` says why there are none, and is null where there are.
        "queries": [{**asdict(each), "chances": chances.get(query.name)} for query, each in queries],
        "work": work_text(plan),
        "plan": json.loads(to_json(plan))["plan"],
        "text": explain(plan),
    }


_STYLES = {TITLE: "bold", TEXT: "", PATTERN: TERMINAL["pattern"], DETAIL: "dim"}


def print_plan(plan: Plan, rows: Mapping[str, int] | None, console: Console) -> None:
    for line in report(plan, rows, _on_chances(plan)):
        texts = [str(line)]
        if console.is_terminal:
            first, others = " " * line.indent, " " * line.hanging
            texts = textwrap.wrap(
                line.text, console.width, initial_indent=first, subsequent_indent=others
            ) or [""]
        for text in texts:
            print_text(console, Text(text, _STYLES[line.role]))


def _on_chances(plan: Plan) -> Mapping[str, str]:
    """The text that is printed for each query without chances, where some are declared or alerted by."""
    if not plan.declares_chances and all(query.alert is None for query in plan.queries):
        return {}
    from antelog.forecast.inference.chances import summary  # noqa: PLC0415 - few programs have chances

    return summary(plan)
