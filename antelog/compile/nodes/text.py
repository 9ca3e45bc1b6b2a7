"""How the parts of a pattern read.

In comes a term, a literal, a comparison or a pattern, out goes its text in the words of the rules.
Messages about a program, the plan that is shown, and the lines of the log all say it this way.

    Atom("Temp", (Var("D"), Const("high")), Time("T", 1))     Temp(D, high, T+1)
"""

from __future__ import annotations

from collections.abc import Iterable

from antelog.compile.nodes.patterns import (
    Atom,
    Comparison,
    Literal,
    Operand,
    Pattern,
    StaticAtom,
    Sum,
    Term,
    Time,
    Var,
)
from antelog.language.printer import value_text


def time_text(time: Time) -> str:
    if time.variable is None:
        return str(time.offset)
    return time.variable + (f"{time.offset:+d}" if time.offset else "")


def term_text(term: Term | None) -> str:
    if term is None:
        return "_"
    return term.name if isinstance(term, Var) else value_text(term.value)


def operand_text(operand: Operand) -> str:
    if isinstance(operand, Time):
        return time_text(operand)
    if isinstance(operand, Sum):
        sign = "+" if operand.offset >= 0 else "-"
        return f"{operand.variable}{sign}{value_text(abs(operand.offset))}"
    return term_text(operand)


def call_text(predicate: str, parts: Iterable[str]) -> str:
    return f"{predicate}({', '.join(parts)})"


def literal_text(literal: Literal) -> str:
    call = call_text(literal.predicate, [*map(term_text, literal.arguments), time_text(literal.time)])
    return call if isinstance(literal, Atom) else f"not {call}"


def static_text(atom: StaticAtom) -> str:
    return ("not " if atom.negated else "") + call_text(atom.predicate, map(term_text, atom.arguments))


def comparison_text(comparison: Comparison) -> str:
    return f"{operand_text(comparison.left)} {comparison.operator} {operand_text(comparison.right)}"


def pattern_text(pattern: Pattern) -> str:
    """A pattern as a conjunction; first ticks are shown where they are not plain to see."""
    times = [pattern.time, *(literal.time for literal in pattern.literals)]
    shown = {t.variable: min((o.offset for o in times if o.variable == t.variable), default=0) for t in times}
    parts = [static_text(s) for s in pattern.statics if not s.negated]
    parts += [literal_text(literal) for literal in pattern.literals]
    parts += [static_text(s) for s in pattern.statics if s.negated]
    parts += [comparison_text(c) for c in pattern.comparisons]
    parts += [
        f"{e.variable} >= {e.tick}" for e in pattern.earliest if e.tick > max(0, -shown.get(e.variable, 0))
    ]
    return ", ".join(parts) or "always"


def later(name: str, ticks: int) -> str:
    return time_text(Time(name, ticks))
