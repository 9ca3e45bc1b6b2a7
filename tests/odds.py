"""Random declarations of how likely facts are: chances, shares of delays, alerts.

`with_odds` adds them to any program. None of them may change an answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import assume
from hypothesis import strategies as st

from antelog.diagnostics import Source
from antelog.language import read, syntax
from antelog.language.printer import to_text
from antelog.language.syntax import Anonymous, Constant, Percentage
from antelog.language.vocabulary import Kind, Predicate, Type
from tests.strategies import NUMBERS, TEXTS

_PERCENTAGES = (5, 12.5, 20, 33.3, 40)
_SHARES = {
    1: ((100,), (90,), (60.5,), (0,)),
    2: ((50, 50), (70, 20), (0, 100), (80, 20)),
    3: ((70, 20, 10), (33.3, 33.3, 33.4), (50, 0, 30), (10, 20, 70)),
}


@st.composite
def with_odds(draw: st.DrawFn, text: str, every: bool = False) -> str:
    """The program with declarations; with `every`, all inputs have a chance and all delays have shares."""
    checked = read(Source(text))
    statements = [_declared(draw, statement, every) for statement in checked.document.statements]
    for predicate in checked.vocabulary.predicates.values():
        if predicate.kind is Kind.INPUT:
            statements += _chances(draw, predicate, every)
    found = to_text(syntax.Document(tuple(statements)))
    assume(read(Source(found)).ok)
    return found


def _declared(draw: st.DrawFn, statement: syntax.Statement, every: bool) -> syntax.Statement:
    """A statement with shares, or with an alert."""
    if isinstance(statement, syntax.Query) and draw(st.booleans()):
        return replace(statement, alert=Percentage(draw(st.sampled_from([1, 50, 99.9, 100]))))
    if not isinstance(statement, syntax.Input | syntax.Delay) or not (every or draw(st.booleans())):
        return statement
    if isinstance(statement, syntax.Input):
        bound = statement.delay or syntax.Bound(0)
        return replace(statement, delay=bound, shares=_shares(draw, bound))
    return replace(statement, shares=_shares(draw, statement.bound))


def _shares(draw: st.DrawFn, bound: syntax.Bound) -> tuple[Percentage, ...]:
    return tuple(map(Percentage, draw(st.sampled_from(_SHARES[int(bound.amount) + 1]))))


def _chances(draw: st.DrawFn, predicate: Predicate, every: bool) -> Iterator[syntax.Chance]:
    """Chances of an input, of which no two fit a fact equally well and differ."""
    objects = range(predicate.arity - 1)
    patterns: list[tuple[syntax.Value | None, ...]] = []
    if every or draw(st.booleans()):
        patterns.append((None,) * len(objects))
    if objects:
        column = draw(st.sampled_from(objects))
        values = draw(st.lists(_values(predicate, column), max_size=2, unique=True))
        patterns += [tuple(value if i == column else None for i in objects) for value in values]
    for pattern in patterns:
        cells = tuple(Anonymous() if value is None else Constant(value) for value in (*pattern, None))
        once, again = (Percentage(draw(st.sampled_from(_PERCENTAGES))) for _ in range(2))
        yield syntax.Chance(predicate.name, cells, once, again if draw(st.booleans()) else None)


def _values(predicate: Predicate, column: int) -> st.SearchStrategy[syntax.Value]:
    return st.sampled_from(NUMBERS if predicate.types[column] is Type.NUMBER else TEXTS)
