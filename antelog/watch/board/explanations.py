"""An explanation on the page: its literals as marks on a time line, and the rules behind it.

Temp(wt2, high, 7)          a mark at 7
not Shdn(wt2, 9)            a mark at 9, of a fact that must not come
Ack(a1, P, S) where S >= 4  a mark from 4 on: its tick is not known yet

rules_from(program, "Malf", {"Temp"})      the rules that lead from Temp to Malf, as they are written
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath

from msgspec import Struct

from antelog.engine.step.wording import LOST
from antelog.language.moments import Timescale, moment
from antelog.language.syntax import Rule, atoms_of
from antelog.lines import LineLiteral, awaited, literals_of
from antelog.program import Program
from antelog.watch.board.tracked_answer import Line, TrackedAnswer


class Mark(Struct, frozen=True):
    """A literal: its text, with times in place of ticks; its tick, if any; whether it is known.

    `literal` is there to write its ticks in another way.
    """

    text: str
    predicate: str
    tick: int | None
    known: bool
    negated: bool
    literal: LineLiteral


def marks(line: Line, timescale: Timescale | None, explanation: int = 0) -> list[Mark]:
    """The marks of an explanation of a line, the known ones first."""
    explanations = line.get("explanations") or []
    if explanation >= len(explanations):
        return []
    found = explanations[explanation]
    known = literals_of(found.get("evidence"))
    return [*_marks(known, timescale, known=True), *_marks(awaited(found), timescale, known=False)]


def span(marked: list[Mark], answer: TrackedAnswer, now: int) -> tuple[int, int]:
    """The first and the last tick on the time line of an answer."""
    ticks = [mark.tick for mark in marked if mark.tick is not None]
    ticks += [tick for mark in marked for tick in mark.literal.span or () if tick]
    ends = [] if answer.now.decided_by is None else [answer.now.decided_by]
    return min([*ticks, answer.since]), max([*ticks, *ends, now])


def failed(line: Line, timescale: Timescale | None) -> list[Mark]:
    """The marks of the hypotheses that became false, in the line of a rejected answer."""
    return _marks(literals_of(line.get("because")), timescale, known=False)


def unseen(line: Line, timescale: Timescale | None) -> list[Mark]:
    """The marks of the literals of a line that were lost from sight."""
    return _marks(literals_of(line.get(LOST)), timescale, known=False)


def _marks(literals: Iterable[LineLiteral], timescale: Timescale | None, *, known: bool) -> list[Mark]:
    written = partial(moment, timescale=timescale)
    return [
        Mark(each.text(written), each.predicate, each.tick, known, each.negated, each) for each in literals
    ]


# ---- rules ----


@dataclass(frozen=True)
class Reason:
    """A rule: its text, its file, and the line at which it begins."""

    text: str
    file: str
    line: int

    @property
    def file_name(self) -> str:
        """The name of its file, without the folder."""
        return PurePath(self.file).name


def rules_behind(program: Program, query: str, line: Line) -> list[Reason]:
    """The rules that lead from the literals of a line to the query, in the program's order."""
    found = range(len(line.get("explanations") or ()))
    return rules_from(program, query, {mark.predicate for at in found for mark in marks(line, None, at)})


def rules_from(program: Program, query: str, predicates: Collection[str]) -> list[Reason]:
    """The rules that lead from these predicates to the query, in the program's order."""
    rules = [rule for rule in program.document.rules if rule.body]
    plan = next((each for each in program.plan.queries if each.name == query), None)
    leading = _leading(rules, predicates)
    wanted, found = [plan.predicate if plan else query], []
    seen = set(wanted)
    while wanted:
        head = wanted.pop()
        for rule in rules:
            # Literals of the explanation itself are not followed further.
            if rule.head.predicate != head or not _rests(rule, leading):
                continue
            found.append(rule)
            below = {atom.predicate for atom, negated in atoms_of(rule) if not negated} - seen
            seen |= below
            wanted += [each for each in below if each in leading and each not in predicates]
    spans = sorted({rule.span.start: rule.span for rule in found}.items())
    files = ((span, *program.source.located(span)) for _, span in spans)
    return [
        Reason(program.source.excerpt(span), file.name, file.position(there.start)[0])
        for span, file, there in files
    ]


def _leading(rules: list[Rule], predicates: Collection[str]) -> set[str]:
    """These predicates and all that depend on them."""
    leading, before = set(predicates), -1
    while len(leading) != before:
        before = len(leading)
        leading |= {rule.head.predicate for rule in rules if _rests(rule, leading)}
    return leading


def _rests(rule: Rule, on: Collection[str]) -> bool:
    return any(atom.predicate in on for atom, _ in atoms_of(rule))
