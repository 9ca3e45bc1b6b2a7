"""Odd calls: something of every type in place of each argument of the public functions."""

from __future__ import annotations

import datetime as dt
import itertools
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import chdir
from decimal import Decimal
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import antelog
from antelog.why import why
from tests.attack import frames
from tests.attack.findings import Attempt

_FOREVER = "input Temp(x, time). On(X, T) :- Temp(X, T), not On(X, T-1). query On(X, T)."


_PLAIN: list[Any] = [
    *(None, True, False, 0, 1, -1, 7.5, 2**53 - 1, 2**63, -(10**18), 10**400, 1j, Decimal("1.5")),
    *(float("nan"), float("inf"), "", "x", "Temp", "\0", "\ud800", "x" * 5000, "../..", "a/b/c"),
    *(b"", b"x", bytearray(b"x"), [], [1], ["x"], [None], (), ("x",), {}, {"Temp": 1}, {1: 2}, {"x": []}),
    *({None: None}, {"Temp": []}, set(), {1}, range(3), int, print, ..., np.int64(3), np.float64(1)),
]


class _Evil:
    """An object that does not want to be looked at."""

    def __repr__(self) -> str:
        raise RuntimeError("no")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    __hash__ = None  # type: ignore[assignment]  # that is what is odd about it


def odd_values(folder: Path) -> dict[str, Any]:
    """Something of every type."""
    return {
        **{repr(each)[:40]: each for each in _PLAIN},
        "an object": object(),
        "an evil object": _Evil(),
        "a lambda": lambda: None,
        "a generator": (number for number in range(3)),
        "an endless generator": itertools.repeat("x"),
        "a module": antelog,
        "a class": antelog.Engine,
        "an error": ValueError("x"),
        "an array": np.zeros((2, 2)),
        "a frame": pd.DataFrame({"a": [1]}),
        "a table": pa.table({"a": [1]}),
        "a date": dt.date(2024, 1, 1),
        "a time": dt.datetime(2024, 1, 1, tzinfo=dt.UTC),
        "a far time": dt.datetime.max.replace(tzinfo=dt.UTC),
        "a span": dt.timedelta(1),
        "a path": folder / "there is none",
        "a folder": folder,
        "a program": antelog.parse(frames.PROGRAM),
        "an engine": antelog.Engine(antelog.parse(frames.PROGRAM)),
        "a path of bytes": str(folder).encode(),
    }


