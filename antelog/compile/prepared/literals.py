"""What names values for an unguarded variable."""

from __future__ import annotations

from dataclasses import dataclass

from antelog.compile.literals.background import StaticAtom
from antelog.compile.literals.fact import FactLiteral
from antelog.compile.literals.literal import Reach
from antelog.compile.naming.sources import Names
from antelog.compile.naming.terms import Tests


@dataclass(frozen=True)
class Naming:
    """What names values for an unguarded variable: facts, background, and constants of the rules.

    Each comes with the tests that have to hold of the answer for that.
    """

    variable: str
    facts: tuple[tuple[FactLiteral, Tests], ...]
    background: tuple[tuple[StaticAtom, Tests], ...]
    constants: tuple[tuple[str | int | float, Tests], ...]


def naming_of(found: Names) -> Naming:
    facts = []
    for source in found.facts:
        (reference,) = source.atom.references
        literal = FactLiteral.of(
            source.atom, source.tests, None, Reach(reference, source.behind, source.ahead)
        )
        facts.append((literal, tuple(test for test in source.tests if test not in literal.tests)))
    return Naming(found.variable, tuple(facts), found.background, found.constants)
