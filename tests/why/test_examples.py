"""The log of each example, explained: at the tick of each change its answer is what the line says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from antelog import Program, load
from antelog.compile.literals import Atom
from antelog.compile.literals.terms import Const, Time
from antelog.files import ARRIVAL, Rejects
from antelog.language import syntax
from antelog.process import Engine
from antelog.run.driver import Driver
from antelog.run.replay import Recording, recorded_grounds, static_facts
from antelog.why.explaining import Detail, Explaining
from tests.docs.pages import ROOT

EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/*.alog"))
MOST = 12
"""The changes of each kind that are explained."""


def recording_of(folder: Path, program: Program) -> tuple[Program, Recording]:
    """The facts of an example, as its page reads them."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    found = re.search(r"antelog try [^`]*?--(?:input|set)[^`]*?\n(?!\s+--)", text)
    assert found is not None, folder
    command = found[0].replace("\\\n", " ")
    inputs = {name: folder / file for name, file in re.findall(r"--input (\w+)=(\S+)", command)}
    arrival = re.search(r"--arrival (\w+)", command)
    return program, Recording(inputs, arrival=arrival[1] if arrival else "arrival")


def _program(folder: Path) -> Program:
    path = next(folder.glob("*.alog"))
    functions = next(iter(folder.glob("*.py")), None)
    if functions is not None and "function " in path.read_text(encoding="utf-8"):
        return load(path, functions=functions)
    return load(path)


def changes(program: Program, recording: Recording, most: int = MOST) -> Iterator[tuple[int, str, Atom]]:
    """The first changes of each query and kind: the tick, the kind and the answer."""
    static = static_facts(program.plan, recording.statics, Rejects(), recording.maps)
    engine = Engine(program, arrival=ARRIVAL, static=static)
    count: dict[tuple[str, str], int] = {}
    for step in Driver(engine, recording.reader(program.plan, Rejects())).steps():
        for name, table in step.tables.items():
            query = next(q for q in program.document.queries if q.atom.predicate == name)
            for row in table.to_pylist():
                key = name, row["change"]
                values = [_value(term, row) for term in query.atom.terms]
                if count.get(key, 0) < most and None not in values:
                    count[key] = count.get(key, 0) + 1
                    *arguments, tick = values
                    yield (
                        row["tick"],
                        row["change"],
                        Atom(name, tuple(map(Const, arguments)), Time(None, tick)),
                    )


def _value(term: syntax.Term, row: dict[str, Any]) -> Any:
    return row[term.name] if isinstance(term, syntax.Variable) else getattr(term, "value", None)


# A rejected answer may become possible again.
EXPECTED = {
    "possible": {"open"},
    "revised": {"open"},
    "confirmed": {"confirmed"},
    "rejected": {"rejected", "possible"},
}


@pytest.mark.parametrize("folder", EXAMPLES, ids=[path.name for path in EXAMPLES])
def test_each_change_of_the_log_is_explained(folder: Path) -> None:
    program, recording = recording_of(folder, _program(folder))
    of_tick: dict[int, list[tuple[str, Atom]]] = {}
    for tick, change, atom in changes(program, recording):
        of_tick.setdefault(tick, []).append((change, atom))
    assert of_tick
    for tick, lines in of_tick.items():
        explaining = Explaining(recorded_grounds(program, recording, tick, Rejects()), Detail(3))
        for change, atom in lines:
            if change in EXPECTED:
                assert explaining.explain(atom).status in EXPECTED[change], (tick, change, atom.text)
