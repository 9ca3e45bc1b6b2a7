"""Programs as large as the limits of the parser allow, through `antelog check` and `antelog try`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.attack.findings import Attempt, command

_INPUT = "input Temp(x, time) delay 2."
_QUERY = "query P(X, T)."
_ROWS = "x,time\na,0\na,1\n"


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """Two for each large program: to check it, and to run it over two rows."""
    for name, make in _PROGRAMS.items():
        lines = make(count)
        program = "\n".join(lines)
        rows = _wide_rows(lines[0]) if name == "columns" else _ROWS
        for each in ("check", "try"):
            what = f"{each} {name}, with {len(lines)} statements ({seed})"
            yield Attempt(what, partial(_run, each, program, rows))


def _run(name: str, program: str, rows: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rules, facts = Path(folder, "p.alog"), Path(folder, "Temp.csv")
        rules.write_text(program, encoding="utf-8")
        facts.write_text(rows, encoding="utf-8")
        more = ["--input", f"Temp={facts}"] if name == "try" else []
        command(name, rules, *more)


def _wide_rows(declared: str) -> str:
    names = declared.partition("(")[2].partition(")")[0].replace(" ", "")
    width = names.count(",")
    return f"{names}\n" + "".join(f"{'a,' * width}{time}\n" for time in (0, 1))


# ---- programs of n rules, or as large in another way ----


_PLAIN = "P(X, T) :- Temp(X, T)."
_FIRST = "P0(X, T) :- Temp(X, T)."


def _repeated(rule: str, n: int, *more: str, first: int = 0) -> list[str]:
    """A program of some rules, and of one for each number."""
    return [_INPUT, _QUERY, *more, *(rule.format(i=i, before=i - 1) for i in range(first, n))]


def _of_literals(literal: str, n: int) -> list[str]:
    """A program of one rule with many literals."""
    literals = ["Temp(X, T)", *(literal.format(i=i) for i in range(1, n // 4))]
    return [_INPUT, _QUERY, f"P(X, T) :- {', '.join(literals)}."]


def _chain(n: int) -> list[str]:
    last = f"P(X, T) :- P{n - 5}(X, T)."
    return _repeated("P{i}(X, T) :- P{before}(X, T).", n - 4, _FIRST, last, first=1)


def _ladder(n: int) -> list[str]:
    last = f"P(X, T) :- P{n // 10 - 1}(X, T)."
    rule = "P{i}(X, T) :- P{before}(X, T), P{before}(X, T+1)."
    return _repeated(rule, n // 10, _FIRST, last, first=1)


def _negations(n: int) -> list[str]:
    last = f"P(X, T) :- P{n // 10 - 1}(X, T)."
    rule = "P{i}(X, T) :- Temp(X, T), not P{before}(X, T-1)."
    return _repeated(rule, n // 10, _FIRST, last, first=1)


def _loop(n: int) -> list[str]:
    back = f"P0(X, T+1) :- P{n - 6}(X, T), Temp(X, T+1)."
    last = f"P(X, T) :- P{n - 6}(X, T)."
    return _repeated("P{i}(X, T) :- P{before}(X, T).", n - 5, _FIRST, back, last, first=1)


def _queries(n: int) -> list[str]:
    rules = [f"P{i}(X, T) :- Temp(X, T), X != c{i}. query P{i}(X, T)." for i in range(n // 10)]
    return [_INPUT, *rules]


def _inputs(n: int) -> list[str]:
    third = (n - 3) // 3
    inputs = [f"input In{i}(x, time) delay {i % 7}." for i in range(2 * third)]
    rules = [f"P(X, T) :- In{i}(X, T), In{i + third}(X, T+1)." for i in range(third)]
    return [_INPUT, _QUERY, _PLAIN, *inputs, *rules]


def _static_facts(n: int) -> list[str]:
    return _repeated("S(c{i}, {i}).", n, "static S(x, y).", "P(X, T) :- Temp(X, T), S(X, Y).")


def _columns(n: int) -> list[str]:
    width = max(2, n // 20) - 1
    names, values = (", ".join(f"{letter}{i}" for i in range(width)) for letter in "xX")
    return [
        f"input Temp({names}, time) delay 2.",
        f"query P({values}, T).",
        f"P({values}, T) :- Temp({values}, T).",
    ]


_PROGRAMS: dict[str, Callable[[int], list[str]]] = {
    "alternatives": lambda n: _repeated("P(X, T) :- Temp(X, T), X = c{i}.", n - 2),
    "unused rules": lambda n: _repeated("P{i}(X, T) :- Temp(X, T), X != c{i}.", n - 3, _PLAIN),
    "a chain": _chain,
    "a ladder": _ladder,
    "negations": _negations,
    "a loop": _loop,
    "queries": _queries,
    "inputs": _inputs,
    "static facts": _static_facts,
    "statements": lambda n: [*_static_facts(n), *(f"S(a, {i})." for i in range(n - 4))],
    "columns": _columns,
    "comparisons": partial(_of_literals, "X != c{i}"),
    "conditions": partial(_of_literals, "Temp(X, T+{i})"),
    "exceptions": partial(_of_literals, "not Temp(X, T+{i})"),
    "joined atoms": partial(_of_literals, "Temp(X{i}, T)"),
    "thresholds": lambda n: _repeated("P(X, T) :- Temp(X, S), Temp(X, T), S < T - {i}.", n // 4),
    "wrong rules": lambda n: _repeated("P(Y, T) :- Temp(X, T), X = c{i}.", n * 19 // 20),
    "misspelt rules": lambda n: _repeated("P(X, T) :- Temq{i}(X, T).", n * 19 // 20),
}
