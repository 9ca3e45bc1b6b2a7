"""Costs: CPU seconds of whole processes, over a long stream and over a tiny one, which is called the start.

Quality: the chances of streams whose machines are alike, and of others whose machines differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.compare.launching import launch
from benchmarks.wayeb.questions import QUESTIONS, Question
from benchmarks.wayeb.scoring import own_chances, scores, wayeb_chances
from benchmarks.wayeb.streams import TICKS, Machines, write
from benchmarks.wayeb.ways import LIVE, WAYS, Way, write_questions

Found = dict[str, Any]

SIZES = {"small": 100, "large": 1_000}
"""So many machines, each with 2,000 readings."""

TINY, TINY_TICKS = Machines(5), 40
KINDS = {"alike": 0.0, "differing": 0.8}
TRAIN, TEST = 1, 2
LIMIT = 1_800.0


def costs(size: str, rounds: int) -> Found:
    """For each question and way the CPU seconds of starting, learning and following; the ways take turns."""
    machines = Machines(SIZES[size])
    found: Found = {"machines": machines.count, "readings": machines.count * TICKS, "rounds": rounds}
    with TemporaryDirectory() as folder:
        _given(Path(folder), machines)
        for question in QUESTIONS.values():
            taken = [
                {way.name: _taken(Path(folder), question, way) for way in _there(live=size == "small")}
                for _ in range(rounds)
            ]
            found[question.name] = {name: _medians([each[name] for each in taken]) for name in taken[0]}
            print(size, question.name, found[question.name], flush=True)
    return found


def quality(kind: str) -> Found:
    """For each question the scores of all ways."""
    machines = Machines(SIZES["small"], KINDS[kind])
    readings, found = machines.readings(TEST), {}
    with TemporaryDirectory() as folder:
        place = Path(folder)
        _given(place, machines)
        for question in QUESTIONS.values():
            said = {}
            for way in _there(live=False):
                _seconds(way.learns(place, question, "train.csv"), place)
                _seconds(way.follows(place, question, "test.csv"), place)
                out = way.out(place, question)
                shape = (TICKS, machines.count)
                said[way.name] = wayeb_chances(out, shape) if way.kind else own_chances(out, question, shape)
            found[question.name] = scores(question, readings, machines, said)
            print(kind, question.name, found[question.name], flush=True)
    return found


def _there(*, live: bool) -> list[Way]:
    """The ways that can be measured; `live`: tick by tick, too, which takes long and says the same."""
    for way in WAYS.values():
        if way.missing:
            print(f"{way.words} is left out: {way.missing}")
    return [way for way in WAYS.values() if not way.missing and (live or way.name != LIVE)]


def _given(folder: Path, machines: Machines) -> None:
    write_questions(folder)
    write(machines.readings(TRAIN), folder / "train.csv")
    write(machines.readings(TEST), folder / "test.csv")
    write(TINY.readings(TRAIN, TINY_TICKS), folder / "tiny.csv")


def _taken(folder: Path, question: Question, way: Way) -> Mapping[str, float]:
    """Starting to learn, and learning; starting to follow, with the whole model, and following."""
    taken = {}
    if not way.model:
        taken["starts"] = _seconds(way.learns(folder, question, "tiny.csv"), folder)
        taken["learn"] = _seconds(way.learns(folder, question, "train.csv"), folder) - taken["starts"]
    taken["begins"] = _seconds(way.follows(folder, question, "tiny.csv"), folder)
    taken["follow"] = _seconds(way.follows(folder, question, "test.csv"), folder) - taken["begins"]
    return taken


def _medians(taken: list[Mapping[str, float]]) -> dict[str, list[float]]:
    """The least, the median and the most of each."""
    columns = {key: [each[key] for each in taken] for key in taken[0]}
    return {key: [round(of(each), 2) for of in (min, median, max)] for key, each in columns.items()}


def _seconds(command: list[str], folder: Path) -> float:
    took = launch(command, folder, LIMIT)
    if took.failed:
        raise RuntimeError(f"{' '.join(command)}: {took.failed}")
    return took.cpu
