"""antelog/compile/literals: what each kind of literal says of itself."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from antelog.compile import literals
from antelog.compile.literals import (
    Aggregation,
    AnyLiteral,
    Atom,
    Call,
    Comparison,
    Last,
    Negation,
    StaticAtom,
)
from antelog.compile.literals.aggregate import Aggregate, Inside
from antelog.compile.literals.atoms import Slot
from antelog.compile.literals.literal import Value
from antelog.compile.literals.terms import Const, Inner, Replacement, Sum, Term, Time, Var

A = Atom("A", (Var("X"), Const(3)), Time("T", 1))
NOT_B = Negation("B", (Var("X"), None), Time("T", 0), Time("T", 0), True, "B(x, _, time)")
NOT_B_TILL = Negation("B", (Var("X"), None), Time("T", 0), Time("T", 2), False, "B(x, _, time)")
LAST_B = Last(
    *("B", (Var("X"), Const(3)), Time("T", -5), Time("T", 0), False),
    *(Slot((0,), (0,), False, "B(x, _, time)"), "B(x, y, time)"),
)
INSIDE = Inside(
    *("B", (Var("X"), Inner("N")), Time("T", -9), Time("T", 0), False),
    *((Comparison(Inner("N"), ">=", Const(0)),), "B(x, y, time)"),
)
MUCH = Aggregation(Aggregate("sum", False, Inner("N"), INSIDE), ">", Var("V"))
ROOM, NOT_SHUT = StaticAtom("Room", (Var("X"), None)), StaticAtom("Shut", (Var("X"),), negated=True)
SMALL, NOT_SMALL = (Call("small", (Var("V"),), negated=each) for each in (False, True))
MORE = Comparison(Var("W"), ">=", Sum("V", 0.5))
EACH = (A, NOT_B, NOT_B_TILL, LAST_B, MUCH, ROOM, NOT_SHUT, NOT_SMALL, MORE)


class _Called(Replacement):
    def term(self, term: Term) -> Term:
        return Var(term.name + "2") if isinstance(term, Var) else term


def test_the_examples_show_every_kind() -> None:
    assert set(map(type, EACH)) == set(literals.KINDS)


@pytest.mark.parametrize(
    ("literal", "text", "variables", "binds"),
    [
        (A, "A(X, 3, T+1)", {"X", "T"}, {"X", "T"}),
        (NOT_B, "not B(X, _, T)", {"X", "T"}, set()),
        (NOT_B_TILL, "not B(X, _, T..T+2)", {"X", "T"}, set()),
        (LAST_B, "last B(X, 3, T-5..T) per X", {"X", "T"}, set()),
        (MUCH, "sum(N : B(X, N, T-9..T), N >= 0) > V", {"X", "V", "T"}, set()),
        (ROOM, "Room(X, _)", {"X"}, {"X"}),
        (NOT_SHUT, "not Shut(X)", {"X"}, set()),
        (NOT_SMALL, "not small(V)", {"V"}, set()),
        (MORE, "W >= V+0.5", {"W", "V"}, set()),
    ],
)
def test_text_and_variables(literal: AnyLiteral, text: str, variables: set[str], binds: set[str]) -> None:
    assert literal.text == text
    assert (set(literal.variables), set(literal.binds)) == (variables, binds)


@pytest.mark.parametrize("literal", EACH)
def test_a_replaced_literal_has_the_same_key_and_other_variables(literal: AnyLiteral) -> None:
    new = literal.replaced(_Called())
    assert (type(new), new.key, len(new.operands)) == (type(literal), literal.key, len(literal.operands))
    objects = {operand.name for operand in literal.operands if isinstance(operand, Var)}
    assert {f"{name}2" for name in objects} <= new.variables


class _World:
    """A room b that is shut, and a function that is true of numbers below 2."""

    def exists(self, predicate: str, values: tuple[Value | None, ...], /) -> bool:
        return (predicate, values) == ("Shut", ("b",))

    def called(self, _function: str, arguments: Sequence[Value], /) -> Value | bool | None:
        (value,) = arguments
        return None if isinstance(value, str) else value < 2


def test_conditions_hold_of_values() -> None:
    world = _World()
    values: dict[str, Value] = {"X": "a", "W": 2, "V": 1}
    assert NOT_SHUT.holds(values, world)
    assert not NOT_SHUT.holds({"X": "b"}, world)
    assert MORE.holds(values, world)
    assert not MORE.holds({"W": 1, "V": 1}, world)
    # Of a function that says nothing neither the condition nor its negation holds.
    held = [(SMALL.holds({"V": v}, world), NOT_SMALL.holds({"V": v}, world)) for v in (1, 2, "a")]
    assert held == [(True, False), (False, True), (False, False)]