def calls(folder: Path) -> dict[str, Callable[[Any], object]]:
    """Each argument of each public function, as a function of that argument alone."""
    program, forever = antelog.parse(frames.PROGRAM), antelog.parse(_FOREVER)
    timed = antelog.parse(frames.TYPED)

    def engine(**options: Any) -> antelog.Engine:
        made = antelog.Engine(program, **options)
        made.advance(3, {"Temp": [("a", 1, 0), ("a", 2, 1)]})
        made.answers("Malf")
        return made

    def learning(**options: Any) -> antelog.Engine:
        return engine(**{"model": "learn", **options})

    def model() -> antelog.Model:
        return engine(model="learn").model

    state, learned = engine().to_bytes(), model().to_bytes()
    (folder / "state").write_bytes(state)
    changes = engine().answers("Malf")
    begun = engine()
    kept = antelog.Engine(forever)
    kept.advance(0, {"Temp": [("a", 0)]})
    options = ("only", "static", "arrival", "limit", "keep_rejects", "budget")
    chances = ("model", "learn", "half_life", "min_chance", "most")
    restored = ("only", "arrival", "keep_rejects", "max_bytes", "accept")
    drawn = ("program", "query", "answer", "now", "title", "width", "theme", "rows")
    return {
        "parse": antelog.parse,
        "parse name": lambda x: antelog.parse("P(", name=x),
        "parse pattern_limit": lambda x: antelog.parse(frames.PROGRAM, pattern_limit=x),
        "load": antelog.load,
        "load pattern_limit": lambda x: antelog.load(folder / "none", pattern_limit=x),
        "Engine": antelog.Engine,
        **_each("Engine", (*options, *chances), lambda given: engine(**given)),
        **_each("learning", chances, lambda given: engine(**{"model": "learn", **given})),
        "advance": lambda x: engine().advance(x),
        "advance learning": lambda x: engine(model="learn").advance(x),
        "advance timed": lambda x: antelog.Engine(timed).advance(x),
        "advance for ever": lambda x: antelog.Engine.from_bytes(kept.to_bytes()).advance(x),
        "advance facts": lambda x: engine().advance(9, x),
        "advance frame": lambda x: engine().advance(9, {"Temp": x}),
        "answers": begun.answers,
        "why": engine().why,
        "why depth": lambda x: engine().why("Malf(a, 1, 0)", depth=x),
        "why program": lambda x: why(x, {}, "Malf(a, 1, 0)"),
        "why facts": lambda x: why(program, x, "Malf(a, 1, 0)"),
        "why fact": lambda x: why(program, {"Temp": x}, "Malf(a, 1, 0)"),
        "why atom": lambda x: why(program, {}, x),
        "why at": lambda x: why(program, {}, "Malf(a, 1, 0)", x),
        "save": begun.save,
        "restore": antelog.Engine.restore,
        "restore program": lambda x: antelog.Engine.restore(folder / "state", x),
        **_each("restore", restored, lambda given: antelog.Engine.restore(folder / "state", **given)),
        "change_rules": lambda x: engine().change_rules(x),
        "change_rules accept": lambda x: engine().change_rules(timed, accept=x),
        "change_rules static": lambda x: engine().change_rules(forever, accept=True, static=x),
        "from_bytes": antelog.Engine.from_bytes,
        "from_bytes program": lambda x: antelog.Engine.from_bytes(state, x),
        "Model.load": antelog.Model.load,
        "Model.from_bytes": antelog.Model.from_bytes,
        "Model.from_bytes name": lambda x: antelog.Model.from_bytes(learned[:99], x),
        "Model.save": lambda x: model().save(x),
        "show": lambda x: antelog.show(x)._repr_html_(),
        "show program": lambda x: antelog.show(changes, program=x)._repr_html_(),
        "show most": lambda x: antelog.show(changes, most=x)._repr_html_(),
        "draw": antelog.draw,
        **_each("draw", drawn, lambda given: antelog.draw(changes, **given)),
        "Drawing.save": lambda x: antelog.draw(changes).save(x),
        "live": antelog.live,
        "replay": lambda x: antelog.replay(x, {}),
        "replay inputs": lambda x: antelog.replay(program, x),
        "replay file": lambda x: antelog.replay(program, {"Temp": x}),
        "replay until": lambda x: antelog.replay(program, {}, until=x),
        "replay arrival": lambda x: antelog.replay(program, {}, arrival=x),
        "replay static": lambda x: antelog.replay(program, {}, static=x),
        "live program": lambda x: antelog.live(begun, program=x),
        "live hosts": lambda x: antelog.live(begun, program=program, hosts=x),
        "live token": lambda x: antelog.live(begun, program=program, token=x),
        "Live.tell": lambda x: antelog.live(begun, program=program).tell(x),
    }


def _each(
    called: str, names: Iterable[str], call: Callable[[dict[str, Any]], object]
) -> dict[str, Callable[[Any], object]]:
    """A call with each of some options alone."""

    def with_option(name: str, value: Any) -> object:
        return call({name: value})

    return {f"{called} {name}": partial(with_option, name) for name in names}


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """So many calls, each with one odd argument; at most all there are."""
    with tempfile.TemporaryDirectory(prefix="antelog-attack-") as name, chdir(name):
        folder = Path(name)
        cases = list(itertools.product(calls(folder).items(), odd_values(folder).items()))
        Random(seed).shuffle(cases)
        for (called, call), (what, value) in itertools.islice(cases, count):
            yield Attempt(f"{called} of {what}", partial(call, value))
