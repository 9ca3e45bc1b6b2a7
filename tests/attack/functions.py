"""Functions of users that raise, give what is no result, end the process, or are no functions at all."""

from __future__ import annotations

import itertools
import json
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import antelog
from tests.attack.findings import Attempt, command

_IMPORTS = "import sys\nimport antelog\nimport numpy as np\nimport pyarrow as pa\n"
_HEADS = {
    "row by row": "@antelog.function(rowwise=True)\ndef f(a):",
    "NumPy": "@antelog.function\ndef f(a: np.ndarray) -> np.ndarray:",
    "Arrow": "@antelog.function\ndef f(a: pa.Array) -> pa.Array:",
    "Arrow in chunks": "@antelog.function\ndef f(a: pa.ChunkedArray):",
    "more than it gets": "@antelog.function(rowwise=True)\ndef f(a, b=1, *rest, **more):",
    "asynchronous": "@antelog.function(rowwise=True)\nasync def f(a):",
    "by name only": "@antelog.function(rowwise=True)\ndef f(*, a):",
    "without hints": "def f(a):",
    "of both columns": "@antelog.function\ndef f(a: np.ndarray) -> pa.Array:",
    "of a class": "class f:\n  def __init__(self, a):",
}
_BODIES = (
    *("pass", "raise ValueError('{} %s')", "raise KeyError", "1 / 0", "raise StopIteration", "assert False"),
    *("sys.exit(3)", "raise SystemExit", "return f(a)", "yield 1", "return (1 for _ in a)"),
    "return lambda: 1",
    *("raise type('E', (Exception,), {'__str__': lambda self: 1 / 0})()", "return iter([1, 2])"),
    *("return None", "return True", "return 1", "return 1.5", "return -0.0", "return 1j", "return 'a'"),
    *("return ''", "return 'ab'", "return '\\0'", "return '\\ud800'", "return b'ab'"),
    "return memoryview(b'ab')",
    *("return float('nan')", "return -float('inf')", "return 2**63", "return 2**64", "return -10**400"),
    *("return [1, 2]", "return (1, None)", "return [True, 1]", "return [1, 'a']", "return {1, 2}"),
    "return {1: 2}",
    *("return [2**70, None]", "return [float('inf'), float('nan')]", "return [[1], [2]]", "return object()"),
    *("return a", "return a[:1]", "return list(a)", "return [a, a]", "return [*a, *a]", "return type(a)"),
    *("a += 1; return a", "a[0] = 5; return a", "a.sort(); return a", "return a > 1"),
    "return [x > 1 for x in a]",
    *("return np.array(a)", "return np.array([a])", "return np.asarray(a, object)"),
    "return np.array(a).astype(str)",
    *("return np.float64(2)", "return np.bool_(True)", "return np.str_('x')"),
    "return np.datetime64('2024-01-01')",
    *("return np.asarray(a).astype('f2')", "return np.asarray(a) * 1j", "return np.zeros((2, 2))"),
    *("return np.ma.masked_equal(np.asarray(a), 1)", "return np.asarray(['1', None])", "return pa.scalar(1)"),
    *("return pa.chunked_array([a])", "return pa.table({'a': a})", "return pa.array(a).dictionary_encode()"),
    *("return pa.nulls(len(a))", "return pa.array([None, True])", "return pa.array([{'a': 1}, None])"),
    *("return pa.array(['x', None]).cast('large_string')", "return pa.array([1, 2], 'uint64')"),
    "print(a); return a",
    "import decimal; return decimal.Decimal('1.5')",
    "import datetime; return datetime.date(2024, 1, 1)",
    "import warnings; warnings.warn('x'); return a",
    "global calls; calls = globals().get('calls', 0) + 1; return calls",
)
_DATACLASS = """from __future__ import annotations
from dataclasses import dataclass
@dataclass
class P:
    x: int
@antelog.function(rowwise=True)
def f(a: float) -> float:
    return P(a).x
"""
_FILES = (
    *("", "f = 3", "f = None", "f = antelog", "f = len", "f = antelog.function(rowwise=True)(lambda a: a)"),
    *("def f(:", "def f(a):\nreturn a", "1 / 0", "raise SystemExit", "sys.exit('no')", "import nowhere"),
    "\0",
    *("from . import x", "(" * 300, "x = " + "[" * 90 + "]" * 90, "x = " + "9" * 5000, "f = '\udcff'"),
    "\ufefff = 1",
    *("raise antelog.FunctionError('mine')", "print('read')\n" + _HEADS["row by row"] + " return a"),
    _DATACLASS,
    "import functools\nf = antelog.function(functools.partial(max, 1))",
    "import functools\n" + _HEADS["row by row"].replace("\n", "\n@functools.cache\n") + " return a",
)
_PROGRAM = """
input R(x: text, v{type}, time) delay 1.
function f({arguments}){gives}.
Q(X, {value}, T) :- R(X, V, T), {condition}.
query Q(X, {value}, T).
"""
_CALLS = {
    "a condition": ("", "V", "f(V)"),
    "not a condition": ("", "V", "not f(V)"),
    "a number": (" -> number", "D", "D = f(V)"),
    "a text": (" -> text", "D", "D = f(V)"),
    "a number within": (" -> number", "V", "f(V) + 1 > V / 0.5"),
}
_ROWS = (("a", 1, 0), ("b", 2.5, 1), ("c", "word", 1), ("d", -(2**53), 2), ("e", 2, 3))


