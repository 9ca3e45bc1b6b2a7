"""Programs as large as may be, through `antelog check` and `antelog try`.

Each has so many rules, and of everything else as much as the limits of `antelog.language.parser` allow in
proportion. It works within the patience of an attempt, or is refused with the limit.

    attempts(20_000, 1)     a chain of 20,000 rules, 100,000 static facts, 1,000 columns, …
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path

from antelog.cli.main import main
from tests.attack.findings import Attempt

_INPUT = "input Temp(x, time) delay 2."
_QUERY = "query P(X, T)."
_ROWS = "x,time\na,0\na,1\n"


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """Two for each large program: to check it, and to run it over two rows."""
    for name, make in _PROGRAMS.items():
        lines = make(count)
        program = "\n".join(lines)
        rows = _wide_rows(lines[0]) if name == "columns" else _ROWS
        for command in ("check", "try"):
            what = f"{command} {name}, with {len(lines)} statements ({seed})"
            yield Attempt(what, partial(_run, command, program, rows))


def _run(command: str, program: str, rows: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rules, facts = Path(folder, "p.alog"), Path(folder, "Temp.csv")
        rules.write_text(program, encoding="utf-8")
        facts.write_text(rows, encoding="utf-8")
        more = ["--input", f"Temp={facts}"] if command == "try" else []
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as said:
            status = main.main([command, str(rules), *more], standalone_mode=False)
        if status not in (None, 0, 1):
            raise AssertionError(f"status {status}: {said.getvalue()[:300]}")


def _wide_rows(declared: str) -> str:
    names = declared.partition("(")[2].partition(")")[0].replace(" ", "")
    width = names.count(",")
    return f"{names}\n" + "".join(f"{'a,' * width}{time}\n" for time in (0, 1))


# ---- programs of n rules, or as large in another way ----


def _alternatives(n: int) -> list[str]:
    rules = [f"P(X, T) :- Temp(X, T), X = c{i}." for i in range(n - 2)]
    return [_INPUT, _QUERY, *rules]


def _unused(n: int) -> list[str]:
    rules = [f"P{i}(X, T) :- Temp(X, T), X != c{i}." for i in range(n - 3)]
    return [_INPUT, _QUERY, "P(X, T) :- Temp(X, T).", *rules]


def _chain(n: int) -> list[str]:
    rules = [f"P{i}(X, T) :- P{i - 1}(X, T)." for i in range(1, n - 4)]
    return [_INPUT, _QUERY, "P0(X, T) :- Temp(X, T).", *rules, f"P(X, T) :- P{n - 5}(X, T)."]


def _ladder(n: int) -> list[str]:
    steps = n // 10
    rules = [f"P{i}(X, T) :- P{i - 1}(X, T), P{i - 1}(X, T+1)." for i in range(1, steps)]
    return [_INPUT, _QUERY, "P0(X, T) :- Temp(X, T).", *rules, f"P(X, T) :- P{steps - 1}(X, T)."]


def _negations(n: int) -> list[str]:
    steps = n // 10
    rules = [f"P{i}(X, T) :- Temp(X, T), not P{i - 1}(X, T-1)." for i in range(1, steps)]
    return [_INPUT, _QUERY, "P0(X, T) :- Temp(X, T).", *rules, f"P(X, T) :- P{steps - 1}(X, T)."]


def _loop(n: int) -> list[str]:
    rules = [f"P{i}(X, T) :- P{i - 1}(X, T)." for i in range(1, n - 5)]
    start = ["P0(X, T) :- Temp(X, T).", f"P0(X, T+1) :- P{n - 6}(X, T), Temp(X, T+1)."]
    return [_INPUT, _QUERY, *start, *rules, f"P(X, T) :- P{n - 6}(X, T)."]


def _queries(n: int) -> list[str]:
    half = n // 10
    rules = [f"P{i}(X, T) :- Temp(X, T), X != c{i}." for i in range(half)]
    return [_INPUT, *rules, *(f"query P{i}(X, T)." for i in range(half))]


def _inputs(n: int) -> list[str]:
    third = (n - 3) // 3
    inputs = [f"input In{i}(x, time) delay {i % 7}." for i in range(2 * third)]
    rules = [f"P(X, T) :- In{i}(X, T), In{i + third}(X, T+1)." for i in range(third)]
    return [_INPUT, _QUERY, "P(X, T) :- Temp(X, T).", *inputs, *rules]


def _static_facts(n: int) -> list[str]:
    facts = [f"S(c{i}, {i})." for i in range(n)]
    return [_INPUT, _QUERY, "static S(x, y).", "P(X, T) :- Temp(X, T), S(X, Y).", *facts]


def _statements(n: int) -> list[str]:
    return [*_static_facts(n), *(f"S(a, {i})." for i in range(n - 4))]


def _columns(n: int) -> list[str]:
    width = max(2, n // 20) - 1
    names, values = (", ".join(f"{letter}{i}" for i in range(width)) for letter in "xX")
    return [
        f"input Temp({names}, time) delay 2.",
        f"query P({values}, T).",
        f"P({values}, T) :- Temp({values}, T).",
    ]


def _comparisons(n: int) -> list[str]:
    literals = ["Temp(X, T)", *(f"X != c{i}" for i in range(n // 4 - 1))]
    return [_INPUT, _QUERY, f"P(X, T) :- {', '.join(literals)}."]


def _conditions(n: int) -> list[str]:
    literals = [f"Temp(X, T+{i})" for i in range(n // 4)]
    return [_INPUT, _QUERY, f"P(X, T) :- {', '.join(literals)}."]


def _exceptions(n: int) -> list[str]:
    literals = ["Temp(X, T)", *(f"not Temp(X, T+{i})" for i in range(1, n // 4))]
    return [_INPUT, _QUERY, f"P(X, T) :- {', '.join(literals)}."]


def _joined(n: int) -> list[str]:
    literals = ["Temp(X, T)", *(f"Temp(X{i}, T)" for i in range(n // 4 - 1))]
    return [_INPUT, _QUERY, f"P(X, T) :- {', '.join(literals)}."]


def _thresholds(n: int) -> list[str]:
    rules = [f"P(X, T) :- Temp(X, S), Temp(X, T), S < T - {i}." for i in range(n // 4)]
    return [_INPUT, _QUERY, *rules]


def _wrong(n: int) -> list[str]:
    rules = [f"P(Y, T) :- Temp(X, T), X = c{i}." for i in range(n * 19 // 20)]
    return [_INPUT, _QUERY, *rules]


def _misspelt(n: int) -> list[str]:
    return [_INPUT, _QUERY, *(f"P(X, T) :- Temq{i}(X, T)." for i in range(n * 19 // 20))]


_PROGRAMS: dict[str, Callable[[int], list[str]]] = {
    "alternatives": _alternatives,
    "unused rules": _unused,
    "a chain": _chain,
    "a ladder": _ladder,
    "negations": _negations,
    "a loop": _loop,
    "queries": _queries,
    "inputs": _inputs,
    "static facts": _static_facts,
    "statements": _statements,
    "columns": _columns,
    "comparisons": _comparisons,
    "conditions": _conditions,
    "exceptions": _exceptions,
    "joined atoms": _joined,
    "thresholds": _thresholds,
    "wrong rules": _wrong,
    "misspelt rules": _misspelt,
}
