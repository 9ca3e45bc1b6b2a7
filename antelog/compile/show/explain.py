"""A plan as text or HTML, for people: the summary of each query first, then the details."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest

from antelog.compile.literals import Aggregation
from antelog.compile.literals.terms import Time, call_text, later, operand_text, time_text
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Input, Plan, Relation
from antelog.compile.prepared.rules import kept_for_ever
from antelog.compile.show.summary import summaries, ticks_text, work_text
from antelog.escaping import Html, lined, plain_table, shown_lines, tag, text
from antelog.language.durations import duration_text
from antelog.language.moments import DEFAULT_ZONE
from antelog.language.printer import percentage_text, value_text
from antelog.language.syntax import MEMBER


def answer_text(relation: Relation, pattern: Pattern) -> str:
    """Returns the parts of the answer that a pattern fixes: `X = high, T = 0`, or nothing."""
    fixed = [
        f"{name} = {operand_text(term)}"
        for name, term in zip(relation.answer.variables, pattern.answer, strict=True)
        if operand_text(term) != name
    ]
    if relation.answer.time is not None and pattern.time != Time(relation.answer.time, 0):
        fixed.append(f"{relation.answer.time} = {time_text(pattern.time)}")
    return ", ".join(fixed)


def source_lines(plan: Plan, rows: Mapping[str, int] | None = None) -> Iterator[str]:
    """Yields inputs and background; with `rows`, the number of facts of each static relation."""
    if plan.tick is not None:
        yield f"tick: {duration_text(plan.tick)}"
    if plan.zone != DEFAULT_ZONE:
        yield f"zone: {plan.zone}"
    for source in plan.inputs:
        yield _input_text(source, plan.counting(source.name).unit)
        if source.name in counted(plan):
            yield "  counted: equal facts of a tick are one"
        yield from (f"  {line}" for line in odds_lines(source))
    for static in (each for each in plan.statics if not each.name.startswith(MEMBER)):
        derived = 0 if rows is None else rows[static.name] - len(static.facts)
        facts = f"{len(static.facts)} fact" + ("" if len(static.facts) == 1 else "s")
        columns = call_text(static.name, _columns(static.columns, static.types))
        yield f"static {columns}, {facts} in the program" + (f", {derived} derived" if derived else "")
    for rule in plan.static_rules:
        head = call_text(rule.predicate, map(operand_text, rule.answer))
        yield f"static rule: {head} :- {', '.join(literal.text for literal in rule.literals)}"


def counted(plan: Plan) -> frozenset[str]:
    """Returns the inputs whose facts are counted or added up, several at a tick."""
    asked = (a for r in plan.relations for p in r.patterns for a in p.asked if isinstance(a, Aggregation))
    added = (e for a in asked for e in a.aggregates if e.function not in ("min", "max") and not e.distinct)
    names = {each.inside.predicate for each in added}
    return frozenset(each.name for each in plan.inputs if each.name in names and each.slot is None)


def _columns(columns: tuple[str, ...], types: tuple[str | None, ...]) -> list[str]:
    return [f"{column}: {type_}" if type_ else column for column, type_ in zip_longest(columns, types)]


def _input_text(source: Input, unit: str | None) -> str:
    columns = _columns(source.columns, (*source.types, unit))
    text = f"input {call_text(source.name, columns)}, delay {source.delay}"
    if source.slot is not None:
        names = [source.columns[i] for i in source.slot] or ["tick"]
        text += f", one per {' and '.join(names)}"
    if source.expected.gap is not None:
        names = [source.columns[i] for i in source.expected.of if source.expected.of != source.slot]
        text += f", every {source.expected.gap}" + (f" per {' and '.join(names)}" if names else "")
    for r in source.refinements:
        text += f", {r.delay} for {_facts(source, r.pattern)}"
    return text


def relation_title(relation: Relation) -> str:
    if not relation.is_query:
        return f"asked about {relation.name}"
    answer = ", ".join(relation.answer.names)
    return f"query {relation.name}" + (f" for {answer}" if answer else "")


def pattern_lines(pattern: Pattern) -> Iterator[str]:
    """Yields remarks on a pattern: clock-driven, or with a row for each value seen."""
    if pattern.clock_driven:
        yield "clock-driven: open when its tick has come"
    elif pattern.unguarded_time is not None:
        yield f"open for each tick {pattern.unguarded_time} when it has come"
    for name in pattern.unguarded:
        yield f"for each {name} that has been seen, and once for all others"


def bounds_lines(plan: Plan, relation: Relation) -> Iterator[str]:
    bounds = relation.bounds
    name = relation.answer.time or "T"
    if bounds.delay is None:
        yield "delay: none; it may stay open for ever"
        if relation.is_query:
            yield "confirmed answers are remembered for ever"
    else:
        remembered = "; confirmed answers are remembered until then" if relation.is_query else ""
        yield f"delay: decided by {later(name, bounds.delay)} at the latest{remembered}"
    yield "window: " + ("none" if bounds.window is None else ticks_text(bounds.window))
    if bounds.asked_by:
        until = "for ever" if bounds.kept is None else f"until {later(name, bounds.kept)}"
        yield f"needed {until}, asked about in {', '.join(bounds.asked_by)}"
    if bounds.piling_up is not None:
        yield f"state: no bound; facts may wait for {bounds.piling_up} for ever"
    elif kept := kept_for_ever(plan, relation):
        yield f"state: no bound; all there is of {' and '.join(kept)} is kept for ever"
    elif bounds.window is not None:
        yield f"state: {_state_text(bounds.window - 1, len(relation.patterns))}"
    else:
        yield "state: does not grow with time"
    if relation.notice.labelled:
        yield f"severity: {relation.severity}"
    for name in ("words", "many", "runbook"):
        if (text := getattr(relation.notice, name)) is not None:
            yield f"{name}: {json.dumps(text, ensure_ascii=False)}"
    if relation.notice.given:
        names = dict.fromkeys(each.predicate for each in relation.notice.given)
        yield f"given: chances look at {', '.join(names)}, too"
    if relation.alert is not None:
        yield f"alert: an open answer with a chance of {percentage_text(relation.alert)} or more"


def _state_text(ticks: int, patterns: int) -> str:
    if ticks <= 0 or patterns == 0:
        return "nothing stays open from one tick to the next"
    rows = "1 derivation" if patterns == 1 else f"{patterns} derivations"
    return f"at most {rows} for each combination of values and each of {ticks_text(ticks)}"


def strata_lines(plan: Plan) -> Iterator[str]:
    """Yields a line for each component: its relations, and whether they are worked out tick by tick."""
    components: dict[int, list[Relation]] = {}
    for relation in sorted(plan.relations, key=lambda r: (r.level.component, r.level.shift, r.level.rank)):
        components.setdefault(relation.level.component, []).append(relation)
    for number, members in components.items():
        names = ", ".join(r.name for r in members)
        through_time = any(r.name in other.bounds.asked_by for r in members for other in members)
        yield f"{number}: {names}" + (", tick by tick" if through_time else "")


def key_text(plan: Plan) -> str:
    if not plan.key:
        return f"partition key: none; {plan.key.why_not}"
    columns = {i.name: i.columns for i in plan.inputs}
    columns |= {r.name: r.answer.variables for r in plan.relations}
    places = [f"{k.name}: {columns[k.name][k.position]}" for k in plan.key.positions]
    return f"partition key: {', '.join(places)}"


def odds_lines(source: Input) -> Iterator[str]:
    """Yields a line for each chance, and for each delay with shares."""
    for chance in source.odds.chances:
        once, again = _in_hundred(chance.once), _in_hundred(chance.again)
        often = f"{once} in 100 ticks after one without have one, {again} in 100 after one with"
        if once == again:
            often = f"{once} in 100 ticks have one, whether or not the tick before has"
        yield f"{_facts(source, chance.pattern)}: {often}"
    everything = (None,) * len(source.types)
    for pattern, shares in [
        (everything, source.odds.shares),
        *((each.pattern, each.shares) for each in source.refinements),
    ]:
        if shares is not None:
            late = ("in time", *(f"{ticks_text(ticks)} late" for ticks in range(1, len(shares))))
            parts = [f"{_in_hundred(share)} come {when}" for share, when in zip(shares, late, strict=True)]
            lost = 1 - sum(Fraction(str(share)) for share in shares)
            parts += [f"{_in_hundred(lost)} never come"] if lost > 0 else []
            yield f"{_facts(source, pattern)}: of 100 facts {', '.join(parts)}"


def _facts(source: Input, pattern: tuple[str | int | float | None, ...]) -> str:
    return call_text(source.name, ["_" if value is None else value_text(value) for value in (*pattern, None)])


def _in_hundred(probability: Fraction | float) -> str:
    return percentage_text(probability).removesuffix("%")


TITLE, TEXT, PATTERN, DETAIL = "title", "text", "pattern", "detail"
_WIDTH = 9  # the width of the column with `open`, `decided` and `memory`


@dataclass(frozen=True)
class Line:
    """A line with its role, its indentation, and the one of its continuation."""

    text: str
    role: str = TEXT
    indent: int = 0
    hanging: int = 0

    def __str__(self) -> str:
        return " " * self.indent + self.text


def explain(plan: Plan) -> str:
    return "\n".join(map(str, report(plan))) + "\n"


def plan_text(plan: Plan) -> str:
    """Returns the whole plan for a screen, on which no name of it is taken for a command."""
    return shown_lines(explain(plan))


def report(
    plan: Plan, rows: Mapping[str, int] | None = None, chances: Mapping[str, str] | None = None
) -> Iterator[Line]:
    """Yields the lines of a plan, with the `rows` of static relations and queries' `chances`, if known."""
    about = chances or {}
    for relation, query in zip(plan.queries, summaries(plan), strict=True):
        yield Line(f"query {query.query}", TITLE)
        more = [("chances", about[relation.name])] if relation.name in about else []
        for word, sentence in (*query.lines, *more):
            yield Line(f"{word:{_WIDTH}}{sentence}", TEXT, 2, 2 + _WIDTH)
        yield Line("")
    yield Line(f"work: {work_text(plan)}", hanging=2)
    yield Line("")
    yield from _section("Inputs and background", source_lines(plan, rows))
    yield Line("Patterns and bounds", TITLE)
    for relation in plan.relations:
        yield Line(relation_title(relation), TEXT, 2, 4)
        for pattern in relation.patterns[:_MOST]:
            fixed = answer_text(relation, pattern)
            yield Line(pattern.as_written + (f"   giving {fixed}" if fixed else ""), PATTERN, 4, 6)
            yield from (Line(line, DETAIL, 6, 8) for line in pattern_lines(pattern))
        if len(relation.patterns) > _MOST:
            left = len(relation.patterns) - _MOST
            yield Line(f"and {left:,} more; `--json` has them all", TEXT, 4)
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


_MOST = 12  # the most patterns of a relation to print


def plan_html(plan: Plan) -> Html:
    """Returns a row for each query, the division of work, and folded away a row for each relation."""
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
        patterns.append(text(tag("code", pattern.as_written), f" giving {fixed}" if fixed else "", known))
    title, bounds = tag("b", relation_title(relation)), lined(bounds_lines(plan, relation))
    return title, lined(patterns or ["never holds"]), bounds, text(str(relation.level.component))