@dataclass(frozen=True)
class _Case:
    """A file of functions, and a program that calls `f`."""

    code: str
    program: str
    through: str


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """So many functions, each called in this process or by a command."""
    random = Random(seed)
    bodies = [f"{_IMPORTS}{head}\n    {body}\n" for head, body in itertools.product(_HEADS.values(), _BODIES)]
    files = [f"{'' if text is _DATACLASS else _IMPORTS}{text}\n" for text in _FILES]
    for number in range(count):
        code = random.choice(files if random.randrange(4) == 0 else bodies)
        gives, value, condition = random.choice([*_CALLS.values()])
        arguments = random.choice(["a", "a", "a", "a", "a", "a, b"])
        if arguments != "a":
            condition = condition.replace("V)", "V, 2)")
        types = random.choice(["", ": number"])
        program = _PROGRAM.format(
            type=types, arguments=arguments, gives=gives, value=value, condition=condition
        )
        case = _Case(code, program, random.choice(["engine", "try"]))
        called = f"{condition} of {code[len(_IMPORTS) :]!r}"
        name = f"function {number} of seed {seed}, {case.through}: {called}"
        yield Attempt(name, partial(_try, case))


def _try(case: _Case) -> None:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = Path(folder) / "given.py"
        file.write_bytes(case.code.encode("utf-8", "surrogateescape"))
        (_in_process if case.through == "engine" else _by_command)(case, file)


def _in_process(case: _Case, file: Path) -> None:
    """A step that fails leaves the engine as it was; one that works gives a line for each answer at most."""
    program = antelog.parse(case.program, functions=file)
    engine = antelog.Engine(program)
    rows: list[tuple[Any, ...]] = [
        each for each in _ROWS if ": number" not in case.program or each[1] != "word"
    ]
    try:
        found = engine.advance(2, {"R": rows[:-1]})["Q"].to_pylist()
    except antelog.AntelogError:
        assert engine.now == -1, "a step that failed has changed the engine"
        raise
    assert len({(each["X"], each["T"]) for each in found}) == len(found) <= len(rows)


def _by_command(case: _Case, file: Path) -> None:
    rows = [
        {"x": x, "v": v, "time": time}
        for x, v, time in _ROWS
        if ": number" not in case.program or v != "word"
    ]
    data = file.with_suffix(".jsonl")
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    rules = file.with_suffix(".alog")
    rules.write_text(case.program, encoding="utf-8")
    done = command("try", rules, "--input", f"R={data}", "--functions", file)
    assert ("error: " in done.stderr) == (done.exit_code == 1), done.stderr
    for line in done.stdout.splitlines():
        json.loads(line)
