"""The cases of tests/conformance: a program, the facts that arrive, and the answers of every tick."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from antelog.diagnostics import Source
from antelog.language import Checked, read
from antelog.language.syntax import First, Value, number
from antelog.language.vocabulary import Type
from tests.specification.reading import in_order
from tests.specification.written_out import spelt_out

FOLDER = Path(__file__).resolve().parent / "conformance"
NAMES = tuple(sorted(path.parent.name for path in FOLDER.glob("*/program.alog")))


@dataclass(frozen=True)
class Recorded:
    """A case; `lines` are its snapshots, `lost` the decisions nobody could see; facts end with their time."""

    name: str
    checked: Checked
    facts: tuple[tuple[str, tuple[Value, ...], int], ...]
    until: int
    lines: tuple[dict[str, Any], ...]
    lost: tuple[dict[str, Any], ...] | None = None


@cache
def recorded(name: str) -> Recorded:
    """Reads a case from its folder."""
    folder = FOLDER / name
    text = (folder / "program.alog").read_text(encoding="utf-8")
    lost = folder / "lost.jsonl"
    checked = read(Source(text, name))
    return Recorded(
        name,
        checked,
        tuple(fact for path in sorted(folder.glob("*.csv")) for fact in _facts(path, checked)),
        int((folder / "until").read_text(encoding="utf-8")),
        tuple(_spelt_out(line, checked) for line in _lines(folder / "snapshots.jsonl")),
        _lines(lost) if lost.exists() else None,
    )


def _spelt_out(line: dict[str, Any], checked: Checked) -> dict[str, Any]:
    """A line of which literals that read as `first` read as they are defined."""
    if not any(isinstance(each, First) for rule in checked.document.rules for each in rule.body):
        return line
    answers = [{**answer, "explanations": list[object]()} for answer in line["answers"]]
    for answer, told in zip(answers, line["answers"], strict=True):
        for each in told["explanations"]:
            sides = spelt_out(each, checked)
            answer["explanations"].append({side: in_order(texts) for side, texts in sides.items()})
    return {**line, "answers": answers}


def _lines(path: Path) -> tuple[dict[str, Any], ...]:
    return tuple(map(json.loads, path.read_text(encoding="utf-8").splitlines()))


def _facts(path: Path, checked: Checked) -> list[tuple[str, tuple[Value, ...], int]]:
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header[-1] == "arrival"
    types = (*checked.vocabulary[path.stem].types, Type.NUMBER)
    return [(path.stem, tuple(map(_value, row[:-1], types)), int(row[-1])) for row in rows]


def _value(cell: str, type_: Type | None) -> Value:
    try:
        return cell if type_ is Type.TEXT else number(float(cell))
    except ValueError:
        return cell
