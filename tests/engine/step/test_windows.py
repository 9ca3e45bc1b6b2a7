"""antelog/engine/step/windows.py: random rules that count, add up and look for facts in ranges of ticks."""

from __future__ import annotations

from random import Random

import pytest

from antelog.compile.passes import compile_program
from antelog.engine.step import atoms, derivations
from tests.engine.replay import follow, run, runnable
from tests.random_literals import CALCULATED
from tests.specification import evaluate
from tests.specification.helpers import stream_of
from tests.strategies import Case

_RANGES = ("T..T+1", "T-2..T", "T-3..T-1", "T+1..T+3", "T-1..T+2", "T-6..T", "T..T+5", "T", "T+2")
_OPERATORS = (">=", ">=", ">", "<", "<=", "=", "!=")
_ATOMS = (
    "R(X, {N}, {at})",
    "R(X, {N}, {at})",
    "R(_, {N}, {at})",
    "H(X, {at})",
    "H(_, {at})",
    "G(X, {N}, {at})",
)
_CONDITIONS = ("", "", ", N >= 0", ", N > 2", ", N < 4")


def _literal(random: Random) -> str:
    at, kind = random.choice(_RANGES), random.randrange(6)
    atom = random.choice(_ATOMS)
    if kind == 0 and ".." in at:
        return "not " + atom.format(N="_", at=at)
    value, condition, takes = "_", "", ""
    function = random.choice(("count", "count", "sum", "avg", "max", "min", "distinct"))
    if function != "count" or (random.randrange(3) == 0 and "{N}" in atom):
        atom = atom if "{N}" in atom else _ATOMS[0]
        value, condition = "N", random.choice(_CONDITIONS)
        takes = "" if function == "count" else "distinct N : " if function == "distinct" else "N : "
    name = "count" if function == "distinct" else function
    text = random.choice(CALCULATED).format(f"{name}({takes}{atom.format(N=value, at=at)}{condition})")
    if random.randrange(3) == 0:
        others = ("avg(M : R(X, M, T-6..T))", "count(R(X, _, T..T+2))", "max(M : R(X, M, T-3..T+1))")
        other = random.choice((*others, "sum(M : R(X, M, T-4..T), M >= 0)", "min(M : R(_, M, T-1..T))"))
        return f"{text} {random.choice(_OPERATORS)} {random.choice(CALCULATED).format(other)}"
    other = random.choice(("0", "1", "2", "2", "3", "5", "6", "2.5", "V", "V"))
    return f"{text} {random.choice(_OPERATORS)} {other}"


def _program(random: Random) -> str:
    slot = random.choice(("", "", ", one per device"))
    delay = random.choice((0, 1, 2, 3))
    more = random.choice(("", "", " delay R(a, _, _) = 3."))
    literals = ", ".join(_literal(random) for _ in range(random.choice((1, 1, 2))))
    base = random.choice(("R(X, V, T)", "R(X, V, T)", "S(X, V, T)"))
    return (
        f"input R(device: text, v: number, time) delay {delay}{slot}.{more} "
        "input S(x: text, v: number, time) delay 1. "
        "H(X, T) :- R(X, V, T), V > 2. G(X, V, T) :- R(X, V, T), V != 1. "
        f"P(X, V, T) :- {base}, {literals}. query P(X, V, T)."
    )


def _facts(random: Random) -> tuple[tuple[str, tuple[str | float, ...], int], ...]:
    found, numbers = [], random.choice(((0, 1, 2, 3, 4, 5, -1), (0.5, 0.1, 2.7, 4.25, -1.5)))
    for _ in range(random.randrange(3, 14)):
        time = random.randrange(8)
        row = (random.choice("abb"), random.choice(numbers), time)
        found.append((random.choice("RRS"), row, max(0, time + random.choice((0, 0, 1, 1, 2, 3, -1)))))
    return tuple(found)


@pytest.mark.parametrize("seed", range(60))
def test_the_lines_are_those_of_the_specification(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed % 2:  # in parts, of which only the last is recalled
        monkeypatch.setattr(atoms, "_AT_ONCE", 2)
        monkeypatch.setattr(derivations, "_RECALLED", 5)
    random = Random(seed)
    case = Case(_program(random), _facts(random), 14)
    compiled = runnable(case.checked)
    assert compiled is not None, compile_program(case.checked).diagnostics
    follow(case, compiled, evaluate(case.checked, stream_of(case.facts), case.until))
    step_by_step = run(case, compiled, range(case.until + 1))
    whole = run(case, compiled, [case.until])
    assert sorted(map(repr, whole)) == sorted(map(repr, step_by_step))
