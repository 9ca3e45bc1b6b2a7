"""The change log of a query between two ticks, as an Arrow table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from antelog.engine.changes import (
    CONFIRMED,
    NOTHING,
    OPEN,
    Candidates,
    Moments,
    Views,
    candidates,
    moments,
    views,
)
from antelog.engine.explaining import because, explanations
from antelog.engine.minimal import minimal
from antelog.engine.outlook import outlook
from antelog.engine.tables import Column, Mask
from antelog.engine.truth import World

KINDS = ("possible", "revised", "confirmed", "rejected")
_POSSIBLE, _REVISED, _CONFIRMED, _REJECTED = range(4)


@dataclass(frozen=True)
class Told:
    """What is told of answers, moment by moment: the views that are told, and the answers' status."""

    found: Candidates
    at: Moments
    seen: Views
    kept: Mask
    views: Mask
    status: Column


def tell(world: World, name: str, ticks: Column | None, before: int, now: int) -> Told:
    found = candidates(world, name, ticks)
    at = moments(found, before, now)
    seen = views(found, at)
    kept = minimal(found, at, seen, world.values)
    complete = np.zeros(len(at.tick), np.bool_)
    complete[at.view_at[kept & seen.complete]] = True
    told = kept & seen.shown
    status = np.full(len(at.tick), NOTHING)
    status[at.view_at[told]] = OPEN
    status[complete] = CONFIRMED
    return Told(found, at, seen, kept, told, status)


def changes(
    world: World, name: str, ticks: Column | None, before: int, now: int, only: Sequence[str] = KINDS
) -> pa.Table:
    """What happened to the answers of a query after `before` and up to `now`; some kinds of changes only."""
    told = tell(world, name, ticks, before, now)
    kind = _kinds(told)
    moment = np.flatnonzero(np.isin(kind, [KINDS.index(each) for each in only]))
    return _table(world, name, told, moment, kind[moment])


def answers(world: World, name: str, ticks: Column | None, now: int) -> pa.Table:
    """The answers that are open at a tick, and those confirmed at it."""
    told = tell(world, name, ticks, now, now)
    still = np.flatnonzero(told.status == OPEN)
    open_ = _table(world, name, told, still, np.full(len(still), _REVISED))
    told = tell(world, name, ticks, now - 1, now)
    new = np.flatnonzero(_kinds(told) == _CONFIRMED)
    done = _table(world, name, told, new, np.full(len(new), _CONFIRMED))
    return pa.concat_tables([open_, done], promote_options="permissive")


def _kinds(told: Told) -> Column:
    """For each moment the kind of change, or -1."""
    at, status = told.at, told.status
    kind = np.full(len(status), -1)
    if len(status) < 2:
        return kind
    follows = np.append(False, at.answer[1:] == at.answer[:-1])
    was = np.append(NOTHING, status[:-1])
    changed = np.zeros(len(status), np.bool_)
    same_row = np.append(False, at.view_of[1:] == at.view_of[:-1])
    level = np.where(told.views, told.seen.level, -1)
    differs = same_row & np.append(False, level[1:] != level[:-1])
    changed[at.view_at[differs]] = True
    kind[follows & (was == NOTHING) & (status == OPEN)] = _POSSIBLE
    kind[follows & (was == OPEN) & (status == OPEN) & changed] = _REVISED
    kind[follows & (was != CONFIRMED) & (status == CONFIRMED)] = _CONFIRMED
    kind[follows & (was == OPEN) & (status == NOTHING)] = _REJECTED
    return kind


def _table(world: World, name: str, told: Told, moment: Column, kind: Column) -> pa.Table:
    relation = world.relations[name]
    found, at = told.found, told.at
    rejected = kind == _REJECTED
    # A rejected answer is told with the explanations it had the moment before.
    source = np.where(rejected, moment - 1, moment)
    first = found.by_answer.first[at.answer[moment]]
    columns: dict[str, pa.Array] = {
        "tick": pa.array(at.tick[moment]),
        "change": pa.DictionaryArray.from_arrays(
            pa.array(kind, pa.int8()), pa.array(KINDS)
        ).dictionary_decode(),
    }
    for variable, cells in zip(relation.variables, found.answer, strict=True):
        columns[variable] = world.values.decode(cells[first])
    if relation.time is not None:
        ticks = found.time[first]
        columns[relation.time] = pa.array(ticks, mask=ticks < 0)
    columns["explanations"] = explanations(world, told.found, at, told.seen, told.views, source)
    silent, decided = outlook(
        world, found, at, told.kept, told.views, moment, ~rejected & (kind != _CONFIRMED)
    )
    columns["if_silent"] = silent
    columns["decided_by"] = decided
    columns["because"] = because(world, found, at, told.seen, told.views, moment, rejected)
    return _sorted(pa.table(columns), relation.variables, relation.time)


def _sorted(table: pa.Table, variables: tuple[str, ...], time: str | None) -> pa.Table:
    keys = ["tick", *([time] if time is not None else []), *variables]
    return table.sort_by([(key, "ascending") for key in keys])
