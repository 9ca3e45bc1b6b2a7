"""A model: rates and outcome statistics in a file, for other runs of the same program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import pyarrow as pa

from antelog import writing
from antelog.compile.nodes.plan import Input, Plan, Relation, Static, from_json, to_json
from antelog.engine import sealed
from antelog.engine.columns.trees import Trees
from antelog.engine.facts.history import Facts
from antelog.engine.values.values import SavedValues, Values
from antelog.errors import PlanError, StateError
from antelog.forecast.inference.learning import Learning
from antelog.forecast.judges.following import AnswerLines, TrackedAnswers
from antelog.forecast.judges.judged import Judged
from antelog.forecast.judges.looks import LatestValues, Look, QueryFeatures
from antelog.forecast.judges.mean import JudgeWeights, Predictions
from antelog.forecast.judges.outcomes import OutcomeStatistics
from antelog.forecast.judges.rows import Judge, SettledLines
from antelog.forecast.judges.values_judge import Fit, ValuesJudge
from antelog.forecast.rates.counts import Counted, SeriesCounts
from antelog.forecast.rates.tally import EPOCH, Ledger, Tally
from antelog.forecast.scores.calibration import Blocks, Calibration
from antelog.forecast.scores.scored_lines import AlertSums, FirstAlerts, Losses, ScoredLines
from antelog.forecast.scores.scores import Scores
from antelog.given import BYTES, PATH, TEXT, checked

_CLASSES: Mapping[str, type[Any]] = {
    each.__name__: each
    for each in (
        *(Facts, AnswerLines, TrackedAnswers, FirstAlerts, Judged, JudgeWeights, Predictions, ScoredLines),
        *(Scores, Losses, Calibration, Blocks, AlertSums, SeriesCounts, Counted, Ledger, Tally, Learning),
        *(OutcomeStatistics, Fit, LatestValues, Look, QueryFeatures, SettledLines, Trees, ValuesJudge),
    )
}
"""The classes in files."""


def packed(thing: object) -> tuple[bytes, bytes]:
    """Encodes a thing as JSON and Arrow bytes; waits for parts that are still being computed."""
    columns: list[np.ndarray[Any, Any]] = []
    structure = msgspec.json.encode(_structure(thing, columns))
    # The columns have different lengths, so each is a list in one row.
    lists = [pa.ListArray.from_arrays([0, column.size], pa.array(column.ravel())) for column in columns]
    table, sink = pa.table(lists, [*map(str, range(len(lists)))]), pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table)
    return structure, sink.getvalue().to_pybytes()


def _structure(thing: object, columns: list[np.ndarray[Any, Any]]) -> object:
    match thing:
        case np.ndarray():
            columns.append(thing)
            return {"column": len(columns) - 1, "shape": list(thing.shape)}
        case dict():
            return {"map": [[key, _structure(value, columns)] for key, value in thing.items()]}
        case tuple() | list():
            return [_structure(each, columns) for each in thing]
        case None | bool() | int() | float() | str():
            return thing
        case Future():
            return _structure(thing.result(), columns)
        case _:
            own = {f.name: _structure(getattr(thing, f.name), columns) for f in fields(thing)}  # type: ignore[arg-type]
            return {"is": type(thing).__name__, **own}


def unpacked(structure: bytes, columns: bytes) -> Any:
    """Decodes what `packed` made."""
    table = pa.ipc.open_file(pa.BufferReader(columns)).read_all()
    arrays = [table.column(i).combine_chunks().flatten() for i in range(table.num_columns)]
    return _built(
        msgspec.json.decode(structure), [np.array(a.to_numpy(zero_copy_only=False)) for a in arrays]
    )


def _built(structure: Any, columns: list[np.ndarray[Any, Any]]) -> Any:
    match structure:
        case {"column": int(number), "shape": [*shape]}:
            return columns[number].reshape(shape)
        case {"map": [*items]}:
            return {key: _built(value, columns) for key, value in items}
        case {"is": str(name), **own}:
            parts = {str(key): _built(value, columns) for key, value in own.items()}
            return _CLASSES[name](**parts)
        case [*items]:
            return tuple(_built(each, columns) for each in items)
        case _:
            return structure


VERSION = 4
"""Counts up whenever a model of the version before can no longer be read."""


class _ModelHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: Literal["antelog model"]
    version: int
    epoch: int
    half_life: float | None
    length: int = EPOCH


@dataclass(frozen=True, eq=False)
class Model:
    """Rates and judges learned from a program's stream, up to an epoch of `length` ticks.

    `series` are the counts of each family; `judges` by name, and their `weights`, are those of each query.
    Their cells stand for `values`.
    """

    plan: Plan
    values: Values
    series: Mapping[str, SeriesCounts]
    judges: Mapping[str, Mapping[str, Judge]]
    weights: Mapping[str, JudgeWeights]
    epoch: int
    half_life: float | None
    length: int = EPOCH

    @property
    def knows_something(self) -> bool:
        """Whether anything was learned, from facts or from outcomes of answers."""
        facts = any(each.shared.count for each in self.series.values())
        return facts or any(each.rows for own in self.judges.values() for each in own.values())

    @checked(path=PATH)
    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file; one of that name is replaced when the new one is complete."""
        writing.write(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        structure, columns = packed(
            {
                "series": dict(self.series),
                "judges": {name: dict(each) for name, each in self.judges.items()},
                "weights": dict(self.weights),
            }
        )
        head = _ModelHead("antelog model", VERSION, self.epoch, self.half_life, self.length)
        return sealed.pack(
            {
                "model.json": msgspec.json.encode(head),
                "plan.json": to_json(self.plan).encode(),
                "values.json": msgspec.json.encode(self.values.saved()),
                "learned.json": structure,
                "learned.arrow": columns,
            }
        )

    @classmethod
    @checked(path=PATH)
    def load(cls, path: str | PathLike[str]) -> Model:
        """The model in a file. Raises StateError if it is missing, damaged, or of another version."""
        try:
            content = Path(path).read_bytes()
        except FileNotFoundError:
            raise StateError(f"{path}: there is no such file; `antelog learn` writes a model") from None
        except OSError as error:
            raise StateError(f"{path}: cannot be read: {error.strerror}") from None
        return cls.from_bytes(content, str(path))

    @classmethod
    @checked(content=BYTES, name=TEXT)
    def from_bytes(cls, content: bytes, name: str = "the model") -> Model:
        try:
            members = sealed.unpack(content, name)
        except StateError:
            raise StateError(
                f"{name} is not a model, or a damaged one, or of another version of antelog; `antelog learn` "
                "writes one"
            ) from None
        try:
            head = msgspec.json.decode(members["model.json"], type=_ModelHead)
            if head.version != VERSION:
                raise StateError(
                    f"{name} is a model of version {head.version}, but this antelog reads version {VERSION}; "
                    "learn it again with `antelog learn`"
                )
            plan = from_json(members["plan.json"])
        except (KeyError, msgspec.MsgspecError, PlanError) as error:
            reason = f"it has no {error.args[0]}" if isinstance(error, KeyError) else error
            raise StateError(f"{name} is not a model: {reason}; `antelog learn` writes one") from None
        values = Values.from_saved(msgspec.json.decode(members["values.json"], type=SavedValues))
        learned = unpacked(members["learned.json"], members["learned.arrow"])
        counted = (learned["series"], learned["judges"], learned["weights"])
        return cls(plan, values, *counted, head.epoch, head.half_life, head.length)

    def of(self, plan: Plan, name: str = "the model") -> Model:
        """Returns the model if it was learned for this program. Raises StateError with the difference."""
        if self.plan.meaning == plan.meaning:
            return self
        raise StateError(f"{name} was learned for another program: {_difference(self.plan, plan)}")


def _difference(one: Plan, other: Plan) -> str:
    """Describes the first difference between the program of a model and another."""
    for what, first, second in (
        ("inputs", _by_name(one.inputs), _by_name(other.inputs)),
        ("queries", _by_name(one.meaning.queries), _by_name(other.meaning.queries)),
        ("static predicates", _by_name(one.statics), _by_name(other.statics)),
    ):
        for name in sorted(first.keys() - second.keys()):
            return f"it has {name} among its {what}, and this one has not"
        for name in sorted(second.keys() - first.keys()):
            return f"this one has {name} among its {what}, and it has not"
        for name in sorted(first):
            if first[name] != second[name]:
                return f"{name} is not the same in both"
    return "its rules differ"


def _by_name(things: Iterable[Input | Relation | Static]) -> dict[str, object]:
    return {each.name: each for each in things}
