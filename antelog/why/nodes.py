"""The nodes of an explanation: a rule in a row, and each literal of it with its status and the reason.

Temp(wt2, high, 2), failed: it may come until tick 4 at the latest; Temp(wt2, low, 2) came instead
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from antelog.compile.literals import AnyLiteral, Atom, Comparison, StaticAtom
from antelog.compile.literals.absence import Absence
from antelog.compile.literals.aggregate import Aggregate, Aggregation, open_name
from antelog.compile.literals.last import Last
from antelog.compile.literals.literal import Condition, Literal
from antelog.compile.literals.negation import Negation
from antelog.compile.literals.terms import (
    Const,
    Inner,
    Operand,
    Part,
    Time,
    Var,
    text_of,
    variable_in,
    variables_in,
)
from antelog.diagnostics import Span
from antelog.engine.columns.joins import TooLargeError
from antelog.engine.columns.tables import Column, Mask, marked
from antelog.engine.step.atoms import derived, truth
from antelog.engine.step.derivations import Atoms, atoms_of
from antelog.engine.step.members import AskedAtoms, Candidates, candidates
from antelog.engine.step.rows import Rows, cells_of, passing
from antelog.engine.values.values import UNBOUND
from antelog.language.printer import to_text, value_text
from antelog.language.syntax import Value
from antelog.lines import amount_text
from antelog.why.evidence import FactSearch, background_facts, fact_line, instead, latest_line
from antelog.why.grounds import Grounds
from antelog.why.rows import FALSE, OPEN, TRUE, LiteralTruth, RankedRow, value_of
from antelog.why.tree import AtomNode, FactLine, LiteralNode, RuleNode, Sentence
from antelog.why.ways import RuleUse, WrittenLiteral

_MOST_TICKS = 100_000
"""The ticks of a range that are looked at one by one."""

Explain = Callable[[Atom, int], AtomNode]
"""Explains an atom, so many levels down."""


@dataclass(frozen=True)
class NodeMaker:
    """Makes the nodes of rows; `depth` is how many levels are shown, and `status` that of a derived atom."""

    grounds: Grounds
    depth: int
    explain: Explain
    status: Callable[[Atom], str]

    def rule(self, use: RuleUse, row: RankedRow, level: int) -> RuleNode:
        """A rule with the values of a row."""
        literals = tuple(
            self._literal(each, use.below.get(place), row, level) for place, each in enumerate(use.rule.body)
        )
        source = self.grounds.program.source.source
        head = literal_text(use.rule.head.replaced(row.values))
        status = together([each.status for each in literals])
        return RuleNode(
            " ".join(source.excerpt(use.rule.source.span).split()),
            location(self.grounds, use.rule.source.span),
            head,
            status,
            literals,
        )

    def _literal(
        self, literal: WrittenLiteral, below: RuleUse | None, row: RankedRow, level: int
    ) -> LiteralNode:
        as_written = to_text(literal.source)
        if below is not None:
            goal = literal.goal
            assert goal is not None
            made = self._best(goal.replaced(row.values), self.rule(below, row, level + 1), level)
            rest = [row.truth(part).status for part in literal.parts if not isinstance(part, Atom)]
            text = literal_text(goal.replaced(row.values))
            node = LiteralNode(text, as_written, together([made.status, *rest]), below=made)
            return node if level + 1 < self.depth else replace(node, below=None, hidden=made.size)
        main, *others = literal.parts
        node = self._leaf(main, row, level)
        for each in others:
            found = row.truth(each)
            if found.status == FALSE:
                node = replace(node, status=FALSE, reason=_compared(each, row))
            elif found.status == OPEN and node.status == TRUE:
                node = replace(node, status=OPEN)
        if isinstance(main, Atom) and others and main.replaced(row.values).time.variable is not None:
            node = replace(node, text=_ranged(main, others, row))
        node = replace(node, text=node.text or as_written, written=as_written)
        return replace(node, reason=()) if node.reason == (node.text,) else node

    def _best(self, goal: Atom, made: RuleNode, level: int) -> RuleNode:
        """The rule for an atom or, if that does not decide it, the one that does.

        Within a window an atom may be something else than by itself.
        """
        framed = any(self.grounds.program.frames.values())
        if made.status == TRUE or framed or goal.variables or made.status == self.status(goal):
            return made
        return next(iter(self.explain(goal, level + 1).rules), made)

    def _leaf(self, literal: AnyLiteral, row: RankedRow, level: int) -> LiteralNode:
        found = row.truth(literal)
        filled = literal.replaced(row.values)
        node = LiteralNode(literal_text(filled), "", found.status)
        match filled:
            case Atom():
                return self._fact(node, filled, found, row)
            case Negation() | Absence():
                return self._negation(node, filled, found, level)
            case Aggregation():
                assert isinstance(literal, Aggregation)
                return self._aggregation(node, literal, found, row)
            case Last():
                return self._last(node, filled, found)
            case StaticAtom():
                there = found.status == TRUE and not filled.negated
                facts = background_facts(self.grounds, filled)[:1] if there else ()
                return replace(node, reason=self._background(filled, found), facts=facts)
            case _:
                return replace(node, text="", reason=_compared(literal, row))

    # ---- kinds ----

    def _fact(self, node: LiteralNode, atom: Atom, found: LiteralTruth, row: RankedRow) -> LiteralNode:
        conditions = _open_conditions(atom, row)
        where = f" where {', '.join(map(literal_text, conditions))}" if conditions else ""
        node = replace(node, text=node.text + where)
        if found.status == TRUE:
            return replace(node, facts=FactSearch.of(self.grounds, atom).lines(1))
        if found.status == OPEN:
            until = ("not there yet",) if found.until is None else ("may come until ", found.until)
            return replace(node, reason=until)
        tick = row.way.pattern.time.offset
        return replace(
            node, reason=self._gone(atom, found), facts=instead(self.grounds, atom, conditions, tick)
        )

    def _gone(self, atom: Atom, found: LiteralTruth) -> Sentence:
        """The reason why a fact can come no more."""
        kept = self.grounds.kept.get(atom.predicate, 0)
        if atom.time.variable is None and atom.time.offset < kept:
            return ("the engine no longer has facts about ", atom.time.offset)
        if found.since is not None and found.since >= 0:
            return ("no such fact came; certain since ", found.since)
        return ("no such fact can be",)

    def _negation(
        self, node: LiteralNode, literal: Negation | Absence, found: LiteralTruth, level: int
    ) -> LiteralNode:
        is_fact = literal.predicate in self.grounds.rules.inputs
        if found.status == TRUE:
            what = "no such fact" if is_fact else "it is not so"
            since = (
                (f"{what}",)
                if found.since is None or found.since < 0
                else (f"{what}, certain since ", found.since)
            )
            return replace(node, reason=since)
        if variables_in(literal.operands):
            return replace(node, reason=("waits until its variables have values",))
        if found.status == OPEN:
            what = "no such fact yet; one could come" if is_fact else "not so yet; it could become so"
            return replace(node, reason=(what,) if found.until is None else (f"{what} until ", found.until))
        first, last = (
            (literal.time, literal.time) if isinstance(literal, Negation) else (literal.first, literal.last)
        )
        if is_fact:
            search = FactSearch(
                self.grounds, literal.predicate, literal.arguments, max(0, first.offset), last.offset
            )
            lines = search.lines()
            return replace(
                node, reason=("there is such a fact",), facts=lines, more=search.facts.count - len(lines)
            )
        return self._denied(node, literal, range(max(0, first.offset), last.offset + 1), level)

    def _denied(
        self, node: LiteralNode, literal: Negation | Absence, ticks: range, level: int
    ) -> LiteralNode:
        """A negation that fails, as the atom that it denies is true."""
        tick = self._true_tick(literal, ticks)
        node = replace(node, reason=("it is so",))
        if tick is None:
            return node
        terms = tuple(Var(f"_{i}") if each is None else each for i, each in enumerate(literal.arguments))
        why = self.explain(Atom(literal.predicate, terms, Time(None, tick)), level + 1)
        if level + 1 >= self.depth:
            return replace(node, hidden=sum(each.size for each in why.rules))
        return replace(node, below=why)

    def _true_tick(self, literal: Negation | Absence, ticks: range) -> int | None:
        """The first tick of a range at which an atom is true."""
        (reference,) = literal.references
        if len(ticks) - 1 > _MOST_TICKS or reference.name not in self.grounds.rules.relations:
            return None
        each: Column = np.arange(ticks.start, ticks.stop, dtype=np.int64)
        values = self.grounds.known.values
        cells = tuple(
            np.full(len(each), values.cell(term.value)) for term in reference.given if isinstance(term, Const)
        )
        found = truth(self.grounds.known, Atoms(reference.name, cells, each)).true_at
        at = np.flatnonzero(self.grounds.is_so(found))
        return int(each[at[0]]) if len(at) else None

    def _aggregation(
        self, node: LiteralNode, literal: Aggregation, found: LiteralTruth, row: RankedRow
    ) -> LiteralNode:
        if not literal.needs <= row.rows.found.rows.bound.keys():
            return replace(node, reason=("waits until its variables have values",))
        value = amount_text(so_far(row, literal))
        facts, more = contributing(row, literal)
        reason: Sentence = (f"comes to {value}",)
        if found.status == OPEN:
            reason = (f"comes to {value} so far",)
            if found.until is not None:
                reason = (f"comes to {value} so far; decided by ", found.until)
        return replace(node, reason=reason, facts=tuple(facts), more=more)

    def _last(self, node: LiteralNode, literal: Last, found: LiteralTruth) -> LiteralNode:
        if variables_in((*literal.named, literal.first, literal.last)):
            return replace(node, reason=("waits until its variables have values",))
        lines: tuple[FactLine, ...] = ()
        if literal.predicate in self.grounds.rules.inputs:
            given = dict(zip(literal.slot.places, literal.named, strict=True))
            line = latest_line(
                self.grounds, literal.predicate, given, literal.first.offset, literal.last.offset
            )
            lines = () if line is None else (line,)
        reason: Sentence = ("the latest one is this",) if lines else ("there is none",)
        if found.status == OPEN and found.until is not None:
            reason = (
                f"{'the latest one so far is this' if lines else 'there is none yet'}; decided by ",
                found.until,
            )
        return replace(node, reason=reason, facts=lines)

    def _background(self, literal: StaticAtom, found: LiteralTruth) -> Sentence:
        if found.status == OPEN:
            return ("waits until its variables have values",)
        there = (found.status == TRUE) ^ literal.negated
        return ("in the background",) if there else ("not in the background",)


# ---- texts ----


def together(statuses: Sequence[str]) -> str:
    """The status of literals together: failed if one is, else awaited if one is."""
    return FALSE if FALSE in statuses else OPEN if OPEN in statuses else TRUE


def location(grounds: Grounds, span: Span) -> str:
    """File and line of a rule."""
    source = grounds.program.source.source
    file, own = source.located(span)
    return f"{file.name}:{file.position(own.start)[0]}"


def literal_text(literal: Literal) -> str:
    """The text of a literal; variables without a name are `_`."""
    return text_of("_" if _is_unnamed(part) else part for part in literal.parts)


def _is_unnamed(part: Part) -> bool:
    return not isinstance(part, str) and (variable_in(part) or "").startswith("_")


def _compared(literal: AnyLiteral, row: RankedRow) -> Sentence:
    """A comparison with the values of both sides, as far as they are known."""
    filled = literal.replaced(row.values)
    if not isinstance(literal, Comparison) or not isinstance(filled, Comparison):
        return (literal_text(filled),)
    sides = [_side(own, put_in, row) for own, put_in in zip(literal.operands, filled.operands, strict=True)]
    if all(isinstance(each, str) for each in sides):
        return (f"{sides[0]} {literal.operator} {sides[1]}",)
    return (sides[0], f" {literal.operator} ", sides[1])


def _side(operand: Operand, filled: Operand, row: RankedRow) -> str | int:
    """A side of a comparison: its value, a tick, or what is known of it."""
    if isinstance(filled, Time) and filled.variable is None:
        return filled.offset
    bound = row.single.bound
    if isinstance(filled, Time) or not variables_in([operand]) <= bound.keys():
        return text_of([filled])
    values = row.rows.grounds.known.values
    cell = int(cells_of(operand, bound, values)[0])
    return "nothing" if cell == UNBOUND else _short(value_of(cell, values))


def _short(value: Value) -> str:
    """A value as it is shown; of numbers three decimals."""
    return value_text(value) if isinstance(value, str) else amount_text(value)


def _open_conditions(atom: Atom, row: RankedRow) -> list[Condition]:
    """The conditions that the open variables of an atom, and no others, have to meet."""
    open_ = atom.variables
    found = (each.replaced(row.values) for each in row.rows.prepared.pattern.tests)
    own = ((each, variables_in(each.operands)) for each in found)
    return sorted((each for each, names in own if names and names <= open_), key=literal_text)


def _ranged(atom: Atom, bounds: Sequence[AnyLiteral], row: RankedRow) -> str:
    """The text of an atom whose range has no tick chosen yet."""
    first, last = bounds
    assert isinstance(first, Comparison)
    assert isinstance(last, Comparison)
    ends = [text_of([side]) for side in (first.replaced(row.values).left, last.replaced(row.values).right)]
    arguments = [
        "_" if _is_unnamed(each) else text_of([each]) for each in atom.replaced(row.values).arguments
    ]
    return f"{atom.predicate}({', '.join([*arguments, '..'.join(ends)])})"


# ---- aggregates ----


_LISTED = 5


def so_far(row: RankedRow, literal: Aggregation) -> float | None:
    """The value of the left aggregate at the tick; None: it has none."""
    number = row.rows.stated.index(literal)
    for line in row.rows.found.progress:
        if line.literal == number:
            at = min(row.rows.grounds.at, 2**53)
            return line.values(np.array([row.at]), np.array([at])).value(0)
    return None


def contributing(row: RankedRow, literal: Aggregation) -> tuple[list[FactLine], int]:
    """The first of the atoms that the aggregates come from, and how many more there are."""
    lines = [line for each in literal.aggregates for line in _members(row, each)]
    lines = list(dict.fromkeys(lines))
    return lines[:_LISTED], max(0, len(lines) - _LISTED)


def _members(row: RankedRow, aggregate: Aggregate) -> Iterator[FactLine]:
    grounds, single = row.rows.grounds, row.single
    known = grounds.known
    reference = aggregate.inside.reference
    if reference.name in known.rules.cycles or not aggregate_bound(aggregate, single):
        return
    try:
        asked = AskedAtoms.of(known, aggregate, atoms_of(reference, single, known.values))
        found = candidates(asked, derived(known, asked.atoms) if asked.atoms.count else [], known.values)
    except TooLargeError:
        return
    fits = _fitting(row, aggregate, found, single)
    order = fits[np.argsort(found.time.take(fits), kind="stable")]
    for at in order[: _LISTED * 20].tolist():
        cells = [int(column[at]) for column in found.cells]
        yield _line(row, aggregate, cells, int(found.time[at]))


def aggregate_bound(aggregate: Aggregate, rows: Rows) -> bool:
    """Whether the rows have values for all that an aggregate asks for."""
    inside = aggregate.inside
    names = {each.name for each in inside.given if each is not None and not isinstance(each, Const | Inner)}
    names |= {time.variable for time in (inside.first, inside.last) if time.variable is not None}
    return names <= rows.bound.keys()


def _fitting(row: RankedRow, aggregate: Aggregate, found: Candidates, single: Rows) -> Column:
    """The candidates that are members at the tick."""
    known, count = row.rows.grounds.known, len(found.owner)
    fits: Mask = row.rows.grounds.is_so(found.true_at)
    bound: dict[str, Column] = {name: np.repeat(column, count) for name, column in single.bound.items()}
    for term, cells in zip(aggregate.inside.arguments, found.cells, strict=True):
        if isinstance(term, Inner):
            fits = fits & (bound.setdefault(open_name(term), cells) == cells)
    return marked(fits & passing(aggregate.inside.opened, bound, count, known.values))


def _line(row: RankedRow, aggregate: Aggregate, cells: list[int], tick: int) -> FactLine:
    grounds, predicate = row.rows.grounds, aggregate.inside.predicate
    values = [value_of(cell, grounds.known.values) for cell in cells]
    if predicate in grounds.rules.inputs:
        search = FactSearch(grounds, predicate, [Const(each) for each in values], tick, tick)
        if search.facts.count:
            return fact_line(grounds, predicate, search.facts.take(np.array([0])))
    return FactLine(f"{predicate}({', '.join([*map(value_text, values), str(tick)])})")
