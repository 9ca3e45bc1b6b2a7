"""A model: what judges have learned, in a file, for other runs of the same program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np
import pyarrow as pa

from antelog import writing
from antelog.compile.nodes.plan import Input, Plan, Relation, Static, from_json, to_json
from antelog.engine import sealed
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.facts.history import Facts
from antelog.engine.values.values import SavedValues, Values
from antelog.errors import PlanError, StateError
from antelog.forecast.judges.following import AnswerLines, TrackedAnswers
from antelog.forecast.judges.judge import Judge, JudgeWeights, Predictions, SettledLines, merged_weights
from antelog.forecast.judges.judged import Judged
from antelog.forecast.judges.linear import Fit, LinearJudge, Recalibration
from antelog.forecast.judges.looks import LatestValues, Look, QueryFeatures
from antelog.forecast.judges.outcomes import OutcomeStatistics
from antelog.forecast.rates.learning import Learning
from antelog.forecast.rates.tally import Ledger, Tally
from antelog.forecast.scores.calibration import Blocks, Calibration
from antelog.forecast.scores.scored_lines import AlertSums, FirstAlerts, Losses, ScoredLines
from antelog.forecast.scores.scores import Scores
from antelog.given import BYTES, PATH, TEXT, checked
from antelog.language.moments import Timescale

# The classes in files.
_CLASSES: Mapping[str, type[Any]] = {
    each.__name__: each
    for each in (
        *(Facts, AnswerLines, TrackedAnswers, FirstAlerts, Judged, JudgeWeights, Predictions, ScoredLines),
        *(Scores, Losses, Calibration, Blocks, AlertSums, Ledger, Tally, Learning, OutcomeStatistics),
        *(LinearJudge, Recalibration, Fit, SettledLines, LatestValues, Look, QueryFeatures, Timescale),
    )
}


def packed(thing: object) -> tuple[bytes, bytes]:
    """Encodes a thing as JSON and Arrow bytes."""
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


@dataclass(frozen=True, eq=False)
class Model:
    """Judges taught by a program's stream, and their weights."""

    plan: Plan
    values: Values  # those of the cells in all counts
    judges: Mapping[str, Mapping[str, Judge]]  # by query and name
    weights: Mapping[str, JudgeWeights]  # by query
    half_life: float | None

    @property
    def knows_something(self) -> bool:
        """Whether anything was learned from outcomes of answers."""
        return any(each.rows for own in self.judges.values() for each in own.values())

    @checked(path=PATH)
    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file; one of that name is replaced when the new one is complete."""
        writing.write(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        judges = {name: dict(each) for name, each in self.judges.items()}
        structure, columns = packed({"judges": judges, "weights": dict(self.weights)})
        return sealed.pack(
            {
                "model.json": msgspec.json.encode({"half_life": self.half_life}),
                "plan.json": to_json(self.plan).encode(),
                "values.json": msgspec.json.encode(self.values.saved()),
                "learned.json": structure,
                "learned.arrow": columns,
            },
            kind="model",
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
            members = sealed.unpack(content, name, kind="model")
            head = msgspec.json.decode(members["model.json"], type=dict[str, Any])
            plan = from_json(members["plan.json"])
        except (KeyError, msgspec.MsgspecError, PlanError) as error:
            reason = f"it has no {error.args[0]}" if isinstance(error, KeyError) else error
            raise StateError(f"{name} is not a model: {reason}; `antelog learn` writes one") from None
        values = Values.from_saved(msgspec.json.decode(members["values.json"], type=SavedValues))
        learned = unpacked(members["learned.json"], members["learned.arrow"])
        return cls(plan, values, learned["judges"], learned["weights"], **head)

    def of(self, plan: Plan, name: str = "the model") -> Model:
        """Returns the model if it was learned for this program. Raises StateError with the difference."""
        if self.plan.means(plan):
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
    recoded = ", ".join(one.recoded(other))
    return f"the code of {recoded} is another" if recoded else "its rules differ"


def _by_name(things: Iterable[Input | Relation | Static]) -> dict[str, object]:
    return {each.name: each for each in things}


# ---- parts of models for workers by key, and models of several workers merged ----

# What all keys share stays in a part as the model has it: so a key's chances do not depend on the other keys
# of its worker.

Cells: TypeAlias = Callable[[Column], Column]  # rewrites cells for other values
Mine: TypeAlias = Callable[[Column, Values], Mask]  # marks a worker's own cells, given their values


def part_of(model: Model, mine: Mine | None) -> Model:
    """Cuts out a worker's part: what all keys share, and its own keys (None: all)."""
    if mine is None:
        return recoded(model, Values())
    own = {
        name: {judge: of.part(lambda column: mine(column, model.values)) for judge, of in judges.items()}
        for name, judges in model.judges.items()
    }
    return recoded(replace(model, judges=own), Values())


def recoded(model: Model, values: Values) -> Model:
    """Copies a model with its cells rewritten for other values, which are extended as needed."""
    cells = partial(values.recoded, of=model.values)
    return replace(model, judges=rewritten(model.judges, cells), values=values)


def merged(models: Sequence[Model]) -> Model:
    """Merges the models of workers with different keys, all learned up to the same tick."""
    values = Values()
    parts = [recoded(each, values) for each in models]
    one, *others = parts
    judges = {
        name: {judge: of.merged([each.judges[name][judge] for each in others]) for judge, of in own.items()}
        for name, own in one.judges.items()
    }
    weights = {name: merged_weights([each.weights[name] for each in parts]) for name in one.weights}
    return replace(one, values=values, judges=judges, weights=weights)


def rewritten(thing: Any, cells: Cells) -> Any:
    """Copies a state, or a part of one, with its cells rewritten."""
    match thing:
        case Facts():
            return Facts(tuple(map(cells, thing.columns)), thing.time, thing.arrival)
        case Tally():
            return replace(thing, keys=tuple(map(cells, thing.keys)))
        case LatestValues():
            return replace(thing, key=tuple(map(cells, thing.key)))
        case AnswerLines():
            return replace(thing, answer=tuple(map(cells, thing.answer)))
        case Mapping():
            return {name: rewritten(each, cells) for name, each in thing.items()}
        case tuple():
            return tuple(rewritten(each, cells) for each in thing)
        case _ if is_dataclass(thing) and not isinstance(thing, type):
            parts = {each.name: rewritten(getattr(thing, each.name), cells) for each in fields(thing)}
            return replace(thing, **parts)
        case _:
            return thing
