"""A plan as text or HTML, for people: first what a user wants to know, then the details.

Each line has a role, so that a terminal can colour and wrap it. Equal plans give equal texts. For notebooks
there are two tables in the same words: a row for each query, and folded away a row for each relation.

    query Malf(X, T)                                      a title
      open     when Temp(X, high, T) arrives              a line, whose next lines are indented by 11
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.show.details import (
    answer_text,
    bounds_lines,
    key_text,
    pattern_lines,
    relation_title,
    source_lines,
    strata_lines,
)
from antelog.compile.show.summary import summaries, work_text
from antelog.escaping import Html, lined, plain_table, shown_lines, tag, text

TITLE, TEXT, PATTERN, DETAIL = "title", "text", "pattern", "detail"

_WIDTH = 9
"""The column of the words `open`, `decided` and `memory`."""


@dataclass(frozen=True)
class Line:
    """A line, how far it is indented, and how far it is where it goes on below."""

    text: str
    role: str = TEXT
    indent: int = 0
    hanging: int = 0

    def __str__(self) -> str:
        return " " * self.indent + self.text


def explain(plan: Plan) -> str:
    """The whole plan."""
    return "\n".join(map(str, report(plan))) + "\n"


def plan_text(plan: Plan) -> str:
    """The whole plan for a screen, on which no name of it is taken for a command."""
    return shown_lines(explain(plan))


def report(
    plan: Plan, rows: Mapping[str, int] | None = None, chances: Mapping[str, str] | None = None
) -> Iterator[Line]:
    """The lines of a plan; `rows` is the number of facts of each static relation, if it is known.

    `chances` has a text for queries of which there is something to say about chances.
    """
    about = chances or {}
    for relation, query in zip(plan.queries, summaries(plan), strict=True):
        yield Line(f"query {query.query}", TITLE)
        more = [("chances", about[relation.name])] if relation.name in about else []
        for word, sentence in (*query.lines, *more):
            yield Line(f"{word:{_WIDTH}}{sentence}", TEXT, 2, 2 + _WIDTH)
        yield Line("")
    yield Line(f"work: {work_text(plan)}", hanging=2)
    yield Line("")
    yield from details(plan, rows)


def details(plan: Plan, rows: Mapping[str, int] | None = None) -> Iterator[Line]:
    """The details of a plan: inputs, patterns, bounds, strata and key."""
    yield from _section("Inputs and background", source_lines(plan, rows))
    yield Line("Patterns and bounds", TITLE)
    for relation in plan.relations:
        yield Line(relation_title(relation), TEXT, 2, 4)
        for pattern in relation.patterns[:_MOST]:
            fixed = answer_text(relation, pattern)
            yield Line(pattern.text + (f"   giving {fixed}" if fixed else ""), PATTERN, 4, 6)
            yield from (Line(line, DETAIL, 6, 8) for line in pattern_lines(pattern))
        if len(relation.patterns) > _MOST:
            more = len(relation.patterns) - _MOST
            yield Line(f"and {more:,} more; `--json` has them all", TEXT, 4)
        if not relation.patterns:
            yield Line("never holds", TEXT, 4)
        yield from (Line(line, TEXT, 6, 8) for line in bounds_lines(plan, relation))
        yield Line("")
    yield from _section(
        "Strata: groups of rules, each worked out after those it asks by `not`", strata_lines(plan)
    )
    yield Line(key_text(plan), hanging=2)


def _section(title: str, lines: Iterable[str]) -> Iterator[Line]:
    yield Line(title, TITLE)
    yield from (Line(line, TEXT, 2, 4) for line in lines)
    yield Line("")


_MOST = 12
"""The patterns of a relation that are printed."""


def plan_html(plan: Plan) -> Html:
    """A row for each query, how the work can be divided, and folded away a row for each relation."""
    queries = ([tag("b", each.query), *(text for _, text in each.lines)] for each in summaries(plan))
    relations = (_relation_row(plan, each) for each in plan.relations)
    return text(
        plain_table(("query", "open", "decided", "memory"), queries),
        tag("p", f"work: {work_text(plan)}"),
        tag(
            "details",
            tag("summary", "Inputs, patterns, bounds and strata"),
            tag("p", lined(source_lines(plan))),
            plain_table(("watched for", "patterns", "bounds", "stratum"), relations),
            tag("p", key_text(plan)),
        ),
    )


def _relation_row(plan: Plan, relation: Relation) -> tuple[Html, ...]:
    patterns = list[Html]()
    for pattern in relation.patterns:
        fixed = answer_text(relation, pattern)
        known = [[tag("br"), tag("small", line)] for line in pattern_lines(pattern)]
        patterns.append(text(tag("code", pattern.text), f" giving {fixed}" if fixed else "", known))
    title, bounds = tag("b", relation_title(relation)), lined(bounds_lines(plan, relation))
    return title, lined(patterns or ["never holds"]), bounds, text(str(relation.level.component))
