"""A plan as HTML, for notebooks: what `explain` says, as a table."""

from __future__ import annotations

from collections.abc import Iterable

from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.nodes.text import pattern_text
from antelog.compile.show.explain import (
    answer_text,
    bounds_lines,
    key_text,
    pattern_lines,
    relation_title,
    source_lines,
)
from antelog.escaping import in_html

_HEADS = ("watched for", "patterns", "bounds", "stratum")


def plan_html(plan: Plan) -> str:
    """Where facts come from, a row for each relation, and how the work can be divided."""
    heads = "".join(f'<th style="text-align:left">{head}</th>' for head in _HEADS)
    rows = "".join(map(_row, plan.relations))
    return (
        f"<p>{_lines(source_lines(plan))}</p>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
        f"<p>{in_html(key_text(plan))}</p>"
    )


def _row(relation: Relation) -> str:
    patterns = "<br>".join(_pattern(relation, pattern) for pattern in relation.patterns) or "never holds"
    cells = (
        f"<b>{in_html(relation_title(relation))}</b>",
        patterns,
        _lines(bounds_lines(relation)),
        str(relation.level.component),
    )
    return (
        "<tr>" + "".join(f'<td style="text-align:left;vertical-align:top">{c}</td>' for c in cells) + "</tr>"
    )


def _pattern(relation: Relation, pattern: Pattern) -> str:
    fixed = answer_text(relation, pattern)
    giving = f" giving {in_html(fixed)}" if fixed else ""
    known = "".join(f"<br><small>{in_html(line)}</small>" for line in pattern_lines(pattern))
    return f"<code>{in_html(pattern_text(pattern))}</code>{giving}{known}"


def _lines(lines: Iterable[str]) -> str:
    return "<br>".join(map(in_html, lines))
