"""A plan as HTML, for notebooks.

In comes a plan, out go two tables that say what `explain` says, in the same words: a row for each query,
and folded away the details, a row for each relation.

    <td>Malf(X, T)</td><td>when Temp(X, high, T) arrives</td>…
"""

from __future__ import annotations

from collections.abc import Iterable

from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.show.details import (
    answer_text,
    bounds_lines,
    key_text,
    pattern_lines,
    relation_title,
    source_lines,
)
from antelog.compile.show.summary import Summary, summaries, work_text
from antelog.escaping import in_html

_QUERIES = ("query", "told", "decided", "memory")
_RELATIONS = ("watched for", "patterns", "bounds", "stratum")


def plan_html(plan: Plan) -> str:
    """A row for each query, how the work can be divided, and folded away a row for each relation."""
    queries = [_query(summary) for summary in summaries(plan)]
    return (
        f"{_table(_QUERIES, queries)}"
        f"<p>work: {in_html(work_text(plan))}</p>"
        "<details><summary>Inputs, patterns, bounds and strata</summary>"
        f"<p>{_lines(source_lines(plan))}</p>"
        f"{_table(_RELATIONS, map(_relation, plan.relations))}"
        f"<p>{in_html(key_text(plan))}</p></details>"
    )


def _table(heads: Iterable[str], rows: Iterable[str]) -> str:
    named = "".join(f'<th style="text-align:left">{head}</th>' for head in heads)
    return f"<table><thead><tr>{named}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _row(cells: Iterable[str]) -> str:
    return (
        "<tr>" + "".join(f'<td style="text-align:left;vertical-align:top">{c}</td>' for c in cells) + "</tr>"
    )


def _query(summary: Summary) -> str:
    return _row([f"<b>{in_html(summary.query)}</b>", *(in_html(text) for _, text in summary.lines)])


def _relation(relation: Relation) -> str:
    patterns = "<br>".join(_pattern(relation, pattern) for pattern in relation.patterns) or "never holds"
    return _row(
        (
            f"<b>{in_html(relation_title(relation))}</b>",
            patterns,
            _lines(bounds_lines(relation)),
            str(relation.level.component),
        )
    )


def _pattern(relation: Relation, pattern: Pattern) -> str:
    fixed = answer_text(relation, pattern)
    giving = f" giving {in_html(fixed)}" if fixed else ""
    known = "".join(f"<br><small>{in_html(line)}</small>" for line in pattern_lines(pattern))
    return f"<code>{in_html(pattern.text)}</code>{giving}{known}"


def _lines(lines: Iterable[str]) -> str:
    return "<br>".join(map(in_html, lines))
