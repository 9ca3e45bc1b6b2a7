"""Missed incidents: in a line for each, the answer that came nearest within its lead, and the lack.

Fail(wt3, 18:10) is not there, and cannot come any more since 18:20: there was Hot(wt3, 18:10); there lacked
Hot(wt3, 18:20) (84.2 >= 85)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.engine.facts.frames import Frame
from antelog.incidents.backtest import BacktestResult
from antelog.language import syntax
from antelog.language.moments import Timescale
from antelog.language.printer import to_text
from antelog.program import Program
from antelog.run.replay import RecordedRows
from antelog.why import WhyAnswer, explained
from antelog.why.tree import FALSE, TRUE, LiteralNode, RuleNode, atom_text, sentence_text

MOST_EXPLAINED = 20  # incidents; each is looked for in the facts of its key
_LOOKS = 8  # the ticks within a lead at which answers are looked for


def with_reasons(
    found: BacktestResult, program: Program, recorded: RecordedRows, static: Mapping[str, Frame]
) -> BacktestResult:
    """The result with what there was of the incidents that were missed."""
    incidents, why = found.listed.incidents, dict[int, str]()
    asked = {each.name: each.atom for each in program.document.queries}
    for number in found.missed[:MOST_EXPLAINED].tolist():
        key, at = found.key(int(incidents.key[number])), int(incidents.begin[number])
        grounds = _of_key(found, recorded, key).grounds(program, static, at)
        ticks = np.linspace(max(at - found.asked.lead.most, 0), at, _LOOKS).astype(int)
        answers = (
            explained(grounds, _atom(found, asked[name], key, tick))
            for tick in np.unique(ticks)[::-1].tolist()
            for name in found.asked.queries
        )
        why[number] = _line(min(answers, key=lambda each: _nearest(each)[0]), found.plan.timescale)
    return replace(found, why=why)


def _of_key(found: BacktestResult, recorded: RecordedRows, key: str | None) -> RecordedRows:
    """The rows of a key: those of others say nothing of it."""
    at = {each.name: each.position for each in found.plan.key.positions} if found.plan.key else {}
    if key is None or found.listed.key is None or found.listed.key.places != at:
        return recorded
    rows = {
        name: each.filter(pc.equal(pc.cast(each.column(at[name]), pa.string()), key)) if name in at else each
        for name, each in recorded.rows.items()
    }
    return replace(recorded, rows={name: each for name, each in rows.items() if each.num_rows})


def _atom(found: BacktestResult, atom: syntax.Atom, key: str | None, at: int) -> str:
    """The atom of a query about a key and a tick; what else varies is open."""
    terms = list(atom.terms)
    listed, own = found.listed.key, found.plan.relation(atom.predicate).answer
    if key is not None and listed is not None and atom.predicate in listed.places:
        variable = syntax.Variable(own.variables[listed.places[atom.predicate]])
        value = syntax.Constant(float(key) if listed.type == "number" else key)
        terms = [value if each == variable else each for each in terms]
    if isinstance(terms[-1], syntax.Variable):
        terms[-1] = syntax.Constant(at)
    return to_text(syntax.Atom(atom.predicate, tuple(terms)))


# ---- in a line ----


def _nearest(answer: WhyAnswer) -> tuple[int, RuleNode | None]:
    """The rule that lacks fewest literals, and how many; very many if there is none."""
    lacking = ((sum(each.status != TRUE for each in rule.literals), rule) for rule in answer.rules)
    return min(lacking, key=lambda each: each[0], default=(10_000, None))


def _line(answer: WhyAnswer, scale: Timescale | None) -> str:
    said = f"{atom_text(answer.atom, scale, answer.times)} {sentence_text(answer.summary, scale)}"
    _, rule = _nearest(answer)
    if rule is None:
        return said
    there = [atom_text(each.text, scale) for each in rule.literals if each.status == TRUE]
    lacked = [_lack(each, scale) for each in rule.literals if each.status != TRUE]
    parts = [f"there was {', '.join(there)}"] if there else []
    parts += [f"there lacked {', '.join(lacked)}"] if lacked else []
    return f"{said}: {'; '.join(parts)}" if parts else said


def _lack(literal: LiteralNode, scale: Timescale | None) -> str:
    """A literal that lacks, with the one furthest below that is false."""
    deepest = next(_false_below(literal), literal)
    why = sentence_text(deepest.reason, scale) if deepest.status == FALSE else ""
    if not why and deepest is not literal:
        why = atom_text(deepest.text, scale)
    text = atom_text(literal.text, scale)
    return f"{text} ({why})" if why else text


def _false_below(literal: LiteralNode) -> Iterator[LiteralNode]:
    below = literal.below
    rules = (below,) if isinstance(below, RuleNode) else () if below is None else below.rules
    for rule in rules:
        for each in rule.literals:
            if each.status == FALSE:
                yield from _false_below(each)
                yield each
