"""A plan for a person: what is watched for, for how long, in what order, and how it divides."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from antelog.cli.show.terminal import print_text
from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.nodes.text import pattern_text
from antelog.compile.rules.statics import evaluate
from antelog.compile.show.explain import (
    answer_text,
    bounds_lines,
    key_text,
    pattern_lines,
    relation_title,
    source_lines,
)


def print_plan(plan: Plan, console: Console) -> None:
    known = evaluate(plan)
    for line in source_lines(plan, {name: len(rows) for name, rows in known.items()}):
        print_text(console, Text(line, "dim"))
    for relation in plan.relations:
        console.print()
        _print_relation(relation, console)
    console.print()
    console.print("strata, in the order they are evaluated:", style="bold")
    for line in _strata(plan):
        print_text(console, Text(f"  {line}"))
    console.print()
    print_text(console, Text(key_text(plan)))


def _print_relation(relation: Relation, console: Console) -> None:
    print_text(console, Text(relation_title(relation), "bold"))
    for pattern in relation.patterns:
        fixed = answer_text(relation, pattern)
        print_text(
            console, Text(f"  {pattern_text(pattern)}", "cyan") + Text(f"   giving {fixed}" if fixed else "")
        )
        for line in pattern_lines(pattern):
            print_text(console, Text(f"    {line}", "dim"))
    if not relation.patterns:
        console.print("  never holds", style="yellow")
    for line in bounds_lines(relation):
        print_text(console, Text(f"    {line}"))


def _strata(plan: Plan) -> list[str]:
    """One line for each component: its relations, and if they rest on each other, in what order of time."""
    components: dict[int, list[Relation]] = {}
    for relation in sorted(plan.relations, key=lambda r: (r.level.component, r.level.shift, r.level.rank)):
        components.setdefault(relation.level.component, []).append(relation)
    lines = []
    for number, members in components.items():
        names = ", ".join(r.name for r in members)
        through_time = any(r.name in other.bounds.asked_by for r in members for other in members)
        lines.append(f"{number}: {names}" + (", tick by tick" if through_time else ""))
    return lines
